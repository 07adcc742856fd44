#pragma once
/// Finds what comes with scalestudy (studies, environments, profiles, claims, published studies,
/// the rank program) both in the build tree and in an installed prefix.

#include <filesystem>
#include <string>
#include <vector>

#include "study/environment.hpp"
#include "study/run_spec.hpp"

namespace scalestudy {

/// A shipped study, environment, profile, claim or published study.
struct ShippedFile {
  std::string name;
  std::filesystem::path file;
};

class ShippedFiles {
 public:
  /// `executable` is the running driver.
  explicit ShippedFiles(const std::filesystem::path& executable);

  [[nodiscard]] std::vector<ShippedFile> studies() const;       ///< sorted by name
  [[nodiscard]] std::vector<ShippedFile> environments() const;  ///< sorted by name
  [[nodiscard]] std::vector<ShippedFile> profiles() const;      ///< sorted by name
  [[nodiscard]] std::vector<ShippedFile> claims() const;        ///< sorted by name
  [[nodiscard]] std::vector<ShippedFile> published() const;     ///< published studies, likewise

  /// An existing path, or a shipped study's name. Errors: BadInput with the nearest name.
  [[nodiscard]] std::filesystem::path find_study(const std::string& path_or_name) const;

  /// An existing path, relative to `folder`, or a shipped profile's name. Errors: likewise.
  [[nodiscard]] std::filesystem::path find_profile(const std::string& path_or_name,
                                                   const std::filesystem::path& folder) const;

  /// An existing path, or a shipped claim's name. Errors: likewise.
  [[nodiscard]] std::filesystem::path find_claim(const std::string& path_or_name) const;

  /// An existing path, or a shipped published study's name. Errors: likewise.
  [[nodiscard]] std::filesystem::path find_published(const std::string& path_or_name) const;

  /// "" is this machine as it is. Errors: BadInput with the nearest name.
  [[nodiscard]] Environment find_environment(const std::string& name_or_file,
                                             LauncherDescriptors launchers) const;

  /// Of those beside the driver the one that does, or SCALESTUDY_RANK_PROGRAM; the file need not
  /// exist.
  [[nodiscard]] std::filesystem::path rank_program(bool needs_libtorch = true) const;

  /// Errors: Unavailable when this build has no such program.
  void require_rank_program(bool needs_libtorch) const;

 private:
  [[nodiscard]] std::vector<ShippedFile> of_workloads(const char* folder) const;

  std::filesystem::path executable_folder_;
  std::filesystem::path share_;  ///< holds workloads/, environments/ and results/
};

}  // namespace scalestudy
