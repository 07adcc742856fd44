#include "data/shared_pictures.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <limits>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/data/refusal.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/shared_value.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t sample_bytes = 40 * 30 * 3 + 40 * 30 * 2;

/// A colour picture and a deeper mask that no other sample has.
Pictures sample_of(std::size_t number) {
  Pictures pictures{test::pattern(40, 30, 3), blank_image(40, 30, 1, SampleType::uint16)};
  pictures[0].bytes[7] = static_cast<std::byte>(number);
  pictures[1].bytes[8] = static_cast<std::byte>(number);
  return pictures;
}

/// What `body` says of success.
pid_t in_process(const std::function<bool()>& body) {
  const pid_t process = ::fork();
  if (process == 0) ::_exit(body() ? 0 : 1);
  return process;
}

bool succeeded(pid_t process) {
  int status = 0;
  return ::waitpid(process, &status, 0) == process && status == 0;
}

void await(const std::function<bool()>& happened) {
  while (!happened()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

class SharedPicturesTest : public ::testing::Test {
 protected:
  void start(std::int64_t samples, std::int64_t limit_bytes = std::int64_t{1} << 30) {
    samples_ = samples;
    memory_ = SharedPictures::make(samples, limit_bytes);
  }
  [[nodiscard]] SharedPictures join() const { return {Descriptor(::dup(memory_.get())), samples_}; }
  [[nodiscard]] Pictures decode(std::size_t sample) const {
    ++(*decoded_)[sample];
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    return sample_of(sample);
  }
  [[nodiscard]] bool is_right(const SharedPictures& shared, std::size_t sample) const {
    return shared.get(sample, [&] { return decode(sample); }) == sample_of(sample);
  }
  [[nodiscard]] int decoded_count() const {
    int sum = 0;
    for (const auto& count : *decoded_) sum += count;
    return sum;
  }

  /// Several threads that read all samples, each in an order of its own.
  [[nodiscard]] bool read_by_threads(const SharedPictures& shared, std::size_t seed) const {
    std::atomic<bool> all_right{true};
    {
      std::vector<std::jthread> threads;
      for (std::size_t t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
          const auto count = static_cast<std::size_t>(samples_);
          for (std::size_t i = 0; i < 2 * count; ++i)
            if (!is_right(shared, (i * 7 + seed * 31 + t * 13) % count)) all_right = false;
        });
    }
    return all_right;
  }

  std::int64_t samples_ = 0;
  Descriptor memory_;
  SharedValue<std::array<std::atomic<int>, 200>> decoded_;
};

TEST_F(SharedPicturesTest, ThreadsOfSeveralRanksDecodeEachOnce) {
  start(100);
  const auto one = join(), other = join();
  std::atomic<bool> right{true};
  {
    const std::jthread beside([&] { right = read_by_threads(one, 0); });
    EXPECT_TRUE(read_by_threads(other, 1));
  }
  EXPECT_TRUE(right);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ((*decoded_)[i], 1);
}

TEST_F(SharedPicturesTest, ProcessesDecodeEachOnce) {
  start(200);
  std::vector<pid_t> ranks;
  for (std::size_t rank = 0; rank < 4; ++rank)
    ranks.push_back(in_process([&] {
      const auto shared = join();
      if (rank % 2 == 0)
        shared.decode_together({2}, [&](std::size_t sample) { return decode(sample); });
      return read_by_threads(shared, rank);
    }));
  for (const auto rank : ranks) EXPECT_TRUE(succeeded(rank));
  for (const auto& count : *decoded_) EXPECT_EQ(count, 1);
}

TEST_F(SharedPicturesTest, AnotherRankDecodesWhatAKilledOneHadBegun) {
  start(2);
  const pid_t killed = in_process([&] {
    return join()
        .get(0,
             [&] {
               ++(*decoded_)[0];
               ::pause();
               return sample_of(1);
             })
        .empty();
  });
  await([&] { return (*decoded_)[0] == 1; });
  const pid_t waiting = in_process([&] { return is_right(join(), 0); });
  EXPECT_TRUE(is_right(join(), 1));  // other samples go on
  ::kill(killed, SIGKILL);
  EXPECT_FALSE(succeeded(killed));
  EXPECT_TRUE(succeeded(waiting));
  EXPECT_TRUE(is_right(join(), 0));
  EXPECT_EQ((*decoded_)[0], 2);
}

TEST_F(SharedPicturesTest, ARankKilledAtAnyMomentHarmsNoOther) {
  for (int round = 0; round < 20; ++round) {
    start(100);
    const int before = decoded_count();
    const pid_t killed = in_process([&] { return read_by_threads(join(), 0); });
    const pid_t other = in_process([&] { return read_by_threads(join(), 1); });
    await([&] { return decoded_count() > before + 4 * round; });
    ::kill(killed, SIGKILL);
    (void)succeeded(killed);
    EXPECT_TRUE(succeeded(other));
    EXPECT_GE(decoded_count() - before, 100);
    EXPECT_LE(decoded_count() - before, 100 + 3) << "what its three threads had begun";
  }
}

TEST_F(SharedPicturesTest, WhatDoesNotFitIsDecodedEachTime) {
  start(4, 2 * sample_bytes + sample_bytes / 2);
  const auto one = join(), other = join();
  for (int epoch = 0; epoch < 3; ++epoch)
    for (std::size_t sample = 0; sample < 3; ++sample)
      for (const auto* rank : {&one, &other}) EXPECT_TRUE(is_right(*rank, sample));
  EXPECT_EQ(decoded_count(), 2 + 6);
  EXPECT_TRUE(other.keeps(1));
  EXPECT_FALSE(one.keeps(2));
  EXPECT_FALSE(one.keeps(3));
}

TEST_F(SharedPicturesTest, DecodingTogetherEndsWhenItIsFull) {
  start(100, 10 * sample_bytes);
  const auto shared = join();
  for (int rank = 0; rank < 2; ++rank)
    shared.decode_together({1}, [&](std::size_t sample) { return decode(sample); });
  EXPECT_EQ(decoded_count(), 11);
}

TEST_F(SharedPicturesTest, TwoRanksDecodeDifferentOnes) {
  start(2);
  // Each waits in its decoding for the other one's to begin.
  const auto decode_with_other = [&](std::size_t sample) {
    ++(*decoded_)[sample];
    await([&] { return (*decoded_)[1 - sample] == 1; });
    return sample_of(sample);
  };
  const pid_t other = in_process([&] {
    join().decode_together({1}, decode_with_other);
    return true;
  });
  join().decode_together({1}, decode_with_other);
  EXPECT_TRUE(succeeded(other));
  EXPECT_EQ(decoded_count(), 2);
}

TEST_F(SharedPicturesTest, AFailureIsReportedEachTimeAndBlocksNobody) {
  start(1);
  const auto fails = [&]() -> Pictures { throw BadInput({"'0.png' is damaged", "", ""}); };
  for (int i = 0; i < 2; ++i)
    test::expect_refused([&] { (void)join().get(0, fails); }, {"'0.png' is damaged"});
  EXPECT_TRUE(is_right(join(), 0));
}

TEST_F(SharedPicturesTest, RanksThatSeeDifferentSetsAreRefused) {
  start(3);
  const auto refusal = message_of<RunFailed>(
      [&] { const SharedPictures shared(Descriptor(::dup(memory_.get())), 4); });
  EXPECT_NE(refusal.find("4 samples, another one of its host 3"), std::string::npos) << refusal;
}

TEST_F(SharedPicturesTest, TakesRoomOnlyForWhatItKeeps) {
  start(10, std::numeric_limits<std::int64_t>::max());
  const auto pages_bytes = [&] {
    struct stat status {};
    ::fstat(memory_.get(), &status);
    return static_cast<std::int64_t>(status.st_blocks) * 512;
  };
  const auto before = pages_bytes();
  EXPECT_LT(before, 1 << 16);
  EXPECT_TRUE(is_right(join(), 0));
  EXPECT_GT(pages_bytes(), before);
  EXPECT_LT(pages_bytes(), before + sample_bytes + (1 << 16));
}

/// Pages that cannot be had are found missing before anything is written to them.
TEST_F(SharedPicturesTest, WithoutMemoryPicturesAreDecodedEachTime) {
  start(2);
  const pid_t rank = in_process([&] {
    const auto shared = join();
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    if (::ftruncate(memory_.get(), 4096) != 0 || ::setrlimit(RLIMIT_FSIZE, &limit) != 0)
      return false;
    for (int i = 0; i < 3; ++i)
      if (!is_right(shared, 1)) return false;
    return decoded_count() == 3 && !shared.keeps(1);
  });
  EXPECT_TRUE(succeeded(rank));
}

TEST(SharePictures, GivesNothingToARankThatIsAlone) {
  EXPECT_EQ(share_pictures({}, 3, 100), nullptr);
  EXPECT_EQ(share_pictures([](const auto&) { return Descriptor(); }, 3, 100), nullptr);
  EXPECT_NE(share_pictures([](const auto& make) { return make(); }, 3, 100), nullptr);
}

}  // namespace
}  // namespace scalestudy
