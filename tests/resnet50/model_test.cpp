#include "workloads/resnet50/model.hpp"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "core/text.hpp"

namespace scalestudy::resnet50 {
namespace {

struct Counts {
  std::int64_t trainable = 0;
  std::int64_t statistics = 0;
};

Counts counts_of(torch::nn::Module& model) {
  Counts counts;
  for (const auto& parameter : model.parameters()) counts.trainable += parameter.numel();
  for (const auto& buffer : model.buffers())
    if (buffer.is_floating_point()) counts.statistics += buffer.numel();
  return counts;
}

const torch::nn::Conv2dImpl& convolution(torch::nn::Module& model, const std::string& name) {
  return *model.named_modules("", /*include_self=*/false)[name]->as<torch::nn::Conv2d>();
}

std::map<std::string, std::int64_t> counts_by_layer(torch::nn::Module& model) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& parameter : model.named_parameters())
    counts[parameter.key().substr(0, parameter.key().find('.'))] += parameter.value().numel();
  return counts;
}

TEST(ResNet50Model, TorchvisionsParameterCounts) {
  ResNet50 model(Variant::v1_5, 1000);
  EXPECT_EQ(counts_of(model).trainable, 25557032);
  EXPECT_EQ(counts_of(model).statistics, 53120);
  EXPECT_EQ(model.parameters().size(), 161U);
  const std::map<std::string, std::int64_t> expected{
      {"conv1", 9408},     {"bn1", 128},         {"layer1", 215808}, {"layer2", 1219584},
      {"layer3", 7098368}, {"layer4", 14964736}, {"fc", 2049000}};
  EXPECT_EQ(counts_by_layer(model), expected);
}

TEST(ResNet50Model, KerasParameterCounts) {
  ResNet50 model(Variant::v1, 1000);
  EXPECT_EQ(counts_of(model).trainable, 25583592);
  EXPECT_EQ(counts_of(model).trainable + counts_of(model).statistics, 25636712);
  const std::map<std::string, std::int64_t> expected{
      {"conv1", 9472},     {"bn1", 128},         {"layer1", 217216}, {"layer2", 1223168},
      {"layer3", 7108608}, {"layer4", 14976000}, {"fc", 2049000}};
  EXPECT_EQ(counts_by_layer(model), expected);
}

TEST(ResNet50Model, ParameterCountsOfTheBirdClasses) {
  const auto count = [](Variant variant, std::int64_t classes) {
    ResNet50 model(variant, classes);
    return counts_of(model).trainable;
  };
  EXPECT_EQ(count(Variant::v1, 61), 23659581);
  EXPECT_EQ(count(Variant::v1, 285), 24118557);
  EXPECT_EQ(count(Variant::v1_5, 61), 23633021);
  EXPECT_EQ(count(Variant::v1_5, 285), 24091997);
}

TEST(ResNet50Model, TheStrideStandsWhereTheVariantSays) {
  for (const auto variant : {Variant::v1, Variant::v1_5}) {
    ResNet50 model(variant, 2);
    const bool is_v1 = variant == Variant::v1;
    const auto stride = [&](const std::string& name) {
      return convolution(model, name).options.stride()->at(0);
    };
    for (const auto* layer : {"layer2", "layer3", "layer4"}) {
      EXPECT_EQ(stride(cat(layer, ".0.conv1")), is_v1 ? 2 : 1);
      EXPECT_EQ(stride(cat(layer, ".0.conv2")), is_v1 ? 1 : 2);
      EXPECT_EQ(stride(cat(layer, ".0.downsample.0")), 2);
      EXPECT_EQ(stride(cat(layer, ".1.conv1")), 1);
      EXPECT_EQ(stride(cat(layer, ".1.conv2")), 1);
    }
    EXPECT_EQ(stride("conv1"), 2);
    EXPECT_EQ(stride("layer1.0.conv2"), 1);
    EXPECT_EQ(stride("layer1.0.downsample.0"), 1);
    EXPECT_EQ(convolution(model, "conv1").options.bias(), is_v1);
    EXPECT_EQ(convolution(model, "layer4.2.conv3").options.bias(), is_v1);
  }
}

TEST(ResNet50Model, InitialisationIsTheOriginals) {
  ResNet50 torchvision(Variant::v1_5, 10);
  const auto& kaiming = convolution(torchvision, "layer3.1.conv2").weight;  // 256 → 256, 3×3
  EXPECT_NEAR(kaiming.std().item<double>(), std::sqrt(2.0 / (256 * 9)), 1e-4);
  ResNet50 keras(Variant::v1, 10);
  const auto& glorot = convolution(keras, "layer3.1.conv2");
  const double limit = std::sqrt(6.0 / (9 * 512));
  EXPECT_LE(glorot.weight.abs().max().item<double>(), limit);
  EXPECT_NEAR(glorot.weight.std().item<double>(), limit / std::sqrt(3.0), 1e-4);
  EXPECT_EQ(glorot.bias.abs().max().item<double>(), 0);
  EXPECT_EQ(keras.named_parameters()["fc.bias"].abs().max().item<double>(), 0);
}

TEST(ResNet50Model, SmallPicturesAndEmptyBatchesHaveLogitsAndGradients) {
  ResNet50 model(Variant::v1_5, 3);
  for (const std::int64_t side : {32, 64}) {
    const auto logits = model.forward(torch::zeros({2, 3, side, side + 8}));
    EXPECT_EQ(logits.sizes(), (std::vector<std::int64_t>{2, 3}));
  }
  const auto none = model.forward(torch::zeros({0, 3, 64, 64}));
  EXPECT_EQ(none.sizes(), (std::vector<std::int64_t>{0, 3}));
  none.sum().backward();
  for (const auto& parameter : model.named_parameters()) {
    ASSERT_TRUE(parameter.value().grad().defined()) << parameter.key();
    EXPECT_EQ(parameter.value().grad().abs().max().item<double>(), 0) << parameter.key();
  }
}

}  // namespace
}  // namespace scalestudy::resnet50
