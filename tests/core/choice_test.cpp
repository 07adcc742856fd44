#include "core/choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "tests/support/message_of.hpp"

namespace scalestudy {
enum class Colour { red, green };
enum class ShortTable { one, two };
enum class SwappedTable { one, two };

template <>
inline constexpr auto choices<Colour> =
    std::array{Choice{Colour::red, "red", "as blood"}, Choice{Colour::green, "green"}};
template <>
inline constexpr auto choices<ShortTable> = std::array{Choice{ShortTable::one, "one"}};
template <>
inline constexpr auto choices<SwappedTable> =
    std::array{Choice{SwappedTable::two, "two"}, Choice{SwappedTable::one, "one"}};

namespace {

static_assert(detail::is_complete_and_in_order<Colour>());
static_assert(!detail::is_complete_and_in_order<ShortTable>());
static_assert(!detail::is_complete_and_in_order<SwappedTable>());
static_assert(!ChoiceEnum<ExitCode>);

TEST(Choice, NamesGoBothWays) {
  EXPECT_EQ(to_string(Colour::green), "green");
  EXPECT_EQ(choice_from<Colour>("red", "path"), Colour::red);
  EXPECT_EQ(find_choice<Colour>("green"), Colour::green);
  EXPECT_EQ(find_choice<Colour>("blue"), std::nullopt);
  EXPECT_EQ(to_string(std::optional<Colour>()), "");
  EXPECT_THAT(names_of(named_choices<Colour>()), testing::ElementsAre("red", "green"));
  EXPECT_THAT(names_of(named_choices_or_none<Colour>()), testing::ElementsAre("", "red", "green"));
}

TEST(Choice, UnknownNamesAreRefusedWithTheNearest) {
  EXPECT_EQ(message_of([] { return choice_from<Colour>("gren", "wall.colour"); }),
            "wall.colour: unknown value 'gren' (known are red, green). Perhaps 'green' is meant.");
}

TEST(Choice, NamesAreMatchedExactly) {
  for (const auto* name : {"Red", "red ", "re", "", "redgreen"}) {
    EXPECT_EQ(find_choice<Colour>(name), std::nullopt) << name;
    EXPECT_THROW((void)choice_from<Colour>(name, "p"), BadInput) << name;
  }
}

TEST(Choice, NothingNearMeansNoSuggestion) {
  EXPECT_THAT(message_of([] { return choice_from<Colour>("ultramarine", "wall.colour"); }),
              testing::EndsWith("(known are red, green). Use one of them."));
}

TEST(Choice, RowsKeepTheirSummaries) {
  const auto rows = named_choices<Colour>();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].summary, "as blood");
  EXPECT_EQ(rows[1].summary, "");
  EXPECT_EQ(named_choices_or_none<Colour>()[1].summary, "as blood");
}

TEST(Choice, NoneIsAcceptedOnlyWhereTheTableHasIt) {
  EXPECT_NO_THROW(expect_choice(named_choices_or_none<Colour>(), "", "p"));
  EXPECT_THROW(expect_choice(named_choices<Colour>(), "", "p"), BadInput);
}

TEST(Choice, ValuesAreStreamedByTheirNames) {
  EXPECT_EQ(cat(Colour::green, "/", Colour::red), "green/red");
  EXPECT_EQ(to_string(std::optional(Colour::red)), "red");
}

TEST(Choice, TextsRoundTripThroughEveryValue) {
  for (const auto& row : named_choices<Colour>())
    EXPECT_EQ(to_string(choice_from<Colour>(row.name, "p")), row.name);
}

}  // namespace
}  // namespace scalestudy
