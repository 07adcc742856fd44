/// From the text of a network's profile to what is replayed of it.

#include "core/error.hpp"

#include "tests/fuzz/accepted.hpp"
#include "tests/fuzz/json_mutator.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "workloads/replay/profile.hpp"

namespace {

using namespace scalestudy;

void read_and_replay(const std::string& path) {
  const auto text = replay::to_json_text(replay::read_profile(path));
  static const fuzz::MemoryFile written("written.json");
  written.set(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  fuzz::require(replay::to_json_text(replay::read_profile(written.path())) == text);

  const auto named = replay::complete_settings({{"profile", "profile.json"}}, "settings");
  (void)replay::settings_with_profile(named, [&](const std::string&) { return path; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file("profile.json");
  file.set(data, size);
  try {
    read_and_replay(file.path());
  } catch (const Error&) {
  }
  return 0;
}
