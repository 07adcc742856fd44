#pragma once
/// What the report says of published studies. Nothing of it was measured here, and all of it says
/// so: label external.

#include <string>
#include <vector>

#include "analysis/published/published_analysis.hpp"

namespace scalestudy {

inline constexpr const char* external_label = "external";

/// "images/s": what rates are counted in.
[[nodiscard]] std::string rate_unit(const PublishedStudy& study, const ArmAnalysis& arm);

/// "4xA100, 26 min 34 s, 29125 images/s (quality not reached)", "an epoch in 1 min 33 s"; "" where
/// nothing absolute is published.
[[nodiscard]] std::string absolute_text(const PublishedStudy& study,
                                        const ArmAnalysis& arm,
                                        const PublishedPoint& point);

/// "0.912 ± 0.003", "0.912 and NaN"; "" where no quality is published.
[[nodiscard]] std::string quality_text(const PublishedPoint& point);

/// "V100, FP32, linear_fixed_epochs": under which conditions an arm ran, as far as it is stated.
[[nodiscard]] std::string conditions_of(const PublishedArm& arm);

[[nodiscard]] std::string published_headline(const ArmAnalysis& arm);

/// One per topic: how much faster, of which factors, how good the models are, where it is from.
[[nodiscard]] std::vector<std::string> published_paragraphs(const PublishedStudy& study,
                                                            const ArmAnalysis& arm);

}  // namespace scalestudy
