#pragma once
/// What the steps of a training take, in a file: `scalestudy profile` writes it from our runs,
/// record_profile.py from any PyTorch training. All times are of one rank with its own batch and
/// nobody to exchange gradients with. Light: no LibTorch.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "study/workload_descriptor.hpp"

#include "workloads/replay/settings.hpp"

namespace scalestudy::replay {

/// A tensor of gradients, or what is known of several together: a bucket.
struct ProfiledGradient {
  std::string name;
  std::int64_t element_count = 0;
  double ready_s = 0;  ///< after the backward pass began
};

/// Where a profile comes from: for people, nothing is computed from it.
struct ProfileOrigin {
  std::string network;
  std::string recorded_by;
  std::string library;  ///< "PyTorch 2.11.0"
  std::string device;
  std::int64_t threads = 1;
  std::string precision;
  std::string memory_format;
  std::int64_t steps = 0;  ///< the medians are over so many
  std::string date;        ///< 2026-11-24
};

struct Profile {
  ProfileOrigin origin;
  std::int64_t local_batch_size = 1;
  std::int64_t element_bytes = 4;  ///< of a gradient's element
  double forward_s = 0;            ///< with the loss, and with bringing the batch to the device
  double backward_s = 0;
  double optimizer_s = 0;
  double input_s = 0;                       ///< making a batch
  double evaluation_s = 0;                  ///< one on the validation set
  double checkpoint_s = 0;                  ///< what an epoch spends in writing
  double first_step_s = 0;                  ///< what the first step takes longer
  double step_noise_frac = 0;               ///< deviation of both passes ÷ their median
  std::vector<ProfiledGradient> gradients;  ///< in the order in which they become ready
};

/// Errors: BadInput with file and JSON path for what is no profile: the file is not trusted.
[[nodiscard]] Profile read_profile(const std::filesystem::path& file);

[[nodiscard]] std::string to_json_text(const Profile& profile);

/// JSON Schema of the file.
[[nodiscard]] nlohmann::json profile_schema();

/// What replays it. Times become whole microseconds without adding up errors; the backward pass
/// ends with its last gradient.
[[nodiscard]] Settings settings_of(const Profile& profile);

/// WorkloadDescriptor::complete_settings: with `profile` only what is given, because the file says
/// the rest. Errors: BadInput when layers are given beside a profile.
[[nodiscard]] std::string complete_settings(const nlohmann::json& own_settings,
                                            const std::string& json_path);

/// WorkloadDescriptor::settings_with_files: all numbers of the profile, but for what is given.
[[nodiscard]] std::string settings_with_profile(const std::string& settings, const FindFile& find);

}  // namespace scalestudy::replay
