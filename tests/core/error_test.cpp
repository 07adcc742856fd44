#include "core/error.hpp"

#include <gtest/gtest.h>

#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

TEST(Error, MessageHasProblemReasonAndSuggestion) {
  const BadInput error({"ranks is -1", "a study needs at least one rank", "Use 1 or more"});
  EXPECT_STREQ(error.what(), "ranks is -1 (a study needs at least one rank). Use 1 or more.");
  EXPECT_EQ(error.exit_code(), ExitCode::bad_input);
}

TEST(Error, AnotherErrorsMessageIsAReasonWithoutItsFullStop) {
  const RunFailed inner({"rank 1 is silent", "the peers wait", "Look at its log"});
  const RunFailed outer({"the run ended", inner.what(), "Run it again."});
  EXPECT_STREQ(outer.what(),
               "the run ended (rank 1 is silent (the peers wait). Look at its log). Run it again.");
}

TEST(Error, WhatAUserGaveIsQuotedShortened) {
  const BadInput error({"There is no '" + std::string(60'000, 'x') + "'", "it is needed", "Look"});
  EXPECT_LT(std::string(error.what()).size(), 2200U);
  EXPECT_NE(std::string(error.what()).find("left out) … xxx"), std::string::npos);
  EXPECT_NE(std::string(error.what()).find("x' (it is needed). Look."), std::string::npos);
}

TEST(Error, EachClassHasItsExitCode) {
  const Message message{"p", "w", "s"};
  EXPECT_EQ(static_cast<int>(Unavailable(message).exit_code()), 4);
  EXPECT_EQ(static_cast<int>(RunFailed(message).exit_code()), 5);
  EXPECT_EQ(static_cast<int>(InternalError(message).exit_code()), 70);
  EXPECT_EQ(static_cast<int>(Interrupted(message).exit_code()), 130);
}

TEST(Error, BrokenContractNamesConditionAndPlace) {
  const auto message = message_of<InternalError>([] { SCALESTUDY_EXPECT(1 + 1 == 3); });
  EXPECT_NE(message.find("1 + 1 == 3"), std::string::npos);
  EXPECT_NE(message.find("error_test.cpp"), std::string::npos);
}

}  // namespace
}  // namespace scalestudy
