#pragma once
/// The same picture twice, under whatever name: within a group, or in training and evaluation.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/parallel.hpp"

#include "data/image_set.hpp"

namespace scalestudy {

struct ContentId {
  std::string id;
  std::uint64_t content_hash = 0;
};

/// Ids of two samples whose pictures are equal.
struct EqualContent {
  std::string first;
  std::string second;
  bool operator==(const EqualContent&) const = default;
};

/// Equal for equal pictures, grey ones in one channel or three.
[[nodiscard]] std::uint64_t picture_hash(const Image& picture);

/// Decodes every picture of `samples` (indices into the set).
/// Errors: as ImageSet::read_image.
[[nodiscard]] std::vector<ContentId> content_ids(const ImageSet& set,
                                                 std::span<const std::int64_t> samples,
                                                 const Workers& workers);

/// Each member that equals an earlier one, with the first that it equals; in the group's order.
[[nodiscard]] std::vector<EqualContent> find_duplicates(std::span<const ContentId> group);

/// Each member of `second` that equals one of `first`, with the first that it equals; in the order
/// of `second`.
[[nodiscard]] std::vector<EqualContent> find_overlap(std::span<const ContentId> first,
                                                     std::span<const ContentId> second);

/// Those whose ids, "train/RBC/x.jpg", name two classes: one of them is wrong.
[[nodiscard]] std::vector<EqualContent> in_two_classes(const std::vector<EqualContent>& pairs);

}  // namespace scalestudy
