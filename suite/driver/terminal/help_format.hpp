#pragma once
/// Help as CLI11 writes it, with lines that fit on a terminal.

#include <string>

#include <CLI/CLI.hpp>

namespace scalestudy {

class HelpFormat final : public CLI::Formatter {
 public:
  HelpFormat();
  std::string make_help(const CLI::App* app,
                        std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace scalestudy
