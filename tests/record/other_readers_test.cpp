#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/run_file/run_layout.hpp"

#include "tests/record/sample_run.hpp"
#include "tests/support/other_programs.hpp"
#include "tests/support/requirements.hpp"

namespace scalestudy {
namespace {

using ::testing::HasSubstr;

TEST(OtherReaders, H5dumpShowsUnits) {
  SCALESTUDY_NEEDS("h5dump", run_command("h5dump --version").status == 0);
  const TemporaryFolder folder;
  const auto file = make_sample_run(folder);
  const auto outcome = run_command("h5dump -d /steps/step_s " + shell_quoted(file));
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("ATTRIBUTE \"unit\""));
  EXPECT_THAT(outcome.output, HasSubstr("(0): \"s\""));
  EXPECT_EQ(run_command("h5dump " + shell_quoted(file)).status, 0);
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
    assert f.attrs["schema"] == 2
assert len(seen) == int(sys.argv[2]), len(seen)
)";
  std::size_t datasets = 4 + 2 + 3;  // texts, panels, summary values
  for (const auto& [group, columns] : run_layout::all_columns())
    if (group != SummaryRow::group) datasets += columns.size();
  const auto outcome = run_command(python + " " + shell_quoted(folder / "check.py") + " " +
                                   shell_quoted(file) + " " + std::to_string(datasets));
  EXPECT_EQ(outcome.status, 0) << outcome.output;
}

}  // namespace
}  // namespace scalestudy
