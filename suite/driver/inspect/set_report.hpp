#pragma once
/// What `data inspect` shows of a set of pictures, and `data prepare` of the pack it made.

#include <filesystem>
#include <ostream>
#include <string>

#include "data/source/set_inspection.hpp"

namespace scalestudy {

void print_set(const std::filesystem::path& source, const SetInspection& found, std::ostream& out);
[[nodiscard]] std::string set_json(const std::filesystem::path& source, const SetInspection& found);

void print_prepared(const std::filesystem::path& file,
                    const PrepareSummary& summary,
                    std::ostream& out);
[[nodiscard]] std::string prepared_json(const std::filesystem::path& file,
                                        const PrepareSummary& summary);

/// "image_mask, pixels, made from 'nuclei', 64 x 64 px (padded)".
[[nodiscard]] std::string description_text(const PackDescription& description);

}  // namespace scalestudy
