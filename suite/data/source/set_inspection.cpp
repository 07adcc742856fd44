#include "data/source/set_inspection.hpp"

#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"

#include "data/fit.hpp"
#include "data/fixed_marks.hpp"
#include "data/foreground_notes.hpp"
#include "data/mask_survey.hpp"
#include "data/pack/pack_set.hpp"
#include "data/partner_note.hpp"
#include "data/sample_problems.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

/// What counts of one sample.
struct SampleFacts {
  std::int64_t height_px = 0;
  std::int64_t width_px = 0;
  std::int64_t channels = 0;
  std::int64_t bit_depth = 0;
  std::uint64_t content_hash = 0;
  double foreground_frac = -1;  ///< without mask: negative
};

std::int64_t bit_depth_of(SampleType type) {
  return type == SampleType::uint8 ? 8 : 16;
}

/// `masks`: of a set that has some.
SampleFacts facts_by_reading(const ImageSet& set,
                             std::size_t index,
                             PictureCounter& pictures,
                             std::optional<MaskSurvey>& masks) {
  const auto image = set.read_image(index);
  pictures.add(image, set.samples()[index].id);
  if (masks) {
    const auto mask = set.read_mask(index);
    require_own_mask(image, mask, set, index);
    masks->add(index, mask);
  }
  return {image.height_px, image.width_px, image.channels, bit_depth_of(image.type),
          picture_hash(image)};
}

SampleFacts facts_from_tables(const PackSet& set, std::size_t index) {
  const auto& image = set.images()[index];
  SampleFacts facts{image.height_px, image.width_px, image.channels, bit_depth_of(image.type),
                    image.content_hash};
  if (!set.masks().empty()) {
    const auto& mask = set.masks()[index];
    facts.foreground_frac = static_cast<double>(mask.foreground_count) /
                            static_cast<double>(mask.height_px * mask.width_px);
  }
  return facts;
}

template <class FactsOf>
std::vector<SampleFacts> gather(const fs::path& source,
                                const ImageSet& set,
                                const WorkProgress& progress,
                                FactsOf facts_of) {
  const auto count = set.samples().size();
  std::vector<SampleFacts> facts;
  SampleProblems problems;
  for (std::size_t i = 0; i < count; ++i) {
    try {
      facts.push_back(facts_of(i));
    } catch (const BadInput& problem) {
      problems.add(problem.what());
    }
    progress("read", static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(count));
  }
  problems.require_none(cat("'", source.string(), "'"), count, "training would stop there");
  return facts;
}

template <class Value>
Spread spread_of(const std::vector<SampleFacts>& facts, Value value) {
  std::vector<double> values;
  for (const auto& fact : facts) values.push_back(static_cast<double>(value(fact)));
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {*least, median(values), *most};
}

std::vector<ClassCount> count_classes(const ImageSet& set) {
  std::vector<ClassCount> counts;
  const auto& samples = set.samples();
  for (const std::string split : {"train", "valid", "test"}) {
    const auto in_split = [&](const SampleEntry& sample) { return sample.split == split; };
    if (std::none_of(samples.begin(), samples.end(), in_split)) continue;
    for (std::size_t label = 0; label < set.class_names().size(); ++label) {
      counts.push_back({split, set.class_names()[label],
                        std::count_if(samples.begin(), samples.end(), [&](const auto& sample) {
                          return in_split(sample) &&
                                 sample.label == static_cast<std::int64_t>(label);
                        })});
    }
  }
  return counts;
}

void find_equal_pictures(const ImageSet& set,
                         const std::vector<SampleFacts>& facts,
                         SetInspection& found) {
  constexpr std::array<std::string_view, 4> splits{"", "train", "valid", "test"};
  std::array<std::vector<ContentId>, splits.size()> groups;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const auto& sample = set.samples()[i];
    const auto* const split = std::find(splits.begin(), splits.end(), sample.split);
    groups.at(static_cast<std::size_t>(split - splits.begin()))
        .push_back({sample.id, facts[i].content_hash});
  }
  const auto append = [](std::vector<EqualContent>& all, const std::vector<EqualContent>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  for (std::size_t i = 0; i < groups.size(); ++i) {
    append(found.duplicates_within, find_duplicates(groups[i]));
    for (std::size_t j = i + 1; j < groups.size(); ++j)
      append(found.duplicates_between, find_overlap(groups[i], groups[j]));
  }
  if (set.class_names().empty()) return;
  append(found.in_two_classes, in_two_classes(found.duplicates_within));
  append(found.in_two_classes, in_two_classes(found.duplicates_between));
}

SetInspection summarised(const ImageSet& set, const std::vector<SampleFacts>& facts) {
  SetInspection found;
  found.sample_count = std::ssize(facts);
  found.class_names = set.class_names();
  found.class_counts = count_classes(set);
  found.height_px = spread_of(facts, [](const auto& fact) { return fact.height_px; });
  found.width_px = spread_of(facts, [](const auto& fact) { return fact.width_px; });
  for (const auto& fact : facts) {
    ++found.channels_count[fact.channels];
    ++found.bit_depth_count[fact.bit_depth];
    if (fact.foreground_frac == 0) ++found.empty_mask_count;
  }
  if (facts.front().foreground_frac >= 0)
    found.foreground_frac = spread_of(facts, [](const auto& fact) { return fact.foreground_frac; });
  find_equal_pictures(set, facts, found);
  return found;
}

void read_masks(const fs::path& source, MaskSurvey& masks, std::vector<SampleFacts>& facts) {
  masks.find_reading();
  SampleProblems problems;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    try {
      masks.require_credible(i);
    } catch (const BadInput& problem) {
      problems.add(problem.what());
    }
    facts[i].foreground_frac = masks.foreground_frac(i);
  }
  problems.require_none(cat("'", source.string(), "'"), facts.size(), "training would stop there");
}

std::vector<std::string> notes_of_masks(const PackSet& set, const std::vector<SampleFacts>& facts) {
  std::vector<double> foreground;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    foreground.push_back(facts[i].foreground_frac);
    names.push_back(set.samples()[i].id);
  }
  return {foreground_note(foreground, names),
          repeated_mask_note(
              foreground, names, [&](auto i) { return set.masks()[i].content_hash; },
              [&](auto i) { return facts[i].content_hash; }),
          partner_note(set, {}), fixed_marks_note(set, {})};
}

SetInspection inspect_pack(const fs::path& source, Verify verify, const WorkProgress& progress) {
  const PackSet set(source);
  const auto facts = gather(source, set, progress, [&](std::size_t i) {
    if (verify == Verify::yes) set.verify(i);
    return facts_from_tables(set, i);
  });
  auto found = summarised(set, facts);
  found.notes = set.notes();
  found.notes.push_back(range_note(set));
  if (!set.masks().empty())
    for (auto& note : notes_of_masks(set, facts)) found.notes.push_back(std::move(note));
  std::erase(found.notes, "");
  found.pack = set.description();
  found.kind = set.description().kind;
  found.pack_file_bytes = fs::file_size(source);
  found.verified = verify == Verify::yes;
  return found;
}

void require_masks_to_cut(const fs::path& source,
                          PackKind kind,
                          std::optional<double> mask_threshold_frac) {
  if (!mask_threshold_frac || (kind == PackKind::image_mask && !is_pack(source))) return;
  throw BadInput({"--mask-threshold has no effect",
                  cat("'", source.string(), "' has no masks that are still to be cut"),
                  "Leave it out"});
}

}  // namespace

SetInspection inspect_set(const fs::path& source,
                          PackKind kind,
                          Verify verify,
                          const WorkProgress& progress,
                          std::optional<double> mask_threshold_frac) {
  require_masks_to_cut(source, kind, mask_threshold_frac);
  if (is_pack(source)) return inspect_pack(source, verify, progress);
  if (verify == Verify::yes)
    throw BadInput({cat("'", source.string(), "' has no checksums to verify"),
                    "only packs hold them", "Leave --verify out; pictures are decoded anyway"});
  const auto set = open_set(source, kind);
  std::optional<MaskSurvey> masks;
  if (kind == PackKind::image_mask) masks.emplace(*set, mask_threshold_frac);
  PictureCounter pictures;
  auto facts = gather(source, *set, progress,
                      [&](std::size_t i) { return facts_by_reading(*set, i, pictures, masks); });
  if (masks) read_masks(source, *masks, facts);
  auto found = summarised(*set, facts);
  found.counts = pictures.counts();
  found.notes = set->notes();
  const auto add = [&](const std::vector<std::string>& notes) {
    found.notes.insert(found.notes.end(), notes.begin(), notes.end());
  };
  add(picture_notes(found.counts));
  add({pictures.range_note(masks.has_value())});
  if (masks) {
    found.mask_reading = masks->reading();
    found.mask_words = masks->words();
    add(masks->notes());
  }
  std::erase(found.notes, "");
  found.passed_over = set->passed_over();
  found.kind = kind;
  return found;
}

}  // namespace scalestudy
