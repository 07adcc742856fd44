#pragma once
/// Letters and digits of names, whatever the locale.

namespace scalestudy {

[[nodiscard]] constexpr bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

[[nodiscard]] constexpr bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

}  // namespace scalestudy
