#include "workloads/replay/settings.hpp"

namespace scalestudy::replay {
namespace {

/// Longer than any layer takes.
constexpr double most_us = 60e6;
constexpr double most_parameters = 1e9;

}  // namespace

void visit(FieldVisitor& visitor, Settings& settings) {
  const auto layers = [&](std::string_view name, std::vector<std::int64_t>& values,
                          std::string_view unit, std::string_view description, double maximum) {
    visitor.field(name, values,
                  {.unit = unit, .description = description, .minimum = 0, .maximum = maximum});
  };
  layers("layer_forward_us", settings.layer_forward_us, "us",
         "Forward time of each layer for the local batch of one rank", most_us);
  layers("layer_backward_us", settings.layer_backward_us, "us",
         "Backward time of each layer for the local batch of one rank", most_us);
  layers("layer_parameters", settings.layer_parameters, "1",
         "Parameters of each layer; their gradients are reduced for real", most_parameters);
  visitor.field("pass", settings.pass,
                {.unit = "1", .description = "How the time of computing passes"});
  visitor.field("optimizer_us", settings.optimizer_us,
                {.unit = "us",
                 .description = "Time of the parameter update",
                 .minimum = 0,
                 .maximum = most_us});
  visitor.field("sample_bytes", settings.sample_bytes,
                {.unit = "bytes",
                 .description = "Size of a sample, a multiple of 4",
                 .minimum = 4,
                 .maximum = 1e9});
  visitor.field("training_samples", settings.training_samples,
                {.unit = "samples",
                 .description = "Samples of one pass over the training set",
                 .minimum = 1,
                 .maximum = 1e12});
  visitor.field("evaluation_us", settings.evaluation_us,
                {.unit = "us",
                 .description = "Time of an evaluation on one rank; several share it",
                 .minimum = 0,
                 .maximum = most_us});
}

Settings settings_from_json_text(const std::string& text) {
  Settings settings;
  read_fields_of_text(text, [&](FieldVisitor& visitor) { visit(visitor, settings); });
  return settings;
}

}  // namespace scalestudy::replay
