#pragma once
/// Published studies from files of others. A format is a row here and a source beside.

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/choice.hpp"

#include "analysis/published/published.hpp"

namespace scalestudy {

enum class ImportFormat { epoch_csv, published_csv, mllog };
template <>
inline constexpr auto choices<ImportFormat> = std::array{
    Choice{ImportFormat::epoch_csv, "epoch-csv",
           "a log with a row per epoch: time_per_epoch (in s, or as time_per_epoch_min says) "
           "and, where known, loss, training_time, iou"},
    Choice{ImportFormat::published_csv, "published-csv",
           "a number per row: id,workload,device,n,precision,mode,metric,value,unit,source; id "
           "names the study that rows belong to, metrics are throughput (in images/s), "
           "training_time, wall, epoch (in s), epochs, samples_per_epoch, iou"},
    Choice{ImportFormat::mllog, "mllog", "a log of MLPerf: lines with :::MLLOG"}};

/// What logs of runs do not say; "" is not said.
struct ImportFacts {
  std::string name;
  std::string title;
  std::string source;  ///< repository or address
  std::string commit;
  std::string workload;
  std::string arm;
  std::string device;
  std::string precision;
  std::string sample_noun;
  PublishedRule scaling_rule = PublishedRule::not_stated;
  /// One value for all files, or one for each.
  std::vector<double> ranks, samples_per_epoch, global_batch_size, evaluated_sample_count;
  bool operator==(const ImportFacts&) const = default;
};

struct Imported {
  std::vector<PublishedStudy> studies;
  std::vector<std::string> notes;  ///< what was left out, and why
};

/// Of an option: one for each file, between commas or each a text of its own. Errors: BadInput for
/// what is no number, and for a list that may be one number with commas between thousands.
[[nodiscard]] std::vector<double> numbers_of_files(const std::vector<std::string>& texts,
                                                   std::string_view option);

/// Errors: BadInput with file and line for what cannot be what the format says, and for facts that
/// are missing, or that the format does not take.
[[nodiscard]] Imported import_files(ImportFormat format,
                                    const std::vector<std::filesystem::path>& files,
                                    const ImportFacts& facts);

}  // namespace scalestudy
