#include "driver/terminal/visible_text.hpp"

#include "core/visible.hpp"

namespace scalestudy {

VisibleText::~VisibleText() {
  sync();
}

bool VisibleText::put(std::string_view text) {
  const auto size = static_cast<std::streamsize>(text.size());
  return target_.sputn(text.data(), size) == size;
}

VisibleText::int_type VisibleText::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof()))
    return traits_type::not_eof(character);
  const char one = traits_type::to_char_type(character);
  return xsputn(&one, 1) == 1 ? character : traits_type::eof();
}

std::streamsize VisibleText::xsputn(const char* text, std::streamsize size) {
  const std::string all = begun_ + std::string(text, static_cast<std::size_t>(size));
  begun_.clear();
  std::string shown;
  for (std::string_view rest = all; !rest.empty();) {
    if (is_begun_character(rest)) {
      begun_ = rest;
      break;
    }
    shown += take_visible(rest);
  }
  return put(shown) ? size : 0;
}

int VisibleText::sync() {
  std::string shown;
  for (std::string_view rest = begun_; !rest.empty();) shown += take_visible(rest);
  begun_.clear();
  return put(shown) && target_.pubsync() == 0 ? 0 : -1;
}

std::ostream& operator<<(std::ostream& out, TerminalControl control) {
  auto* const filter = dynamic_cast<VisibleText*>(out.rdbuf());
  if (filter == nullptr) return out << control.sequence;
  if (!filter->put(control.sequence)) out.setstate(std::ios::badbit);
  return out;
}

}  // namespace scalestudy
