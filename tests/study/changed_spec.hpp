#pragma once
/// A specification in which no field has its default.

#include "study/run_spec.hpp"

namespace scalestudy {

inline CommonSettings changed_settings() {
  CommonSettings s;
  s.local_batch_size = 3;
  s.epochs = 7;
  s.steps_per_epoch = 11;
  s.last_batch = LastBatch::drop;
  s.evaluation_batch_size = 5;
  s.evaluation_threads = 2;
  s.warmup_steps = 9;
  s.seed = 42;
  s.threads_per_rank = 6;
  s.device = Device::cuda;
  s.precision = Precision::bf16;
  s.memory_format = MemoryFormat::contiguous;
  s.cudnn = Cudnn::deterministic;
  s.cuda_graph = true;
  s.batch_norm = BatchNormPolicy::synchronised;
  s.allocator = Allocator::system;
  s.optimizer = {OptimizerKind::sgd, 0.3, 0.5, 1e-5, 0.8, 0.88, 1e-6, EpsilonRule::torch, 0.02};
  s.schedule = {ScheduleKind::step, 0.25, {2, 4}, 1, 3, PatienceRule::samples, 1e-3, 2, 1e-8};
  s.input = {2, 4, 1024, false, 0.125};
  s.buckets = {100, 200};
  s.packs = {4};
  s.fusion = {0.005, 1000};
  s.hierarchical = {2};
  s.gradients = {true, false, false};
  s.huge_pages = false;
  s.onednn_pointwise = false;
  s.link = {LinkAlgorithm::tree, 1e-5, 1e9, 4, 1e-6, 1e11, Payload::none};
  s.compression = Compression::bf16;
  s.communication_thread = CommunicationPlacement::own_core;
  s.timeouts = {30.5, 600.25};
  s.checkpoint = {3, 7};
  s.evaluation = {640};
  return s;
}

inline RunSpec changed_spec() {
  RunSpec spec;
  spec.study = "é study";
  spec.workload = "unet";
  spec.ranks = 2;
  spec.scaling_rule = ScalingRule::sqrt_fixed_epochs;
  spec.reduction = Reduction::flat_after_backward;
  spec.input = InputKind::serial;
  spec.control_arm = ControlArm::synthetic_input;
  spec.repeat = 4;
  spec.launcher = "mpirun";
  spec.communicator = CommunicatorKind::mpi;
  spec.block_position = 5;
  spec.comparison = Comparison::independent;
  spec.quality = {"iou", 0.75, 0.02};
  spec.twin = 1;
  spec.oversubscribed = true;
  spec.no_spare_core = true;
  spec.data = {"/data/it's here.tif", "/data/clean.tif", 2.5, {2, 3, true}};
  spec.data_content = {"00112233aabbccdd", "8899"};
  spec.settings = changed_settings();
  spec.injections = {{.fault = Fault::slow_rank, .rank = 1, .factor = 1.5}};
  spec.plan.local_batch_sizes = {3, 2};
  spec.plan.global_batch_size = 5;
  spec.plan.learning_rate = 0.1;
  spec.plan.warmup_samples = 20;
  spec.plan.epochs = 6;
  spec.plan.steps_per_epoch = 10;
  spec.plan.samples_per_epoch = 48;
  spec.plan.epoch_stride_samples = 50;
  spec.plan.patience_epochs = 3;
  spec.plan.cooldown_epochs = 2;
  spec.plan.milestones_epochs = {2, 5};
  spec.plan.samples = 288;
  spec.plan.requested_samples = 300;
  spec.plan.remainder = "2 samples";
  spec.plan.time_like = {{"schedule.patience_epochs", 3, 1.5, true, "constant in samples"},
                         {"batch_norm_momentum", 1, 1, false, "counts steps"}};
  spec.workload_settings = R"({"patch":[8,8]})";
  return spec;
}

}  // namespace scalestudy
