#include "driver/terminal/visible_text.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/synthetic_run.hpp"
#include "tests/driver/driver_answer.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string shown(const std::vector<std::string>& pieces) {
  std::ostringstream target;
  {
    VisibleText filter(*target.rdbuf());
    std::ostream out(&filter);
    for (const auto& piece : pieces) out << piece;
  }
  return target.str();
}

TEST(VisibleText, OrdinaryTextStaysAsItIs) {
  for (const std::string text :
       {"", "plain\n\ttext\n", "Müller × 95\u202f% – 日本 🙂 \\u001b"})
    EXPECT_EQ(shown({text}), text);
}

TEST(VisibleText, WhatATerminalObeysIsShown) {
  EXPECT_EQ(shown({"a\033[2Jb"}), "a\\u001b[2Jb");
  EXPECT_EQ(shown({"a\rb\bc\ad\x7f"}), "a\\u000db\\u0008c\\u0007d\\u007f");
  EXPECT_EQ(shown({std::string("a\0b", 3)}), "a\\u0000b");
  EXPECT_EQ(shown({"\u009b31m"}), "\\u009b31m") << "one character that begins a sequence";
  EXPECT_EQ(shown({"\u202egnp.exe"}), "\\u202egnp.exe");
}

TEST(VisibleText, BytesThatAreNoTextAreShown) {
  EXPECT_EQ(shown({"a\x9b"
                   "2J\xff"}),
            "a\\x9b2J\\xff");
  EXPECT_EQ(shown({"\xc3("}), "\\xc3(");
  EXPECT_EQ(shown({"end\xe2\x82"}), "end\\xe2\\x82");
}

TEST(VisibleText, CharactersMayComeInPieces) {
  EXPECT_EQ(shown({"\xe2", "\x82", "\xac"}), "€");
  EXPECT_EQ(shown({"\xe2\x80", "\xae."}), "\\u202e.");
  EXPECT_EQ(shown({"\xc2", "\033"}), "\\xc2\\u001b");
}

TEST(VisibleText, OurOwnSequencesAreObeyed) {
  std::ostringstream target;
  VisibleText filter(*target.rdbuf());
  std::ostream out(&filter);
  out << clear_line << "x" << terminal_control("\033[0m") << std::flush;
  EXPECT_EQ(target.str(), "\r\033[Kx\033[0m");
}

TEST(VisibleText, AFullTargetIsNoticed) {
  struct Full : std::streambuf {};
  Full target;
  VisibleText filter(target);
  std::ostream out(&filter);
  out << "text";
  EXPECT_FALSE(out);
}

/// The whole way: what a run file says about itself.
TEST(VisibleText, NothingInARunFileReachesTheTerminal) {
  const TemporaryFolder folder;
  const auto file = write_synthetic(folder / "study", {.study = "s\033[2J\nerror: all is lost",
                                                       .build_id = "b\033]0;title\a",
                                                       .cpu_model = "CPU\u009b31m"});
  for (const auto& arguments :
       {std::vector<std::string>{"inspect", file.string(), "--all-settings"},
        {"report", (folder / "study").string()},
        {"inspect", file.string(), "--json"},
        {"report", (folder / "study").string(), "--json"}}) {
    const auto answer = ask_driver(arguments);
    for (const auto& text : {answer.out, answer.err}) {
      EXPECT_EQ(text.find_first_of("\033\a"), std::string::npos) << text;
      EXPECT_THAT(text, Not(HasSubstr("\u009b")));
      EXPECT_THAT(text, Not(HasSubstr("\nerror: all"))) << text;
    }
  }
  EXPECT_THAT(ask_driver({"inspect", file.string()}).out, HasSubstr("b\\u001b]0;title\\u0007"));
}

TEST(VisibleText, ErrorsQuoteArgumentsVisibly) {
  const auto answer = ask_driver({"plan", "no\033[2J\nerror: such study"});
  EXPECT_THAT(answer.err, HasSubstr("no\\u001b[2J"));
  EXPECT_THAT(answer.err, Not(HasSubstr("\nerror: such")));
}

}  // namespace
}  // namespace scalestudy
