#include "workloads/replay/settings.hpp"

namespace scalestudy::replay {
namespace {

void visit_time(FieldVisitor& v,
                std::string_view name,
                std::int64_t& value,
                std::string_view description) {
  v.field(name, value,
          {.unit = "us", .description = description, .minimum = 0, .maximum = most_us});
}

void visit_layers(FieldVisitor& v, Settings& s) {
  const auto layers = [&](std::string_view name, std::vector<std::int64_t>& values,
                          std::string_view unit, std::string_view description, double maximum) {
    v.field(name, values,
            {.unit = unit, .description = description, .minimum = 0, .maximum = maximum});
  };
  v.field("profile", s.profile,
          {.unit = "1",
           .description = "What the layers are, from a file (scalestudy profile; relative to the "
                          "study file) or a shipped one by its name; empty: from the settings "
                          "below. Times given beside it hold in place of its own"});
  layers("layer_forward_us", s.layer_forward_us, "us",
         "Forward time of each layer; one entry may stand for the whole pass", most_us);
  layers("layer_backward_us", s.layer_backward_us, "us", "Backward time of each layer", most_us);
  layers("layer_parameters", s.layer_parameters, "1",
         "Parameters of each layer; their gradients are reduced for real", most_layer_parameters);
  v.field("timed_batch_size", s.timed_batch_size,
          {.unit = "samples",
           .description = "Samples of a batch that takes as long as the layers say; a smaller one "
                          "takes less in proportion; 0: local_batch_size",
           .minimum = 0,
           .maximum = 1e9});
  v.field("pass", s.pass, {.unit = "1", .description = "How the time of computing passes"});
}

void visit_other_work(FieldVisitor& v, Settings& s) {
  visit_time(v, "optimizer_us", s.optimizer_us, "Time of the parameter update");
  visit_time(v, "input_us", s.input_us, "Time of making a batch of timed_batch_size samples");
  v.field("sample_bytes", s.sample_bytes,
          {.unit = "bytes",
           .description = "Size of a sample, a multiple of 4",
           .minimum = 4,
           .maximum = 1e9});
  v.field("training_samples", s.training_samples,
          {.unit = "samples",
           .description = "Samples of one pass over the training set",
           .minimum = 1,
           .maximum = 1e12});
  visit_time(v, "evaluation_us", s.evaluation_us,
             "Time of an evaluation on one rank; several share it");
  visit_time(v, "checkpoint_us", s.checkpoint_us,
             "Time that rank 0 takes for each checkpoint; none is written");
  visit_time(v, "first_step_us", s.first_step_us,
             "What the forward pass of the first step takes longer");
}

void visit_scatter(FieldVisitor& v, Settings& s) {
  v.field("noise_frac", s.noise_frac,
          {.unit = "1",
           .description = "How both passes of each rank scatter from step to step: standard "
                          "deviation ÷ mean of a log-normal factor",
           .minimum = 0,
           .maximum = most_noise_frac});
  v.field("drift_frac", s.drift_frac,
          {.unit = "1",
           .description = "By how much longer both passes take in the last step than in the "
                          "first, evenly over the run; below 0: shorter",
           .minimum = -0.9,
           .maximum = 1});
  v.field("burst_frac", s.burst_frac,
          {.unit = "1",
           .description = "Share of the time, in stretches of 10 steps, in which both passes of a "
                          "rank take burst_factor as long; each rank has its own",
           .minimum = 0,
           .maximum = 1});
  v.field("burst_factor", s.burst_factor,
          {.unit = "1",
           .description = "How many times as long both passes take in a burst",
           .minimum = 1,
           .maximum = 1000});
}

void visit_quality(FieldVisitor& v, Settings& s) {
  v.field("samples_to_quality", s.samples_to_quality,
          {.unit = "samples",
           .description = "Samples after which the invented loss has fallen from 1 to 0.19, on an "
                          "exponential towards 0.1; 0: it stays 1",
           .minimum = 0,
           .maximum = 1e15});
  v.field("seed_spread_frac", s.seed_spread_frac,
          {.unit = "1",
           .description = "How samples_to_quality scatters between repeats: standard deviation ÷ "
                          "mean of a log-normal factor",
           .minimum = 0,
           .maximum = most_noise_frac});
}

}  // namespace

void visit(FieldVisitor& visitor, Settings& settings) {
  visit_layers(visitor, settings);
  visit_other_work(visitor, settings);
  visit_scatter(visitor, settings);
  visit_quality(visitor, settings);
}

Settings settings_from_json_text(const std::string& text) {
  Settings settings;
  read_fields_of_text(text, [&](FieldVisitor& visitor) { visit(visitor, settings); });
  return settings;
}

}  // namespace scalestudy::replay
