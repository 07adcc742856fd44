#include "data/stack_choice.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file,
                         const std::string& problem,
                         const std::string& suggestion) {
  throw BadInput(
      {cat("'", file.string(), "' ", problem), "it cannot be used as a volume", suggestion});
}

/// Where `number` is none of 1 to `count`.
void choose(std::int64_t StackChoice::*number,
            std::int64_t count,
            StackChoice& choice,
            const StackAxes& axes,
            const fs::path& file) {
  const bool is_time = number == &StackChoice::time;
  const auto* const setting = is_time ? "time" : "channel";
  const auto stacks = counted(count, is_time ? "time point" : "channel");
  if (choice.*number > count)
    refuse(file, cat("has ", stacks, ", and data.", setting, " is ", choice.*number),
           "Give one that it has");
  if (choice.*number < 1 && count > 1) {
    const bool may_be_slices = axes.slices == 1 && (is_time || axes.times == 1);
    throw StackChoiceNeeded(
        {cat("'", file.string(), "' has ", stacks,
             is_time ? cat(" of ", counted(axes.slices, "slice")) : listed_channels(axes),
             " by its ", axes.origin),
         "training takes one stack of slices",
         cat("Set data.", setting, " (--", setting, ") to one of them, from 1",
             may_be_slices
                 ? ", or data.frames_are_slices (--frames-are-slices) where they are slices"
                 : "")},
        number, count, may_be_slices);
  }
  choice.*number = std::max<std::int64_t>(choice.*number, 1);
}

}  // namespace

void require_all_planes(const StackAxes& axes, std::int64_t planes, const fs::path& file) {
  const auto by = cat(" by its ", axes.origin);
  if (axes.images > 1)
    refuse(file, cat("has ", axes.images, " images", by), "Save each as a stack of its own");
  if (axes.files.size() > 1)
    refuse(file, cat("is one of ", axes.files.size(), " files that hold the stack", by),
           "Save the stack as one file");
  const bool may_be_split = axes.origin == scan_image_origin;
  const auto* const join_files =
      "Join the files of one acquisition, e.g. with Fiji (Concatenate, Stack to Hyperstack), or "
      "export the stack as a file of its own";
  if (!axes.problem.empty())
    refuse(file, cat(axes.problem, by),
           may_be_split ? join_files
           : axes.origin == image_j_label_origin
               ? "Export the stack as a file of its own, or remove the labels where every page is "
                 "a slice (ImageJ: Image > Stacks > Tools > Remove Slice Labels)"
               : "Export the stack as a file of its own");
  if (axes.planes + axes.flyback_pages != planes)
    refuse(file,
           cat("has ", counted(planes, "page"), ", and ", axes.planes + axes.flyback_pages, by),
           may_be_split ? join_files
           : axes.planes < planes
               ? "Some pages are no slices, or that is old; export the stack as a file of its own"
               : "Pages are in other files, lost or not listed; export the stack as one file");
}

StackChoice chosen_stack(StackChoice choice, StackAxes& axes, const fs::path& file) {
  if (choice.frames_are_slices) {
    if ((axes.times == 1 && axes.channels == 1) || axes.slices > 1)
      refuse(
          file,
          cat("has ", counted(axes.channels, "channel"), " and ", counted(axes.times, "time point"),
              " of ", counted(axes.slices, "slice"), ": its frames are no slices"),
          "Leave data.frames_are_slices out");
    axes = with_frames_as_slices(axes);
  }
  choose(&StackChoice::channel, axes.channels, choice, axes, file);
  choose(&StackChoice::time, axes.times, choice, axes, file);
  return choice;
}

std::string words_of(const StackChoice& choice) {
  std::vector<std::string> words;
  if (choice.channel > 0) words.push_back(cat("channel ", choice.channel));
  if (choice.time > 0) words.push_back(cat("time point ", choice.time));
  if (choice.frames_are_slices) words.emplace_back("frames as slices");
  return join(words, ", ");
}

}  // namespace scalestudy
