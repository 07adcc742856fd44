#include <atomic>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "data/image_set.hpp"
#include "data/shared_pictures.hpp"

#include "tests/data/refusal.hpp"
#include "tests/support/picture_files.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t image_bytes = 6 * 7 * 3;
constexpr std::int64_t mask_bytes = 6 * 7;

/// Counts what is read through it; sample 3 cannot be read.
class CountingSet final : public ImageSet {
 public:
  explicit CountingSet(std::atomic<int>& reads) : reads_(reads), samples_(10) {}
  [[nodiscard]] const std::vector<SampleEntry>& samples() const override { return samples_; }
  [[nodiscard]] const std::vector<std::string>& class_names() const override { return names_; }
  [[nodiscard]] Image read_image(std::size_t sample) const override {
    ++reads_;
    if (sample == 3) throw BadInput({"'3.png' is damaged", "", ""});
    return of_sample(sample, 3);
  }
  [[nodiscard]] Image read_mask(std::size_t sample) const override {
    ++reads_;
    return of_sample(sample, 1);
  }
  [[nodiscard]] std::string mask_name(std::size_t) const override { return "masks/1.png"; }
  [[nodiscard]] std::vector<std::string> passed_over() const override { return {"a.txt"}; }
  [[nodiscard]] std::vector<std::string> notes() const override { return {"Said."}; }
  [[nodiscard]] bool has_binary_masks() const override { return true; }
  static Image of_sample(std::size_t sample, std::int64_t channels) {
    auto image = test::pattern(6, 7, channels);
    image.bytes[0] = static_cast<std::byte>(sample);
    return image;
  }

 private:
  std::atomic<int>& reads_;
  std::vector<SampleEntry> samples_;
  std::vector<std::string> names_{"cell"};
};

class DecodeCache : public ::testing::Test {
 protected:
  std::unique_ptr<ImageSet> cached(std::int64_t limit_bytes) {
    return with_decode_cache(std::make_unique<CountingSet>(reads_), limit_bytes);
  }
  std::atomic<int> reads_{0};
};

TEST_F(DecodeCache, SaysWhatTheSetSays) {
  const auto set = cached(1 << 20);
  EXPECT_EQ(set->mask_name(1), "masks/1.png");
  EXPECT_EQ(set->passed_over(), std::vector<std::string>{"a.txt"});
  EXPECT_EQ(set->notes(), std::vector<std::string>{"Said."});
  EXPECT_TRUE(set->has_binary_masks());
}

TEST_F(DecodeCache, ReadsEachPictureOnceAndGivesItUnchanged) {
  const auto set = cached(1 << 20);
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (const std::size_t sample : {0U, 1U, 9U}) {
      EXPECT_TRUE(set->read_image(sample) == CountingSet::of_sample(sample, 3));
      EXPECT_TRUE(set->read_mask(sample) == CountingSet::of_sample(sample, 1));
    }
  }
  EXPECT_EQ(reads_, 6);
  EXPECT_EQ(set->samples().size(), 10U);
  EXPECT_EQ(set->class_names(), std::vector<std::string>{"cell"});
}

TEST_F(DecodeCache, ReadsAgainWhatDoesNotFit) {
  const auto set = cached(2 * image_bytes + mask_bytes);
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (std::size_t sample = 0; sample < 3; ++sample)
      EXPECT_TRUE(set->read_image(sample) == CountingSet::of_sample(sample, 3));
    (void)set->read_mask(0);  // small enough for what is left
  }
  EXPECT_EQ(reads_, 4 + 1);
}

TEST_F(DecodeCache, KeepsNothingWithoutRoom) {
  const auto set = cached(0);
  (void)set->read_image(0);
  (void)set->read_image(0);
  EXPECT_EQ(reads_, 2);
}

TEST_F(DecodeCache, AFailureIsReportedEachTime) {
  const auto set = cached(1 << 20);
  for (int i = 0; i < 2; ++i)
    test::expect_refused([&] { (void)set->read_image(3); }, {"'3.png' is damaged"});
  EXPECT_EQ(reads_, 2);
}

TEST_F(DecodeCache, ThreadsShareIt) {
  const auto set = cached(7 * image_bytes);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 500; ++i) {
        const auto sample = (i * (t + 1)) % 10;
        if (sample == 3) continue;
        if (!(set->read_image(sample) == CountingSet::of_sample(sample, 3))) ++wrong;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  const int before = reads_;
  for (std::size_t sample = 0; sample < 10; ++sample)
    if (sample != 3) (void)set->read_image(sample);
  EXPECT_EQ(reads_ - before, 2);  // nine pictures, room for seven
}

TEST_F(DecodeCache, RanksOfAHostReadEachPictureOnceAllTogether) {
  const std::size_t count = 3;  // those before the one that cannot be read
  class Beginning final : public ImageSet {
   public:
    explicit Beginning(std::atomic<int>& reads) : set_(reads), samples_(count) {}
    [[nodiscard]] const std::vector<SampleEntry>& samples() const override { return samples_; }
    [[nodiscard]] const std::vector<std::string>& class_names() const override {
      return set_.class_names();
    }
    [[nodiscard]] Image read_image(std::size_t i) const override { return set_.read_image(i); }
    [[nodiscard]] Image read_mask(std::size_t i) const override { return set_.read_mask(i); }

   private:
    CountingSet set_;
    std::vector<SampleEntry> samples_;
  };
  const auto memory = SharedPictures::make(count, 1 << 20);
  for (int rank = 0; rank < 2; ++rank) {
    auto shared = std::make_unique<SharedPictures>(Descriptor(::dup(memory.get())), count);
    const auto set = with_shared_cache(std::make_unique<Beginning>(reads_), std::move(shared), {2});
    EXPECT_EQ(reads_, 3);
    for (std::size_t sample = 0; sample < count; ++sample)
      EXPECT_TRUE(set->read_image(sample) == CountingSet::of_sample(sample, 3));
    EXPECT_EQ(set->class_names(), std::vector<std::string>{"cell"});
  }
  EXPECT_EQ(reads_, 3);
}

}  // namespace
}  // namespace scalestudy
