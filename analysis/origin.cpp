#include "analysis/origin.hpp"

#include <algorithm>
#include <tuple>

#include "core/text.hpp"

#include "analysis/settings_json.hpp"

namespace scalestudy {
namespace {

/// Not the recorded fingerprint: that counts the cores that the process was bound to, which may
/// follow from the number of ranks.
std::string machine_in(const FlatSettings& environment) {
  std::vector<std::string> parts;
  const auto add = [&](const char* path, const char* unit) {
    const auto found = environment.find(path);
    if (found != environment.end()) parts.push_back(found->second + unit);
  };
  add("/cpu/model", "");
  add("/cpu/hardware_thread_count", " hardware threads");
  add("/system/architecture", "");
  add("/system/operating_system", "");
  return parts.empty() ? "unknown" : join(parts, ", ");
}

}  // namespace

bool operator<(const Origin& a, const Origin& b) {
  return std::tie(a.study, a.build, a.machine) < std::tie(b.study, b.build, b.machine);
}

Origin origin_of(const RunFacts& record, const std::string& study) {
  const auto& build = record.header.build_id;
  return {study, build.empty() ? "unknown" : build, machine_in(flatten_json(record.environment))};
}

std::string distinction(const Origin& origin, const std::vector<Origin>& all) {
  std::vector<std::string> parts;
  for (const OriginPart& part : origin_parts) {
    const auto& own = origin.*part.value;
    const auto differs = [&](const Origin& other) { return other.*part.value != own; };
    if (std::any_of(all.begin(), all.end(), differs)) parts.push_back(cat(part.noun, ' ', own));
  }
  return join(parts, ", ");
}

}  // namespace scalestudy
