#include "engine/gradient_buckets.hpp"

#include "core/error.hpp"

namespace scalestudy {

std::vector<Bucket> plan_buckets(std::span<const std::int64_t> element_counts,
                                 std::int64_t element_bytes,
                                 const BucketLimits& limits) {
  SCALESTUDY_EXPECT(limits.first.value() > 0 && limits.cap.value() > 0);
  std::vector<Bucket> buckets;
  std::int64_t offset = 0;
  bool open = false;
  for (std::size_t parameter = 0; parameter < element_counts.size(); ++parameter) {
    if (!open) buckets.push_back({{}, ElementCount(offset), ElementCount(0)});
    auto& bucket = buckets.back();
    bucket.parameters.push_back(parameter);
    bucket.count = ElementCount(bucket.count.value() + element_counts[parameter]);
    offset += element_counts[parameter];
    const auto limit = buckets.size() == 1 ? limits.first : limits.cap;
    open = bucket.count.value() * element_bytes < limit.value();
  }
  return buckets;
}

}  // namespace scalestudy
