#include "analysis/series/origin.hpp"

#include <algorithm>

#include "core/hash.hpp"
#include "core/text.hpp"

#include "analysis/series/settings_json.hpp"

namespace scalestudy {
namespace {

/// Enough to tell two of them apart.
constexpr std::size_t short_hash = 8;

/// Not the recorded fingerprint: that counts the cores that the process was bound to, which may
/// follow from the number of ranks.
std::string machine_in(const FlatSettings& environment) {
  std::vector<std::string> parts;
  const auto add = [&](const char* path, const char* unit) {
    const auto found = environment.find(path);
    if (found != environment.end() && !found->second.empty()) parts.push_back(found->second + unit);
  };
  add("/cpu/model", "");
  add("/cpu/hardware_thread_count", " hardware threads");
  add("/cpu/quota_cores", " cores of CPU quota");
  // A virtual machine names a family of processors; their caches tell generations apart.
  add("/cpu/l2_cache_bytes", " bytes of L2 cache");
  add("/cpu/l3_cache_bytes", " bytes of L3 cache");
  add("/gpu_models", "");
  add("/system/architecture", "");
  add("/system/operating_system", "");
  if (const auto governor = environment.find("/cpu/governor");
      governor != environment.end() && !governor->second.empty())
    parts.push_back("governor " + governor->second);
  return parts.empty() ? "unknown" : join(parts, ", ");
}

/// Without what carries messages: that follows from the number of ranks.
std::string libraries_in(const FlatSettings& effective) {
  const auto version = value_named(effective, "libtorch_version");
  if (version.empty()) return "";
  const auto configuration = value_named(effective, "libtorch_configuration");
  return cat("LibTorch ", version,
             configuration.empty()
                 ? ""
                 : cat(", built as ", hex64(fnv1a(configuration)).substr(0, short_hash)));
}

std::string data_in(const DataContent& content) {
  if (content.hash.empty()) return "";
  return content.reference_hash.empty() ? content.hash
                                        : cat(content.hash, ", reference ", content.reference_hash);
}

}  // namespace

Origin origin_of(const RunFacts& run, const RunSpec& spec) {
  const auto& build = run.header.build_id;
  return {.study = spec.study,
          .build = build.empty() ? "unknown" : build,
          .machine = machine_in(flatten_json(run.environment)),
          .libraries = libraries_in(flatten_json(run.effective_settings)),
          .data = data_in(spec.data_content)};
}

std::string distinction(const Origin& origin, const std::vector<Origin>& all) {
  std::vector<std::string> parts;
  for (const OriginPart& part : origin_parts) {
    const auto& own = origin.*part.value;
    const auto differs = [&](const Origin& other) { return other.*part.value != own; };
    if (std::any_of(all.begin(), all.end(), differs))
      parts.push_back(cat(part.noun, ' ', own.empty() ? "not recorded" : own));
  }
  return join(parts, ", ");
}

}  // namespace scalestudy
