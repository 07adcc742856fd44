#include "study/settings.hpp"

namespace scalestudy {
namespace {

constexpr double billion = 1e9;
constexpr double most_packs = 1024;  // each is an all-reduce of every step, recorded by every rank

/// From `least` to a billion.
template <class Value>
void limited(FieldVisitor& v,
             std::string_view name,
             Value& value,
             std::string_view unit,
             std::string_view description,
             double least) {
  v.field(name, value,
          {.unit = unit, .description = description, .minimum = least, .maximum = billion});
}

void visit_optimizer(FieldVisitor& v, OptimizerSettings& o) {
  v.field("name", o.name, {.unit = "1", .description = "Optimiser"});
  v.field("base_learning_rate", o.base_learning_rate,
          {.unit = "1",
           .description = "Learning rate before the scaling rule",
           .minimum = above_zero,
           .maximum = 1e3});
  v.field("momentum", o.momentum,
          {.unit = "1",
           .description = "Momentum of sgd and lars, per step",
           .minimum = 0,
           .maximum = 1});
  v.field("weight_decay", o.weight_decay,
          {.unit = "1", .description = "L2 penalty, added to the gradient", .minimum = 0});
  v.field("beta1", o.beta1,
          {.unit = "1",
           .description = "Decay of Adam's first moment, per step",
           .minimum = 0,
           .maximum = 1});
  v.field("beta2", o.beta2,
          {.unit = "1",
           .description = "Decay of Adam's second moment, per step",
           .minimum = 0,
           .maximum = 1});
  v.field("epsilon", o.epsilon,
          {.unit = "1",
           .description = "Guard of the optimiser against division by zero",
           .minimum = above_zero,
           .maximum = 1});
  v.field("epsilon_rule", o.epsilon_rule,
          {.unit = "1", .description = "Where the optimiser adds epsilon"});
  v.field("trust_coefficient", o.trust_coefficient,
          {.unit = "1",
           .description = "How far lars moves a tensor at learning rate 1, as share of its size",
           .minimum = above_zero,
           .maximum = 1});
}

void visit_schedule(FieldVisitor& v, ScheduleSettings& s) {
  v.field("name", s.name, {.unit = "1", .description = "Learning rate schedule"});
  v.field("factor", s.factor,
          {.unit = "1",
           .description = "Factor by which the schedule reduces the learning rate",
           .minimum = above_zero,
           .maximum = 1});
  limited(v, "milestones_epochs", s.milestones_epochs, "epochs",
          "Epochs (from 0) from which schedule step reduces the learning rate once more", 1);
  limited(v, "unscaled_epochs", s.unscaled_epochs, "epochs",
          "First epochs that schedule step trains at the rate before the scaling rule", 0);
  limited(v, "patience_epochs", s.patience_epochs, "epochs",
          "Epochs without improvement before the learning rate is reduced", 1);
  v.field("patience_rule", s.patience_rule,
          {.unit = "1", .description = "What the schedule's patience and milestones count"});
  v.field("min_delta", s.min_delta,
          {.unit = "1",
           .description = "Fall of the loss that the schedule counts as improvement",
           .minimum = 0});
  limited(v, "cooldown_epochs", s.cooldown_epochs, "epochs",
          "Epochs after a reduction in which none is counted", 0);
  v.field("minimum_learning_rate", s.minimum_learning_rate,
          {.unit = "1",
           .description = "Learning rate that the schedule does not go below",
           .minimum = 0});
}

void visit_input(FieldVisitor& v, InputSettings& i) {
  v.field("worker_threads", i.worker_threads,
          {.unit = "threads",
           .description = "Threads per rank that read all samples at the start and make batches "
                          "ahead; 0: made in the step",
           .minimum = 0,
           .maximum = 1024});
  v.field("prefetch_batches", i.prefetch_batches,
          {.unit = "batches",
           .description = "Batches that are made ahead",
           .minimum = 1,
           .maximum = 1024});
  v.field("cache_bytes", i.cache_bytes,
          {.unit = "bytes",
           .description = "Decoded samples kept by each rank, or with cache_shared by all ranks of "
                          "a host together",
           .minimum = 0});
  v.field("cache_shared", i.cache_shared,
          {.unit = "1",
           .description = "The ranks of a host keep decoded pictures together: each is decoded "
                          "once per host instead of once per rank"});
  limited(v, "sample_cost_s", i.sample_cost_s, "s",
          "Least time that making a sample takes, by waiting (emulated cost)", 0);
}

void visit_buckets(FieldVisitor& v, BucketSettings& b) {
  v.field("first_bucket_bytes", b.first_bucket_bytes,
          {.unit = "bytes",
           .description = "Size of the first bucket of gradients that ranks exchange",
           .minimum = 1});
  v.field("bucket_cap_bytes", b.bucket_cap_bytes,
          {.unit = "bytes", .description = "Size of all other buckets of gradients", .minimum = 1});
}

void visit_gradients(FieldVisitor& v, GradientSettings& g) {
  v.field("accumulated", g.accumulated,
          {.unit = "1",
           .description = "Gradients are added to zeros, as PyTorch does it, instead of written to "
                          "where they are summed over the ranks; with reduction pytorch_ddp they "
                          "always are"});
  v.field(
      "in_shared_memory", g.in_shared_memory,
      {.unit = "1",
       .description = "Gradients lie in memory that all ranks of the host reach, and are summed "
                      "there; with communicators shm and threads"});
  v.field(
      "updated_early", g.updated_early,
      {.unit = "1",
       .description = "Buckets whose sums have come by the end of the backward pass are updated "
                      "before the others are waited for; with reductions bucketed_overlap and "
                      "hierarchical, and precisions other than fp16"});
}

void visit_packs(FieldVisitor& v, PackSettings& p) {
  v.field("count", p.count,
          {.unit = "1",
           .description = "Equal parts that reduction packs makes of all gradients, of which the "
                          "last takes the remainder; 0: each tensor is one",
           .minimum = 0,
           .maximum = most_packs});
}

void visit_fusion(FieldVisitor& v, FusionSettings& f) {
  v.field("cycle_time_s", f.cycle_time_s,
          {.unit = "s",
           .description = "Time from one look of reduction fusion at what is ready to the next",
           .minimum = above_zero,
           .maximum = 1});
  v.field("threshold_bytes", f.threshold_bytes,
          {.unit = "bytes",
           .description = "Gradients that reduction fusion sends together at most",
           .minimum = 1});
}

void visit_hierarchy(FieldVisitor& v, HierarchySettings& h) {
  limited(v, "ranks_per_host", h.ranks_per_host, "ranks",
          "Ranks in a row that reduction hierarchical takes for those of one host; "
          "0: those of settings.link.ranks_per_host where that is above 1, else as "
          "the machines are",
          0);
}

void visit_link(FieldVisitor& v, LinkSettings& l) {
  constexpr double slowest_s = 60;
  const auto latency = [&](std::string_view name, double& value, std::string_view description) {
    v.field(name, value,
            {.unit = "s", .description = description, .minimum = 0, .maximum = slowest_s});
  };
  const auto bandwidth = [&](std::string_view name, double& value, std::string_view description) {
    v.field(name, value,
            {.unit = "bytes/s", .description = description, .minimum = 0, .maximum = 1e15});
  };
  v.field("algorithm", l.algorithm,
          {.unit = "1", .description = "Collective whose time the emulated link takes"});
  latency("latency_s", l.latency_s, "Latency of a message between emulated hosts");
  bandwidth("bandwidth_bytes_per_s", l.bandwidth_bytes_per_s,
            "Bandwidth of each rank to ranks of other emulated hosts");
  limited(v, "ranks_per_host", l.ranks_per_host, "ranks", "Consecutive ranks on one emulated host",
          1);
  latency("host_latency_s", l.host_latency_s, "Latency of a message within an emulated host");
  bandwidth("host_bandwidth_bytes_per_s", l.host_bandwidth_bytes_per_s,
            "Bandwidth of each rank to others of its emulated host");
  v.field("payload", l.payload,
          {.unit = "1", .description = "What is really moved when gradients are summed"});
}

void visit_timeouts(FieldVisitor& v, TimeoutSettings& t) {
  limited(v, "collective_deadline_s", t.collective_deadline_s, "s",
          "Longest time that an exchange between ranks may take; a run of which no rank comes to "
          "another phase of a step for twice as long is stopped",
          above_zero);
  limited(v, "run_timeout_s", t.run_timeout_s, "s", "Longest time a run may take", above_zero);
}

void visit_checkpoint(FieldVisitor& v, CheckpointSettings& c) {
  limited(v, "every_epochs", c.every_epochs, "epochs",
          "Epochs between two checkpoints; 0: none at the end of epochs", 0);
  limited(v, "every_steps", c.every_steps, "steps",
          "Steps between two checkpoints; 0: none within epochs. Without either an "
          "interrupted run starts afresh",
          0);
}

void visit_evaluation(FieldVisitor& v, EvaluationSettings& e) {
  v.field("every_samples", e.every_samples,
          {.unit = "samples",
           .description = "Samples trained on, by all ranks, from one evaluation on the validation "
                          "set to the next: the same chances to find a best model at every number "
                          "of ranks; 0: after each epoch",
           .minimum = 0,
           .maximum = 1e15});
}

void visit_machine(FieldVisitor& v, CommonSettings& s) {
  v.field("threads_per_rank", s.threads_per_rank,
          {.unit = "threads",
           .description = "Compute threads of each rank",
           .minimum = 1,
           .maximum = most_threads_per_rank});
  v.field("device", s.device, {.unit = "1", .description = "What computes"});
  v.field("precision", s.precision,
          {.unit = "1", .description = "Arithmetic of the forward and backward pass"});
  v.field("memory_format", s.memory_format,
          {.unit = "1", .description = "Layout of image tensors"});
  v.field("cudnn", s.cudnn, {.unit = "1", .description = "Choice of convolutions on a GPU"});
  v.field(
      "cuda_graph", s.cuda_graph,
      {.unit = "1",
       .description = "Forward and backward pass are recorded once as a CUDA graph and replayed; "
                      "they then are one phase, device_step"});
  v.field("batch_norm", s.batch_norm, {.unit = "1", .description = "Statistics of batch norm"});
  v.field("allocator", s.allocator, {.unit = "1", .description = "What becomes of freed memory"});
  v.field(
      "huge_pages", s.huge_pages,
      {.unit = "1", .description = "With allocator keep the kernel is asked for pages of 2 MiB"});
  v.field("onednn_pointwise", s.onednn_pointwise,
          {.unit = "1",
           .description =
               "On the processor, float32 convolutions of kernel size 1 are left to oneDNN also "
               "with one thread and fewer than 16 samples, where LibTorch takes its own"});
}

}  // namespace

void visit(FieldVisitor& v, DataSettings& d) {
  v.field("path", d.path,
          {.unit = "1", .description = "Training data: TIFF volume, folder of pictures, or pack"});
  v.field("reference_path", d.reference_path,
          {.unit = "1", .description = "Clean counterpart of the data, for PSNR; empty: none"});
  v.field("added_noise_std", d.added_noise_std,
          {.unit = "grey values",
           .description =
               "Deviation of the Gaussian noise added to the data, which then are the reference",
           .minimum = 0});
  limited(v, "channel", d.stack.channel, "1",
          "Channel of a TIFF stack, from 1 as ImageJ counts; 0: it has one", 0);
  limited(v, "time", d.stack.time, "1",
          "Time point of a TIFF stack (ImageJ: frame), from 1; 0: it has one", 0);
  v.field("frames_are_slices", d.stack.frames_are_slices,
          {.unit = "1",
           .description =
               "The slices of a TIFF stack are stored as frames (time points), or as channels"});
}

void visit(FieldVisitor& v, QualityGoal& q) {
  v.field("metric", q.metric,
          {.unit = "1",
           .description = "Metric of /evaluations that decides whether models are as good: one of "
                          "the workload's (scalestudy list workloads); empty: none is declared"});
  v.field("target", q.target,
          {.unit = "of the metric",
           .description = "Value on the validation set whose time and samples are reported; 0: "
                          "none",
           .minimum = 0});
  v.field("margin", q.margin,
          {.unit = "of the metric",
           .description = "A difference to one rank that is surely smaller counts as none; 0: "
                          "nothing is called equal",
           .minimum = 0});
}

void visit(FieldVisitor& v, CommonSettings& s) {
  limited(v, "local_batch_size", s.local_batch_size, "samples", "Samples per step at one rank", 1);
  limited(v, "epochs", s.epochs, "epochs", "Epochs at one rank", 1);
  limited(v, "steps_per_epoch", s.steps_per_epoch, "steps",
          "Steps per epoch at one rank; 0: one pass over the training samples", 0);
  v.field("last_batch", s.last_batch,
          {.unit = "1", .description = "Samples that do not fill a batch at the end of a pass"});
  limited(v, "evaluation_batch_size", s.evaluation_batch_size, "samples",
          "Samples per forward pass of the evaluation", 1);
  v.field(
      "evaluation_threads", s.evaluation_threads,
      {.unit = "threads",
       .description = "Compute threads of the evaluation, the same at every number of ranks; 0: "
                      "as threads_per_rank",
       .minimum = 0,
       .maximum = most_threads_per_rank});
  limited(v, "warmup_steps", s.warmup_steps, "steps",
          "First steps that are left out of step times, at least", 0);
  v.field("seed", s.seed,
          {.unit = "1",
           .description = "Seed; repeat r trains with one derived from (seed, r)",
           .minimum = 0});
  visit_machine(v, s);
  v.group("optimizer", "Optimiser", [&](FieldVisitor& w) { visit_optimizer(w, s.optimizer); });
  v.group("schedule", "Learning rate schedule",
          [&](FieldVisitor& w) { visit_schedule(w, s.schedule); });
  v.group("input", "How batches are made", [&](FieldVisitor& w) { visit_input(w, s.input); });
  v.group("buckets", "Pieces in which gradients are exchanged",
          [&](FieldVisitor& w) { visit_buckets(w, s.buckets); });
  v.group("gradients", "From the backward pass to the update",
          [&](FieldVisitor& w) { visit_gradients(w, s.gradients); });
  v.group("packs", "Parts of reduction packs", [&](FieldVisitor& w) { visit_packs(w, s.packs); });
  v.group("fusion", "Cycles of reduction fusion",
          [&](FieldVisitor& w) { visit_fusion(w, s.fusion); });
  v.group("hierarchical", "Hosts of reduction hierarchical",
          [&](FieldVisitor& w) { visit_hierarchy(w, s.hierarchical); });
  v.field(
      "compression", s.compression,
      {.unit = "1",
       .description = "How gradients travel between ranks; one rank sends none and rounds none"});
  v.field("communication_thread", s.communication_thread,
          {.unit = "1",
           .description = "Which core carries gradients beside the backward pass, of reductions "
                          "that have a thread for it"});
  v.group("link", "Emulated link between the ranks",
          [&](FieldVisitor& w) { visit_link(w, s.link); });
  v.group("timeouts", "Deadlines", [&](FieldVisitor& w) { visit_timeouts(w, s.timeouts); });
  v.group("checkpoint", "Checkpoints", [&](FieldVisitor& w) { visit_checkpoint(w, s.checkpoint); });
  v.group("evaluation", "Evaluation while training",
          [&](FieldVisitor& w) { visit_evaluation(w, s.evaluation); });
}

}  // namespace scalestudy
