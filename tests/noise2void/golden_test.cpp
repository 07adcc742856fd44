/// The original Noise2Void's own numbers, made by benchmarks/peers/n2v_golden.py.

#include <cmath>
#include <numeric>
#include <stdexcept>

#include <gtest/gtest.h>
#include <hdf5.h>
#include <torch/types.h>

#include "comm/rendezvous.hpp"

#include "training/adam.hpp"
#include "training/flat_parameters.hpp"

#include "tests/support/places.hpp"
#include "workloads/noise2void/loss.hpp"
#include "workloads/noise2void/prediction.hpp"

namespace scalestudy::noise2void {
namespace {

struct GoldenArray {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

class GoldenFile {
 public:
  explicit GoldenFile(const std::string& file)
      : id_(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
    if (id_ < 0) throw std::runtime_error("cannot open " + file);
  }
  ~GoldenFile() { H5Fclose(id_); }
  GoldenFile(const GoldenFile&) = delete;
  GoldenFile& operator=(const GoldenFile&) = delete;

  [[nodiscard]] GoldenArray array(const std::string& name) const {
    const hid_t dataset = H5Dopen2(id_, name.c_str(), H5P_DEFAULT);
    if (dataset < 0) throw std::runtime_error("no data set " + name);
    const hid_t space = H5Dget_space(dataset);
    std::vector<hsize_t> sides(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, sides.data(), nullptr);
    GoldenArray array;
    array.shape.assign(sides.begin(), sides.end());
    array.values.resize(
        std::accumulate(sides.begin(), sides.end(), std::size_t{1}, std::multiplies<>()));
    H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data());
    H5Sclose(space);
    H5Dclose(dataset);
    return array;
  }

  [[nodiscard]] double attribute(const std::string& object, const std::string& name) const {
    double value = 0;
    const hid_t attribute =
        H5Aopen_by_name(id_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) throw std::runtime_error("no attribute " + name);
    H5Aread(attribute, H5T_NATIVE_DOUBLE, &value);
    H5Aclose(attribute);
    return value;
  }

 private:
  hid_t id_;
};

class Golden : public ::testing::Test {
 protected:
  torch::Tensor tensor(const std::string& name) const {
    auto array = file_.array(name);
    return torch::tensor(array.values, torch::kFloat64).reshape(array.shape);
  }

  /// Keras' (kz, ky, kx, in, out) to torch's (out, in, kz, ky, kx).
  torch::Tensor kernel(const std::string& name) const {
    return tensor(name).permute({4, 3, 0, 1, 2}).contiguous();
  }

  torch::Tensor batch(const std::string& name) const {
    return tensor("batch/" + name).unsqueeze(1);
  }

  static std::string keras_name(const std::string& block) {
    auto name = block;
    return name.replace(name.find('/') + 1, 0, "conv");
  }

  /// Visits every array of the model with its name in the file.
  template <class Visit>
  void visit_arrays(UNet& model, const std::string& group, const Visit& visit) const {
    for (const auto& [block, layers] : model.blocks()) {
      const auto prefix = group + "/" + keras_name(block) + "/";
      visit(prefix + "kernel", layers->conv->weight, kernel(prefix + "kernel"));
      visit(prefix + "bias", layers->conv->bias, tensor(prefix + "bias"));
      visit(prefix + "gamma", layers->norm->weight, tensor(prefix + "gamma"));
      visit(prefix + "beta", layers->norm->bias, tensor(prefix + "beta"));
    }
    visit(group + "/head/kernel", model.head->weight, kernel(group + "/head/kernel"));
    visit(group + "/head/bias", model.head->bias, tensor(group + "/head/bias"));
  }

  template <class Visit>
  void visit_statistics(UNet& model, const std::string& group, const Visit& visit) const {
    for (const auto& [block, layers] : model.blocks()) {
      const auto prefix = group + "/" + keras_name(block) + "/";
      visit(prefix + "moving_mean", layers->norm->running_mean, tensor(prefix + "moving_mean"));
      visit(prefix + "moving_variance", layers->norm->running_var,
            tensor(prefix + "moving_variance"));
    }
  }

  std::shared_ptr<UNet> model_with(const std::string& group, torch::ScalarType type) const {
    const torch::NoGradGuard no_grad;
    auto model = std::make_shared<UNet>(2, 32);
    model->to(type);
    const auto load = [](const std::string&, torch::Tensor& ours, const torch::Tensor& theirs) {
      ours.copy_(theirs);
    };
    visit_arrays(*model, group, load);
    visit_statistics(*model, group, load);
    return model;
  }

  /// ‖ours − theirs‖ ≤ bound · ‖theirs‖; the gradient of a bias before batch norm is zero but for
  /// rounding, and Adam turns such rounding into steps of the learning rate, so biases are compared
  /// absolutely.
  static void expect_close(const std::string& name,
                           const torch::Tensor& ours,
                           const torch::Tensor& theirs,
                           double relative,
                           double bias_absolute) {
    const auto difference = (ours.detach().to(torch::kFloat64) - theirs).norm().item<double>();
    const bool hidden_bias =
        name.find("/bias") != std::string::npos && name.find("head") == std::string::npos;
    const double bound = hidden_bias ? bias_absolute : relative * theirs.norm().item<double>();
    EXPECT_LE(difference, bound) << name;
  }

  GoldenFile file_{test::in_sources("tests/data/n2v_golden.h5")};
};

TEST_F(Golden, LossAndGradientsOfOneMaskedBatch) {
  auto model = model_with("weights_initial", torch::kFloat64);
  const auto prediction = model->forward(batch("input"));
  const auto mask = batch("mask");
  const auto loss = masked_loss_sum(LossKind::mse, prediction, batch("target"), mask) / mask.sum();
  EXPECT_NEAR(loss.item<double>() / file_.array("batch/loss").values[0], 1.0, 1e-6);
  expect_close("prediction", prediction, batch("prediction"), 1e-5, 0);
  loss.backward();
  visit_arrays(*model, "gradients",
               [](const std::string& name, const torch::Tensor& ours, const torch::Tensor& theirs) {
                 expect_close(name, ours.grad(), theirs, 1e-4, 1e-6);
               });
}

TEST_F(Golden, FloatGradientsAreAsCloseAsTheOriginalsOwn) {
  auto model = model_with("weights_initial", torch::kFloat32);
  const auto mask = batch("mask").to(torch::kFloat32);
  const auto prediction = model->forward(batch("input").to(torch::kFloat32));
  const auto loss =
      masked_loss_sum(LossKind::mse, prediction, batch("target").to(torch::kFloat32), mask) /
      mask.sum();
  EXPECT_NEAR(loss.item<double>() / file_.array("batch/loss").values[0], 1.0, 1e-4);
  loss.backward();
  visit_arrays(
      *model, "gradients",
      [&](const std::string& name, const torch::Tensor& ours, const torch::Tensor& theirs) {
        const double original_float32 = file_.attribute(name, "float32_difference_rel");
        expect_close(name, ours.grad(), theirs, std::max(1e-4, 3.0 * original_float32), 1e-4);
      });
}

TEST_F(Golden, WeightsAfterThreeAdamSteps) {
  auto model = model_with("weights_initial", torch::kFloat64);
  std::vector<std::size_t> order(model->parameters().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  FlatParameters parameters(model->parameters(), order);
  parameters.accumulate();
  OptimizerSettings settings;
  settings.epsilon = 1e-7;
  settings.epsilon_rule = EpsilonRule::keras;
  Adam adam(settings, parameters.values());
  const auto losses = file_.array("batch/losses_before_step");
  const auto mask = batch("mask");
  for (std::size_t step = 0; step < 3; ++step) {
    const auto sum =
        masked_loss_sum(LossKind::mse, model->forward(batch("input")), batch("target"), mask);
    EXPECT_NEAR(sum.item<double>() / mask.sum().item<double>() / losses.values[step], 1.0, 1e-6);
    parameters.weight().copy_(mask.sum().reshape({1}));
    sum.backward();
    adam.step(4e-4, parameters.gradients(), parameters.weight(), {});
    parameters.gradients().zero_();
  }
  const auto compare = [](const std::string& name, const torch::Tensor& ours,
                          const torch::Tensor& theirs) {
    expect_close(name, ours, theirs, 1e-4, 1e-7);
  };
  visit_arrays(*model, "weights_after_3_steps", compare);
  visit_statistics(*model, "weights_after_3_steps", compare);
}

TEST_F(Golden, TiledPredictionOfARealCrop) {
  auto model = model_with("weights_after_3_steps", torch::kFloat32);
  model->eval();
  const auto input = file_.array("prediction/input");
  Volume crop{{input.shape[0], input.shape[1], input.shape[2]},
              {input.values.begin(), input.values.end()},
              "float32"};
  PredictionSettings settings;
  settings.normalisation = {file_.attribute("/", "normalisation_mean"),
                            file_.attribute("/", "normalisation_std")};
  settings.tile = {8, 32, 64};
  const auto comm = make_thread_ranks(WorldSize(1), Seconds(10)).front();
  const auto predicted = predict(*model, crop, settings, comm);
  const auto theirs = tensor("prediction/output");
  const auto ours =
      torch::tensor(std::vector<double>(predicted.voxels.begin(), predicted.voxels.end()))
          .reshape(theirs.sizes());
  EXPECT_LE((ours - theirs).abs().max().item<double>(), 1e-4 * theirs.abs().max().item<double>());
}

}  // namespace
}  // namespace scalestudy::noise2void
