#include "data/foreground_notes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/error.hpp"
#include "core/text.hpp"

#include "data/image_set.hpp"

namespace scalestudy {

std::string foreground_note(const std::vector<double>& foreground_frac,
                            const std::vector<std::string>& names) {
  const auto [least, most] = std::ranges::minmax(foreground_frac);
  if (most == 0) return "All masks are empty: there is no foreground to learn.";
  if (least == 1)
    return "All masks are foreground all over: there is no background (as a rule number 0) to "
           "learn.";
  if (least > 0.5)
    return cat("Every mask is foreground in over half of its pixels (", std::floor(100 * least),
               " % at least): look whether foreground and background are exchanged.");
  std::vector<std::string> full, others;
  for (std::size_t i = 0; i < names.size(); ++i)
    (foreground_frac[i] > 0.5 ? full : others).push_back(names[i]);
  double least_full = 1, most_other = 0;
  for (const double frac : foreground_frac)
    frac > 0.5 ? least_full = std::min(least_full, frac) : most_other = std::max(most_other, frac);
  constexpr double least_gap = 0.1;
  if (full.empty() || least_full - most_other < least_gap) return "";
  return cat(full.size(), " of ", counted(names.size(), "mask"), full.size() == 1 ? " is" : " are",
             " over half foreground, the others are not. Look whether foreground and background "
             "are exchanged in ",
             first_few(full.size() <= others.size() ? full : others), '.');
}

std::string repeated_mask_note(const std::vector<double>& foreground_frac,
                               const std::vector<std::string>& names,
                               const HashOfSample& mask_hash,
                               const HashOfSample& picture_hash) {
  std::map<std::uint64_t, std::vector<std::size_t>> samples_of;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (foreground_frac[i] > 0 && foreground_frac[i] < 1) samples_of[mask_hash(i)].push_back(i);
  std::vector<std::string> repeated;
  for (const auto& [hash, samples] : samples_of) {
    std::set<std::uint64_t> pictures;
    for (std::size_t i = 0; samples.size() > 1 && i < samples.size(); ++i)
      pictures.insert(picture_hash(samples[i]));
    for (std::size_t i = 0; pictures.size() > 1 && i < samples.size(); ++i)
      repeated.push_back(names[samples[i]]);
  }
  if (repeated.empty()) return "";
  std::ranges::sort(repeated);
  return cat(repeated.size(), " of ", counted(names.size(), "mask"),
             " equal another one, and their pictures differ: ", first_few(repeated),
             ". Look whether a mask was copied to other pictures.");
}

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
  throw BadInput({cat("Resizing to ", size_text(),
                      " removes the foreground of every mask that has some (", count_, ")"),
                  "there is no foreground to learn", "Choose a larger size"});
}

}  // namespace scalestudy
