#include <map>
#include <mutex>

#include "core/error.hpp"

#include "data/image_set.hpp"
#include "data/shared_pictures.hpp"

namespace scalestudy {
namespace {

class DecodeCache final : public ImageSet {
 public:
  DecodeCache(std::unique_ptr<ImageSet> set, std::int64_t limit_bytes)
      : set_(std::move(set)), free_bytes_(limit_bytes) {}

  [[nodiscard]] const std::vector<SampleEntry>& samples() const override { return set_->samples(); }
  [[nodiscard]] const std::vector<std::string>& class_names() const override {
    return set_->class_names();
  }
  [[nodiscard]] Image read_image(std::size_t sample) const override {
    return kept_or_read(images_, sample, [&] { return set_->read_image(sample); });
  }
  [[nodiscard]] Image read_mask(std::size_t sample) const override {
    return kept_or_read(masks_, sample, [&] { return set_->read_mask(sample); });
  }
  [[nodiscard]] std::string mask_name(std::size_t sample) const override {
    return set_->mask_name(sample);
  }
  [[nodiscard]] std::vector<std::string> passed_over() const override {
    return set_->passed_over();
  }
  [[nodiscard]] std::vector<std::string> notes() const override { return set_->notes(); }
  [[nodiscard]] bool has_binary_masks() const override { return set_->has_binary_masks(); }

 private:
  using Kept = std::map<std::size_t, std::shared_ptr<const Image>>;

  template <class Read>
  Image kept_or_read(Kept& kept, std::size_t sample, Read read) const {
    if (const auto image = find(kept, sample)) return *image;
    Image image = read();
    keep(kept, sample, image);
    return image;
  }

  std::shared_ptr<const Image> find(const Kept& kept, std::size_t sample) const {
    const std::lock_guard lock(mutex_);
    const auto found = kept.find(sample);
    return found == kept.end() ? nullptr : found->second;
  }

  /// Two threads may have read the same sample at the same time; the first one's copy stays.
  void keep(Kept& kept, std::size_t sample, const Image& image) const {
    const std::lock_guard lock(mutex_);
    const auto size_bytes = std::ssize(image.bytes);
    if (size_bytes > free_bytes_ || kept.contains(sample)) return;
    kept.emplace(sample, std::make_shared<const Image>(image));
    free_bytes_ -= size_bytes;
  }

  std::unique_ptr<ImageSet> set_;
  mutable std::mutex mutex_;
  mutable std::int64_t free_bytes_;
  mutable Kept images_;
  mutable Kept masks_;
};

class SharedDecodeCache final : public ImageSet {
 public:
  SharedDecodeCache(std::unique_ptr<ImageSet> set,
                    std::unique_ptr<SharedPictures> shared,
                    const Workers& workers)
      : set_(std::move(set)), shared_(std::move(shared)) {
    shared_->decode_together(workers, [&](std::size_t sample) { return decoded(sample); });
  }

  [[nodiscard]] const std::vector<SampleEntry>& samples() const override { return set_->samples(); }
  [[nodiscard]] const std::vector<std::string>& class_names() const override {
    return set_->class_names();
  }
  [[nodiscard]] Image read_image(std::size_t sample) const override {
    return std::move(shared_->get(sample, [&] { return decoded(sample); }).front());
  }
  [[nodiscard]] Image read_mask(std::size_t sample) const override {
    return set_->read_mask(sample);
  }

 private:
  [[nodiscard]] Pictures decoded(std::size_t sample) const { return {set_->read_image(sample)}; }

  std::unique_ptr<ImageSet> set_;
  std::unique_ptr<SharedPictures> shared_;
};

}  // namespace

std::unique_ptr<ImageSet> with_decode_cache(std::unique_ptr<ImageSet> set,
                                            std::int64_t limit_bytes) {
  SCALESTUDY_EXPECT(set != nullptr && limit_bytes >= 0);
  return std::make_unique<DecodeCache>(std::move(set), limit_bytes);
}

std::unique_ptr<ImageSet> with_shared_cache(std::unique_ptr<ImageSet> set,
                                            std::unique_ptr<SharedPictures> shared,
                                            const Workers& workers) {
  SCALESTUDY_EXPECT(set != nullptr && shared != nullptr);
  return std::make_unique<SharedDecodeCache>(std::move(set), std::move(shared), workers);
}

}  // namespace scalestudy
