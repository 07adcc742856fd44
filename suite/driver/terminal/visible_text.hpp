#pragma once
/// What texts from files, names and other programs hold that a terminal would obey is made visible
/// on the way to it.

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace scalestudy {

/// Passes text on through visible() of core/visible.hpp; a JSON document keeps its meaning by it.
class VisibleText final : public std::streambuf {
 public:
  explicit VisibleText(std::streambuf& target) : target_(target) {}
  ~VisibleText() override;
  VisibleText(const VisibleText&) = delete;
  VisibleText& operator=(const VisibleText&) = delete;

  /// As it is: our own sequences.
  bool put(std::string_view text);

 protected:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  std::streambuf& target_;
  std::string begun_;  ///< the first bytes of a character whose rest has not come yet
};

/// A sequence that the terminal is to obey: out << terminal_control("\033[0m").
struct TerminalControl {
  std::string_view sequence;
};
[[nodiscard]] constexpr TerminalControl terminal_control(std::string_view sequence) {
  return {sequence};
}
std::ostream& operator<<(std::ostream& out, TerminalControl control);

inline constexpr auto clear_line = terminal_control("\r\033[K");

}  // namespace scalestudy
