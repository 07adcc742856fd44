#include "core/text.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "core/visible.hpp"

namespace scalestudy {
namespace {

TEST(Text, LongTextsLoseTheirMiddle) {
  EXPECT_EQ(shortened("short", 5), "short");
  EXPECT_EQ(shortened("begin" + std::string(100, 'x') + "end..", 10),
            "begin … (100 bytes left out) … end..");
  const std::string umlauts = "ääääääää";
  EXPECT_EQ(shortened(umlauts, 6), "ää … (10 bytes left out) … ä");
}

TEST(Text, ControlCharactersAreMadeVisible) {
  EXPECT_TRUE(has_control_characters("a\nb"));
  EXPECT_FALSE(has_control_characters("Zürich\xff"));
  EXPECT_EQ(one_line("a\nb\x1b[1m\x7fä"), "a\\u000ab\\u001b[1m\\u007fä");
}

TEST(Text, OfALongListTheFirstAreShown) {
  const std::vector<std::string> four{"a", "b", "c", "d"};
  EXPECT_EQ(first_of(four, 2, "there"), (std::vector<std::string>{"a", "b", "and 2 more, there"}));
  EXPECT_EQ(first_of(four, 3, "there"), four) << "the line would be no shorter than the item";
  EXPECT_EQ(first_of({}, 0, "there"), std::vector<std::string>());
}

TEST(Text, TheLastLineIsTheLastThatSaysSomething) {
  EXPECT_EQ(last_line_of("one\ntwo\r\n\n"), "two");
  EXPECT_EQ(last_line_of("one"), "one");
  EXPECT_EQ(last_line_of("\n\n"), "");
  EXPECT_EQ(last_line_of(""), "");
}

TEST(Text, SplitKeepsEmptyPartsAndJoinRestores) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(join(split("a,,b", ','), ","), "a,,b");
}

TEST(Text, AListKeepsOneOfEach) {
  std::vector<std::string> list{"a"};
  add_unique(list, "b");
  add_unique(list, "a");
  EXPECT_EQ(list, (std::vector<std::string>{"a", "b"}));
}

TEST(Text, NearestSuggestsTyposButNotNonsense) {
  EXPECT_EQ(nearest("epoch", {"epochs", "seed"}), "epochs");
  EXPECT_EQ(nearest("zzzzzz", {"epochs", "seed"}), "");
}

TEST(Text, EachRangeOfDurationsHasItsUnit) {
  EXPECT_EQ(human_duration(0), "0.0 µs");
  EXPECT_EQ(human_duration(0.00025), "250.0 µs");
  EXPECT_EQ(human_duration(0.001), "1.0 ms");
  EXPECT_EQ(human_duration(0.0123), "12.3 ms");
  EXPECT_EQ(human_duration(1), "1.0 s");
  EXPECT_EQ(human_duration(59.9), "59.9 s");
  EXPECT_EQ(human_duration(59.94), "59.9 s");
  EXPECT_EQ(human_duration(60), "1 min 0 s");
  EXPECT_EQ(human_duration(75.2), "1 min 15 s");
  EXPECT_EQ(human_duration(3599.4), "59 min 59 s");
  EXPECT_EQ(human_duration(3599.6), "1 h 0 min");
  EXPECT_EQ(human_duration(5000), "1 h 23 min");
  EXPECT_EQ(human_duration(90000), "25 h 0 min");
}

TEST(Text, WhatRoundsUpToALargerUnitIsWrittenInIt) {
  EXPECT_EQ(human_duration(59.97), "1 min 0 s");
  EXPECT_EQ(human_duration(0.99997), "1.0 s");
  EXPECT_EQ(human_duration(0.00099997), "1.0 ms");
  EXPECT_EQ(human_duration(119.6), "2 min 0 s");
  EXPECT_EQ(human_duration(7199), "2 h 0 min");
  EXPECT_EQ(human_bytes(1024 * 1024 - 1), "1.00 MiB");
}

TEST(Text, WhatIsCountedIsOneOrSeveral) {
  EXPECT_EQ(counted(0, "run"), "0 runs");
  EXPECT_EQ(counted(1, "run"), "1 run");
  EXPECT_EQ(counted(std::size_t{5}, "more repeat"), "5 more repeats");
  EXPECT_EQ(counted(1, "patch"), "1 patch");
  EXPECT_EQ(counted(2, "patch"), "2 patches");
  EXPECT_EQ(counted(2, "epoch"), "2 epochs");
}

TEST(Text, DurationsThatAreNoNumberAreUnknown) {
  EXPECT_EQ(human_duration(std::numeric_limits<double>::quiet_NaN()), "unknown");
  EXPECT_EQ(human_duration(std::numeric_limits<double>::infinity()), "unknown");
}

TEST(Text, EachRangeOfBytesHasItsUnit) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1024), "1.00 KiB");
  EXPECT_EQ(human_bytes(1536), "1.50 KiB");
  EXPECT_EQ(human_bytes(3438084), "3.28 MiB");
  EXPECT_EQ(human_bytes(1024.0 * 1024 * 1024), "1.00 GiB");
  EXPECT_EQ(human_bytes(2048.0 * 1024 * 1024 * 1024 * 1024), "2048.00 TiB");
}

TEST(Text, SplitAlwaysHasOnePartMoreThanSeparators) {
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
  EXPECT_EQ(split(",", ','), (std::vector<std::string>{"", ""}));
  EXPECT_EQ(split("a", ','), (std::vector<std::string>{"a"}));
  EXPECT_EQ(split("a,b,", ','), (std::vector<std::string>{"a", "b", ""}));
}

TEST(Text, JoinSeparatesOnlyBetweenParts) {
  EXPECT_EQ(join({}, ", "), "");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({"", ""}, ", "), ", ");
  EXPECT_EQ(join({"a", "b", "c"}, ""), "abc");
}

TEST(Text, NearestTakesTheFirstOfEqualCandidates) {
  EXPECT_EQ(nearest("bat", {"cat", "hat"}), "cat");
  EXPECT_EQ(nearest("bat", {"cart", "hat"}), "hat");
  EXPECT_EQ(nearest("bat", {}), "");
}

TEST(Text, LongWordsMayDifferMore) {
  EXPECT_EQ(nearest("local_batch", {"local_batch_size"}), "");
  EXPECT_EQ(nearest("lokal_bach_siz", {"local_batch_size"}), "local_batch_size");
  EXPECT_EQ(nearest("ab", {"xy"}), "xy");
  EXPECT_EQ(nearest("abc", {"xyz"}), "");
}

}  // namespace
}  // namespace scalestudy
