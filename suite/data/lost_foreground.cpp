#include "data/lost_foreground.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/image_set.hpp"

namespace scalestudy {

void LostForeground::add(const std::string& mask_name, bool is_left) {
  ++count_;
  if (!is_left) lost_.push_back(mask_name);
}

std::string LostForeground::size_text() const {
  return cat(size_.height_px, " x ", size_.width_px, " px");
}

std::string LostForeground::note() const {
  if (lost_.empty()) return "";
  return cat(lost_.size(), " of ", counted(count_, "mask"), " with foreground ",
             lost_.size() == 1 ? "has" : "have", " none left when resized to ", size_text(), ": ",
             first_few(lost_), ".");
}

void LostForeground::require_some_left() const {
  if (count_ == 0 || std::ssize(lost_) < count_) return;
  throw BadInput(
      {cat("Resizing to ", size_text(), " removes the foreground of all ", counted(count_, "mask")),
       "there is no foreground to learn", "Choose a larger size"});
}

}  // namespace scalestudy
