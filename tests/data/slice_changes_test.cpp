#include "data/slice_changes.hpp"

#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/random.hpp"

namespace scalestudy {
namespace {

/// Of a channel, at a depth of 0 to 1.
double signal(std::int64_t channel, double depth, std::int64_t y, std::int64_t x) {
  const double shift = channel == 0 ? 0 : 2.5 * static_cast<double>(channel);
  return 100 + 40 * std::sin(static_cast<double>(y) / 9 + shift + depth) *
                   std::cos(static_cast<double>(x) / 7 - 2 * shift + depth / 2);
}

struct Plane {
  std::int64_t channel = 0;
  double depth = 0;
};

/// Of 12 slices.
std::string note_of(const std::function<Plane(std::int64_t)>& plane_of, double noise = 20) {
  Random random(7);
  Volume volume{.shape = {12, 48, 40}};
  for (std::int64_t z = 0; z < 12; ++z)
    for (std::int64_t y = 0; y < 48; ++y)
      for (std::int64_t x = 0; x < 40; ++x) {
        const auto [channel, depth] = plane_of(z);
        volume.voxels.push_back(
            static_cast<float>(signal(channel, depth, y, x) + noise * random.normal()));
      }
  return slice_change_note(volume);
}

double depth_of(std::int64_t slice, std::int64_t slices) {
  return static_cast<double>(slice) / static_cast<double>(slices);
}

TEST(SliceChanges, PlanesThatTakeTurnsAreFound) {
  EXPECT_EQ(note_of([](auto z) {
              return Plane{z % 2, depth_of(z / 2, 6)};
            }),
            "Slices 2 apart are more alike than neighbours are: look whether 2 channels, times or "
            "positions take turns, or stacks of 2 follow each other. Give a file for each.");
  EXPECT_THAT(note_of([](auto z) {
                return Plane{z % 3, depth_of(z / 3, 4)};
              }),
              testing::HasSubstr("Slices 3 apart"));
  EXPECT_THAT(note_of(
                  [](auto z) {
                    return Plane{0, 3 * depth_of(z % 4, 4)};
                  },
                  3),
              testing::HasSubstr("Slices 4 apart"))
      << "three times of 4 slices";
}

TEST(SliceChanges, PlanesThatFollowEachOtherAreFound) {
  EXPECT_EQ(note_of(
                [](auto z) {
                  return Plane{z / 6, depth_of(z % 6, 6)};
                },
                3),
            "Slices change at once behind each 6 of them: look whether 2 channels, times or "
            "positions follow each other. Give a file for each.");
  EXPECT_THAT(note_of(
                  [](auto z) {
                    return Plane{z / 4, depth_of(z % 4, 4)};
                  },
                  3),
              testing::HasSubstr("behind each 4 of them: look whether 3"));
}

TEST(SliceChanges, OneStackSaysNothing) {
  for (const double noise : {0.5, 5.0, 20.0, 80.0}) {
    EXPECT_EQ(note_of([](auto z) { return Plane{0, depth_of(z, 12)}; }, noise), "") << noise;
    EXPECT_EQ(note_of([](auto) { return Plane{0, 0}; }, noise), "") << noise;
    EXPECT_EQ(note_of(
                  [](auto z) {
                    return Plane{0, z < 7 ? 0. : 2.};
                  },
                  noise),
              "")
        << "moved once, at no part of the stack";
    EXPECT_EQ(note_of(
                  [](auto z) {
                    return Plane{z == 4 || z == 6 ? 1 : 0, 0};
                  },
                  noise),
              "")
        << "two slices are disturbed";
  }
}

TEST(SliceChanges, FewSlicesSayNothing) {
  Volume volume{.shape = {5, 1, 2}, .voxels = {1, 2, 9, 8, 1, 2, 9, 8, 1, 2}};
  EXPECT_EQ(slice_change_note(volume), "");
}

}  // namespace
}  // namespace scalestudy
