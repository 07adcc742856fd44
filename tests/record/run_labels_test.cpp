#include "record/run_file/run_labels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/run_file/run_record.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;

TEST(RunLabels, TheFormerNameOfEmulatedInputIsUnderstood) {
  EXPECT_EQ(current_label("emulated"), "emulated_input");
  EXPECT_TRUE(contains({"emulated"}, RunLabel::emulated_input));
  EXPECT_FALSE(contains({"emulated"}, RunLabel::external));
}

TEST(RunLabels, KnownAndUnknownNamesStayAsTheyAre) {
  for (const auto& row : named_choices<RunLabel>()) EXPECT_EQ(current_label(row.name), row.name);
  EXPECT_EQ(current_label("of_a_newer_version"), "of_a_newer_version");
  EXPECT_EQ(current_label(""), "");
}

TEST(RunLabels, NoLabelIsContainedInNone) {
  for (const auto label : {RunLabel::oversubscribed, RunLabel::resumed, RunLabel::external}) {
    EXPECT_FALSE(contains({}, label));
    EXPECT_FALSE(contains({"resumed_not", "Resumed", ""}, label));
  }
}

TEST(RunLabels, AreAddedOnceBehindTheOthers) {
  std::vector<std::string> labels{"of_a_newer_version"};
  add_label(labels, RunLabel::resumed);
  add_label(labels, RunLabel::oversubscribed);
  add_label(labels, RunLabel::resumed);
  EXPECT_THAT(labels, ElementsAre("of_a_newer_version", "resumed", "oversubscribed"));
}

TEST(RunLabels, CodesAreAddedOnce) {
  std::vector<std::string> codes;
  add_code(codes, ValidityCode::nonfinite_loss);
  add_code(codes, ValidityCode::nonfinite_loss);
  EXPECT_THAT(codes, ElementsAre("nonfinite_loss"));
}

TEST(RunStatus, NamesGoBothWays) {
  for (const auto status : {RunStatus::running, RunStatus::complete, RunStatus::failed,
                            RunStatus::timed_out, RunStatus::diverged, RunStatus::interrupted}) {
    EXPECT_EQ(find_choice<RunStatus>(to_string(status)), status);
  }
  EXPECT_EQ(find_choice<RunStatus>("unknown"), std::nullopt);
  EXPECT_EQ(find_choice<RunStatus>(""), std::nullopt);
}

}  // namespace
}  // namespace scalestudy
