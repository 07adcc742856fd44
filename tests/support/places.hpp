#pragma once
/// Where tests find files of the project and the programs that they start. Known to one source: a
/// path of this checkout on every command line would keep the compiler cache from serving another
/// one.

#include <string>
#include <string_view>

namespace scalestudy::test {

/// Returns the absolute path of a file or folder of the project, given from its top folder.
[[nodiscard]] std::string in_sources(std::string_view path);

/// Returns the absolute path of something built, given from the build folder: `bin/scalestudy` as
/// installed, `tests/bin/fake_rank` what only tests start (scalestudy_test_program of CMake).
[[nodiscard]] std::string in_build(std::string_view path);

}  // namespace scalestudy::test
