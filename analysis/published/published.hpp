#pragma once
/// A published scaling study: what a paper, a repository or a benchmark's log says of runs that
/// scalestudy did not make. Files: results/SCHEMA.md, "Published studies".

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/choice.hpp"

#include "analysis/statistics/statistics.hpp"

namespace scalestudy {

/// What its authors did to the training with more ranks.
enum class PublishedRule {
  not_stated,
  linear_fixed_samples,
  linear_fixed_epochs,
  linear,
  weak,
  strong,
  time_to_quality
};
template <>
inline constexpr auto choices<PublishedRule> =
    std::array{Choice{PublishedRule::not_stated, "not_stated", "the source does not say"},
               Choice{PublishedRule::linear_fixed_samples, "linear_fixed_samples",
                      "as our rule of that name: batch and learning rate × N, epochs ÷ N"},
               Choice{PublishedRule::linear_fixed_epochs, "linear_fixed_epochs",
                      "as our rule of that name: batch and learning rate × N, epochs constant"},
               Choice{PublishedRule::linear, "linear",
                      "batch and learning rate × N; what becomes of epochs is not stated"},
               Choice{PublishedRule::weak, "weak", "batch per rank constant, rates only"},
               Choice{PublishedRule::strong, "strong", "global batch constant"},
               Choice{PublishedRule::time_to_quality, "time_to_quality",
                      "trained until a quality is reached, with whatever batch and schedule"}};

enum class PublishedOutcome {
  complete,
  censored,
  quality_missed,
  quality_nan,
  quality_unread,
  loss_nan
};
template <>
inline constexpr auto choices<PublishedOutcome> = std::array{
    Choice{PublishedOutcome::complete, "complete", "ended as it should"},
    Choice{PublishedOutcome::censored, "censored",
           "ended without what it ran for: it would have taken longer"},
    Choice{PublishedOutcome::quality_missed, "quality_missed", "quality not reached"},
    Choice{PublishedOutcome::quality_nan, "quality_nan", "quality or loss is NaN at least once"},
    Choice{PublishedOutcome::quality_unread, "quality_unread", "quality not readable"},
    Choice{PublishedOutcome::loss_nan, "loss_nan", "loss is NaN at least once"}};

/// One launch, as far as it is known: NaN is not known.
struct PublishedRun {
  std::int64_t ranks = 1;
  std::string platform;  ///< "4xA100": the machine by its own name; "" not stated
  PublishedOutcome outcome = PublishedOutcome::complete;
  double training_time_s = not_available;
  double launch_wall_time_s = not_available;
  double relative_time_frac = not_available;  ///< of the same arm's fewest ranks
  double cpu_time_s = not_available;
  double samples_per_s = not_available;  ///< steady, all ranks
  double first_epoch_s = not_available;
  double median_epoch_s = not_available;  ///< of all but the first
  double epochs = not_available;          ///< trained
  double samples_per_epoch = not_available;
  double global_batch_size = not_available;
  double quality = not_available;
  double evaluated_sample_count = not_available;
  double final_loss = not_available;
};

/// Longer times and larger counts are no numbers that anybody measured.
inline constexpr double most_of_anything = 1e15;

/// A number of a run by its name in files.
struct PublishedField {
  std::string_view name;
  double PublishedRun::*member;
  std::string_view unit;
  std::string_view description;
  bool may_be_zero = false;  ///< and, of losses, negative
};
/// In the order in which files have them.
[[nodiscard]] std::span<const PublishedField> published_fields();

/// Runs that differ in ranks and what follows from them: one curve.
struct PublishedArm {
  std::string name;
  std::string device;     ///< "V100"; "" not stated
  std::string precision;  ///< "FP32", "AMP"; "" not stated
  PublishedRule scaling_rule = PublishedRule::not_stated;
  std::string quality_metric;     ///< what `quality` is: "iou"
  double reading_error_frac = 0;  ///< of relative times that were read off a figure, ±
  std::string remark;
  std::vector<std::string> computed;  ///< fields that the file's maker computed, not the source
  std::vector<PublishedRun> runs;     ///< several of one rank count are launches
};

struct PublishedStudy {
  std::string name;  ///< [a-z0-9-]: part of file names
  std::string title;
  std::string repository;  ///< or address, of the source
  std::string commit;      ///< of it; "" where there is none
  std::string workload;
  std::string sample_noun = "samples";  ///< what is counted: "images"
  std::string remark;
  std::vector<PublishedArm> arms;
};

/// What a report is given of others.
struct PublishedInputs {
  std::vector<PublishedStudy> studies;   ///< reported beside, and compared with nothing
  std::vector<PublishedStudy> overlays;  ///< drawn into the speed-up figures of measured studies
};

/// "https://… @ eb16d1e"
[[nodiscard]] std::string source_of(const PublishedStudy& study);

/// For the name of a study, from any text: "dle_mx / DGX-2" -> "dle-mx-dgx-2"; "" when nothing of
/// it is left.
[[nodiscard]] std::string published_name_from(std::string_view text);

/// Errors: BadInput with file and JSON path for what is no published study: files are not trusted.
[[nodiscard]] PublishedStudy read_published_study(const std::filesystem::path& file);

/// Errors: BadInput like those of reading when `study` could not be read again.
[[nodiscard]] nlohmann::ordered_json to_json(const PublishedStudy& study);

/// JSON Schema of the file.
[[nodiscard]] nlohmann::json published_schema();

/// Whether the file begins as a published study does; never throws.
[[nodiscard]] bool is_published_study(const std::filesystem::path& file);

/// The published studies of a folder, sorted by file name; empty when it is no folder. Links out of
/// it are not followed.
[[nodiscard]] std::vector<std::filesystem::path> published_files(
    const std::filesystem::path& folder);

}  // namespace scalestudy
