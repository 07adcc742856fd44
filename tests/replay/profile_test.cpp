/// The profile's file and what a replay makes of it.

#include "workloads/replay/profile.hpp"

#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workloads/catalogue.hpp"

namespace scalestudy::replay {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

/// Two layers of a foreign network with gradients of 2 bytes; the last gradient is there 0.1 ms
/// before the backward pass ends.
Profile two_layers() {
  Profile profile;
  profile.origin.network = "Tiny";
  profile.local_batch_size = 8;
  profile.element_bytes = 2;
  profile.forward_s = 0.0101;
  profile.backward_s = 0.02;
  profile.optimizer_s = 0.001;
  profile.input_s = 0.002;
  profile.evaluation_s = 0.5;
  profile.checkpoint_s = 0.25;
  profile.first_step_s = 0.125;
  profile.step_noise_frac = 0.0625;
  profile.gradients = {
      {"head.bias", 7, 0.0000014}, {"head.weight", 40, 0.0000028}, {"body.weight", 3, 0.0199}};
  return profile;
}

class ProfileFile : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) {
    const auto file = folder_ / "tiny.json";
    std::ofstream(file) << text;
    return file;
  }
  std::string refusal_of(const json& object) {
    const auto file = write(object.dump());
    return message_of([&] { return read_profile(file); });
  }
  /// With `value` in the place of what a good one has there.
  std::string refusal_with(const char* place, const json& value) {
    auto object = json::parse(to_json_text(two_layers()));
    object[json::json_pointer(place)] = value;
    return refusal_of(object);
  }
  std::string refusal_without(const std::string& key) {
    auto object = json::parse(to_json_text(two_layers()));
    object.erase(key);
    return refusal_of(object);
  }
  const TemporaryFolder folder_;
};

TEST_F(ProfileFile, IsReadAsItWasWritten) {
  const auto text = to_json_text(two_layers());
  const auto read = read_profile(write(text));
  EXPECT_EQ(to_json_text(read), text);
  EXPECT_EQ(read.gradients.at(2).name, "body.weight");
}

TEST_F(ProfileFile, WhatDoesNotFitIsRefusedWithItsPlace) {
  EXPECT_THAT(refusal_of(json::array()), HasSubstr("tiny.json: format is not"));
  EXPECT_THAT(refusal_with("/schema", 2), HasSubstr("tiny.json: schema is not 1"));
  for (const auto* key :
       {"local_batch_size", "forward_s", "backward_s", "optimizer_s", "parameters"})
    EXPECT_THAT(refusal_without(key), HasSubstr(std::string("tiny.json: ") + key + " is missing"));
  EXPECT_THAT(refusal_with("/forward_s", -1), HasSubstr("forward_s = -1 is out of range"));
  EXPECT_THAT(refusal_with("/forward_s", "1"), HasSubstr("forward_s = \"1\" is not a number"));
  EXPECT_THAT(refusal_with("/loss", 1), HasSubstr("loss: unknown key"));
  EXPECT_THAT(refusal_with("/parameters", json::array()), HasSubstr("parameters is no list of 1"));
  EXPECT_THAT(refusal_with("/parameters/1", 5), HasSubstr("parameters[1]: number given"));
  EXPECT_THAT(refusal_with("/parameters/1/ready_s", 0), HasSubstr("[1].ready_s is before"));
  EXPECT_THAT(refusal_with("/parameters/2/element_count", 0), HasSubstr("[2].element_count = 0"));
  EXPECT_THAT(refusal_with("/backward_s", 0.0198), HasSubstr("less than the last ready_s"));
}

TEST_F(ProfileFile, NoTruncationIsTakenForAProfile) {
  const auto text = to_json_text(two_layers());
  for (std::size_t length = 0; length + 2 < text.size(); length += 7)
    EXPECT_NE(message_of([&] { return read_profile(write(text.substr(0, length))); }), "accepted");
}

TEST(ProfileSchema, HasEveryKeyOfAProfile) {
  const auto schema = profile_schema();
  const auto object = json::parse(to_json_text(two_layers()));
  for (const auto& [key, value] : object.items())
    EXPECT_TRUE(schema["properties"].contains(key)) << key;
  for (const auto& key : schema["required"]) EXPECT_TRUE(object.contains(key)) << key;
  EXPECT_EQ(schema["properties"]["parameters"]["items"]["properties"].size(), 3U);
}

TEST(ReplayOfAProfile, HasItsTimesInTheOrderOfLayers) {
  const auto settings = settings_of(two_layers());
  EXPECT_THAT(settings.layer_forward_us, ElementsAre(10100));
  // Ready after 1.4, 2.8 and 20000 us: rounding does not add up.
  EXPECT_THAT(settings.layer_backward_us, ElementsAre(19997, 2, 1));
  EXPECT_THAT(settings.layer_parameters, ElementsAre(2, 20, 4)) << "as many bytes, 4 each";
  EXPECT_EQ(settings.timed_batch_size, 8);
  EXPECT_EQ(settings.optimizer_us, 1000);
  EXPECT_EQ(settings.input_us, 2000);
  EXPECT_EQ(settings.evaluation_us, 500'000);
  EXPECT_EQ(settings.checkpoint_us, 250'000);
  EXPECT_EQ(settings.first_step_us, 125'000);
  EXPECT_EQ(settings.noise_frac, 0.0625);
}

TEST_F(ProfileFile, StandsInTheSpecificationWithItsNumbers) {
  const auto file = write(to_json_text(two_layers()));
  const FindFile find = [&](const std::string& name) {
    EXPECT_EQ(name, "tiny");
    return file;
  };
  const auto completed =
      complete_settings(json::parse(R"({"profile": "tiny", "optimizer_us": 7})"), "settings");
  const auto settings = settings_from_json_text(settings_with_profile(completed, find));
  EXPECT_EQ(settings.profile, "tiny");
  EXPECT_THAT(settings.layer_parameters, ElementsAre(2, 20, 4));
  EXPECT_EQ(settings.optimizer_us, 7) << "given beside the profile";
  EXPECT_EQ(settings.input_us, 2000);
}

TEST_F(ProfileFile, IsNotReplayedUnread) {
  RunSpec spec;
  spec.workload_settings = complete_settings(json::parse(R"({"profile": "tiny"})"), "settings");
  const auto* replay =
      *std::ranges::find(workload_catalogue(), "replay", &WorkloadDescriptor::name);
  EXPECT_THAT(replay->reason_to_skip(spec), HasSubstr("nobody has read 'tiny'"));
}

TEST(ReplayOfAProfile, LayersBesideItAreRefused) {
  for (const std::string name : {"layer_forward_us", "layer_backward_us", "layer_parameters"}) {
    auto settings = json::parse(R"({"profile": "tiny"})");
    settings[name] = {1, 2};
    EXPECT_THAT(message_of([&] { return complete_settings(settings, "study.json: settings"); }),
                HasSubstr("study.json: settings." + name + " is given beside"));
  }
}

}  // namespace
}  // namespace scalestudy::replay
