#pragma once
/// Tables of the documents that are made from the code.

#include <cstdlib>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/support/places.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy::test {

/// Expects that the first table after `heading` in the document, given from the top folder, has
/// exactly these rows below its heading row and rule. Where the variable SCALESTUDY_WRITE_TABLES is
/// set it writes them instead.
inline void expect_documented(const std::string& document,
                              std::string_view heading,
                              const std::string& rows) {
  const auto path = in_sources(document);
  auto text = content_of(path);
  const auto place = text.find("\n" + std::string(heading));
  ASSERT_NE(place, std::string::npos) << document << " has no heading " << heading;
  const auto rule = text.find("\n|---", place);
  ASSERT_NE(rule, std::string::npos) << "no table under " << heading;
  const auto begin = text.find('\n', rule + 1) + 1;
  auto end = begin;
  while (text.compare(end, 1, "|") == 0) end = text.find('\n', end) + 1;
  if (std::getenv("SCALESTUDY_WRITE_TABLES") == nullptr) {
    EXPECT_EQ(text.substr(begin, end - begin), rows) << document << ", " << heading;
    return;
  }
  text.replace(begin, end - begin, rows);
  write_text(path, text);
}

}  // namespace scalestudy::test
