#include "data/scan_image_axes.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/text.hpp"

#include "data/stack_planes.hpp"

namespace scalestudy {
namespace {

/// How a generation of ScanImage calls what it says.
struct ScanImageNames {
  std::string_view channels;  ///< a list of those that are saved, or how many
  std::string_view slices;
  std::string_view frames;    ///< of a slice
  std::string_view averaged;  ///< frames, to each that is saved
  std::string_view is_fast;   ///< a volume is scanned without a stop
  std::string_view has_flyback;
  std::string_view flyback;  ///< frames behind each fast volume
  bool counts_channels = false;
  bool fast_slices_have_frames = false;  ///< else `frames` are then those of all volumes
};

constexpr std::array scan_image_names{
    ScanImageNames{"SI.hChannels.channelSave", "SI.hStackManager.numSlices",
                   "SI.hStackManager.framesPerSlice", "SI.hScan2D.logAverageFactor",
                   "SI.hFastZ.enable", "SI.hFastZ.discardFlybackFrames",
                   "SI.hFastZ.numDiscardFlybackFrames", false, true},
    ScanImageNames{"SI5.channelsSave", "SI5.stackNumSlices", "SI5.acqNumFrames",
                   "SI5.acqNumAveragedFrames", "SI5.fastZEnable", "SI5.fastZDiscardFlybackFrames",
                   "SI5.fastZNumDiscardFrames"},
    ScanImageNames{"SI4.channelsSave", "SI4.stackNumSlices", "SI4.acqNumFrames",
                   "SI4.acqNumAveragedFrames", "SI4.fastZEnable", "SI4.fastZDiscardFlybackFrames",
                   "SI4.fastZNumDiscardFrames"},
    ScanImageNames{"state.acq.numberOfChannelsSave", "state.acq.numberOfZSlices",
                   "state.acq.numberOfFrames", "state.acq.numAvgFramesSave", "", "", "", true}};

/// Lines "NAME = VALUE" or "NAME=VALUE"; some versions put "scanimage." before the name.
class ScanImageHeader {
 public:
  explicit ScanImageHeader(std::string_view text) : text_(text) {}

  [[nodiscard]] std::optional<std::string_view> value(std::string_view name) const {
    if (name.empty()) return {};
    for (auto at = text_.find(name); at != std::string_view::npos; at = text_.find(name, at + 1)) {
      if (at > 0 && std::string_view("\r\n.").find(text_[at - 1]) == std::string_view::npos)
        continue;
      auto rest = text_.substr(at + name.size());
      rest = rest.substr(0, rest.find_first_of("\r\n"));
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
      if (!rest.starts_with('=')) continue;
      rest.remove_prefix(1);
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
      return rest;
    }
    return {};
  }

  /// Nothing also where an empty list or infinity stands.
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view name) const {
    const auto text = value(name);
    if (!text) return {};
    if (text->starts_with("true")) return 1;
    if (text->starts_with("false")) return 0;
    return number_in(*text);
  }

  /// "[1;2]" or "[1 2]"; one stands alone: "3".
  [[nodiscard]] std::int64_t length(std::string_view name) const {
    std::int64_t count = 0;
    bool was_between = true;
    for (const char c : value(name).value_or("")) {
      const bool is_between = std::string_view("[]; ,").find(c) != std::string_view::npos;
      if (was_between && !is_between) ++count;
      was_between = is_between;
    }
    return count;
  }

 private:
  std::string_view text_;
};

/// The frames of one volume in the file, of each channel.
struct VolumeFrames {
  std::int64_t slices = 1;
  std::int64_t of_slice = 1;
  std::int64_t flyback = 0;
  std::string problem = {};
  [[nodiscard]] std::int64_t count() const { return slices * of_slice + flyback; }
};

std::int64_t flyback_frames(const ScanImageHeader& header, const ScanImageNames& names) {
  const auto without = header.number("SI.hStackManager.numFramesPerVolume");
  const auto with = header.number("SI.hStackManager.numFramesPerVolumeWithFlyback");
  if (with && without) return std::max<std::int64_t>(*with - *without, 0);
  const bool is_there = header.number(names.is_fast).value_or(1) != 0 &&
                        header.number(names.has_flyback).value_or(1) != 0;
  return is_there ? header.number(names.flyback).value_or(0) : 0;
}

VolumeFrames volume_frames(const ScanImageHeader& header,
                           const ScanImageNames& names,
                           std::int64_t frames_in_file) {
  // Without a stack the number of slices is an old one.
  const bool is_fast = header.number(names.is_fast).value_or(0) != 0;
  if (header.number("SI.hStackManager.enable") == 0 && !is_fast) return {};
  const auto actual = header.number("SI.hStackManager.actualNumSlices");
  const auto slices = actual ? actual : header.number(names.slices);
  if (!slices) return {.slices = std::max<std::int64_t>(frames_in_file, 1)};
  const bool is_endless = header.value(names.frames).value_or("").starts_with("Inf");
  if (*slices <= 1 || is_endless) return {};
  VolumeFrames volume{.slices = *slices};
  const bool has_frames = !is_fast || names.fast_slices_have_frames;
  const auto frames =
      has_frames ? std::max<std::int64_t>(header.number(names.frames).value_or(1), 1) : 1;
  const bool averages_all = header.number("state.acq.averaging").value_or(0) != 0;
  const auto averaged =
      std::max<std::int64_t>(header.number(names.averaged).value_or(averages_all ? frames : 1), 1);
  volume.of_slice = std::max<std::int64_t>(frames / averaged, 1);
  volume.flyback = flyback_frames(header, names);
  // The second file of a set begins where the first one is full.
  const auto frame_in_set = header.number("frameNumberAcquisition");
  const auto first = frame_in_set ? *frame_in_set : header.number("frameNumbers").value_or(1);
  if (averaged == 1 && first > 0 && (first - 1) % volume.count() != 0)
    volume.problem = cat("begins within a volume, with frame ", first, ",");
  if (frames % averaged != 0 || (averaged > 1 && volume.flyback > 0))
    volume.problem = cat("saves the mean of each ", averaged, " frames, of ", frames,
                         " of a slice and ", volume.flyback, " of the flyback,");
  return volume;
}

}  // namespace

std::optional<StackAxes> scan_image_axes(std::string_view text, std::int64_t pages) {
  const ScanImageHeader header(text);
  const auto* const names = std::ranges::find_if(
      scan_image_names, [&](const auto& one) { return header.value(one.channels).has_value(); });
  if (names == scan_image_names.end()) return {};
  StackAxes axes{.origin = scan_image_origin};
  axes.channels =
      std::max<std::int64_t>(names->counts_channels ? header.number(names->channels).value_or(1)
                                                    : header.length(names->channels),
                             1);
  // Where pages are missing it is said how many there should be.
  const auto frames = (pages + axes.channels - 1) / axes.channels;
  const auto volume = volume_frames(header, *names, frames);
  const auto volumes = (frames + volume.count() - 1) / volume.count();
  axes.problem = volume.problem;
  axes.slices = volume.slices;
  axes.times = volumes * volume.of_slice;
  if (!set_planes(axes)) axes.problem = cat("has more than ", most_planes, " planes");
  if (header.number("SI.hRoiManager.mroiEnable").value_or(0) != 0)
    axes.problem = "has the fields of several regions in each page (mroiEnable)";
  axes.flyback_pages = volumes * volume.flyback * axes.channels;
  if (!axes.problem.empty() || axes.planes + axes.flyback_pages != pages) return axes;
  std::vector<std::int64_t> pages_of_planes;
  for (std::int64_t time = 0; time < axes.times; ++time)
    for (std::int64_t slice = 0; slice < axes.slices; ++slice) {
      const auto frame = time / volume.of_slice * volume.count() + slice * volume.of_slice +
                         time % volume.of_slice;
      for (std::int64_t channel = 0; channel < axes.channels; ++channel)
        pages_of_planes.push_back(frame * axes.channels + channel);
    }
  set_page_of_plane(std::move(pages_of_planes), axes);
  return axes;
}

}  // namespace scalestudy
