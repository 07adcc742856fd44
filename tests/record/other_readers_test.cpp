#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/run_layout.hpp"

#include "tests/record/sample_run.hpp"
#include "tests/support/requirements.hpp"

namespace scalestudy {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  int status = -1;
  std::string output;
};

Outcome run(const std::string& command) {
  Outcome outcome;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer{};
  while (const auto count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    outcome.output.append(buffer.data(), count);
  }
  outcome.status = ::pclose(pipe);
  return outcome;
}

/// For the shell: the names of temporary folders have a blank and a single quote.
std::string quoted(const std::filesystem::path& file) {
  return "\"" + file.string() + "\"";
}

// The Python that has h5py: the one in use, or else the distribution's; "" when none has.
std::string python_with_h5py() {
  for (const std::string python : {"python3", "/usr/bin/python3"}) {
    if (run(python + " -c 'import h5py'").status == 0) return python;
  }
  return "";
}

TEST(OtherReaders, H5dumpShowsUnits) {
  SCALESTUDY_NEEDS("h5dump", run("h5dump --version").status == 0);
  const TemporaryFolder folder;
  const auto file = make_sample_run(folder);
  const auto outcome = run("h5dump -d /steps/step_s " + quoted(file));
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("ATTRIBUTE \"unit\""));
  EXPECT_THAT(outcome.output, HasSubstr("(0): \"s\""));
  EXPECT_EQ(run("h5dump " + quoted(file)).status, 0);
}

TEST(OtherReaders, H5pySeesEveryDataSetWithItsAttributes) {
  const auto python = python_with_h5py();
  SCALESTUDY_NEEDS("h5py", !python.empty());
  const TemporaryFolder folder;
  const auto file = make_sample_run(folder);
  std::ofstream(folder / "check.py") << R"(
import sys, h5py
seen = []
def check(name, item):
    if isinstance(item, h5py.Dataset):
        seen.append(name)
        for key in ("unit", "description", "better", "aggregation"):
            assert isinstance(item.attrs[key], str) and item.attrs[key], (name, key)
with h5py.File(sys.argv[1], "r") as f:
    f.visititems(check)
    assert f["steps/step_s"].shape == (2, 7) and f["steps/step_s"].dtype == "<f8"
    assert f["steps/sample_count"].dtype == "<i8"
    assert f["steps/step_s"].attrs["unit"] == "s"
    assert f["settings/effective"][()].decode() == '{"a": "\u00b5"}'
    assert f["ranks/host"][0].decode().endswith("\u00b5")
    assert f["panels/input"].dtype == "<f4" and f["panels/input"].shape == (2, 3)
    assert list(f.attrs["labels"]) == ["oversubscribed", "resumed"]
    assert len(f.attrs["validity"]) == 0 and f.attrs["status"] == "complete"
    assert f.attrs["schema"] == 1
assert len(seen) == int(sys.argv[2]), len(seen)
)";
  std::size_t datasets = 4 + 2 + 3;  // texts, panels, summary values
  for (const auto& [group, columns] : run_layout::all_columns())
    if (group != SummaryRow::group) datasets += columns.size();
  const auto outcome = run(python + " " + quoted(folder / "check.py") + " " + quoted(file) + " " +
                           std::to_string(datasets));
  EXPECT_EQ(outcome.status, 0) << outcome.output;
}

TEST(OtherReaders, H5pyReadsALivePart) {
  const auto python = python_with_h5py();
  SCALESTUDY_NEEDS("h5py", !python.empty());
  const TemporaryFolder folder;
  const auto part = folder / "run.h5.part";
  RunFileWriter writer(part, sample_header(), 2);
  write_sample(writer);
  const auto outcome = run(python +
                           " -c 'import h5py, sys; print(h5py.File(sys.argv[1], \"r\")"
                           "[\"steps/step_s\"].shape)' " +
                           quoted(part));
  EXPECT_EQ(outcome.output, "(2, 7)\n");
}

}  // namespace
}  // namespace scalestudy
