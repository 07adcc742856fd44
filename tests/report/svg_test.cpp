#include <gtest/gtest.h>

#include "analysis/report/plot/gnuplot.hpp"

namespace scalestudy {
namespace {

TEST(InlineSvg, IdsAreUniqueAndColoursFollowThePage) {
  const std::string svg =
      "<?xml version=\"1.0\"?>\n<svg viewBox=\"0 0 1 1\">\n<title>Gnuplot</title>\n"
      "<desc>Produced</desc><rect fill=\"#ffffff\"/><circle id='gpDot'/>"
      "<use xlink:href='#gpDot' stroke='rgb( 27,  31,  36)' fill='rgb(0,114,178)'/>"
      "<path stroke='rgb(1,2,3)'/></svg>";
  const std::string inlined = inline_svg(svg, "fig1-", "A \"label\"");
  EXPECT_TRUE(inlined.starts_with("<svg role=\"img\" aria-label=\"A &quot;label&quot;\""));
  EXPECT_NE(inlined.find("id='fig1-gpDot'"), std::string::npos);
  EXPECT_NE(inlined.find("href='#fig1-gpDot'"), std::string::npos);
  EXPECT_NE(inlined.find("stroke='var(--ink)'"), std::string::npos);
  EXPECT_NE(inlined.find("fill='var(--c1)'"), std::string::npos);
  EXPECT_NE(inlined.find("stroke='#010203'"), std::string::npos);
  EXPECT_EQ(inlined.find("#ffffff"), std::string::npos);
  EXPECT_EQ(inlined.find("title"), std::string::npos);
}

TEST(InlineSvg, WhatIsNoSvgGivesNothing) {
  EXPECT_EQ(inline_svg("error", "a", "b"), "");
}

TEST(Gnuplot, TextCannotLeaveItsLiteral) {
  EXPECT_EQ(gnuplot_quoted("it's `id`\n$x"), "'it''s `id` $x'");
}

}  // namespace
}  // namespace scalestudy
