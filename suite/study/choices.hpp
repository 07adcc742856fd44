#pragma once
/// The names that studies and run specifications may use, one table per setting (core/choice.hpp).
/// Scaling rules have theirs in scaling_rules.hpp, workloads in their settings.hpp.

#include "core/choice.hpp"

namespace scalestudy {

/// How gradients are averaged over the ranks; made by suite/engine/reduction/make_reduction.cpp.
enum class Reduction {
  bucketed_overlap,
  flat_after_backward,
  packs,
  fusion,
  hierarchical,
  reduce_to_one,
  tower,
  sharded_optimizer,
  pytorch_ddp,
  barrier_only,
  none
};

/// Who updates the parameters.
enum class Updating { everywhere, at_one_rank, in_shards };

/// A strategy's row also says what it does, and so what it may be combined with: `plan` leaves the
/// rest out and says why.
struct ReductionChoice {
  Reduction value;
  std::string_view name;
  std::string_view summary;
  /// Without it the ranks' models drift apart: of several ranks in control arms only, for times.
  bool averages_gradients = true;
  /// Gradients travel on a thread of their own while the backward pass runs.
  bool overlaps = false;
  /// Gradients travel by all-reduces, which settings.compression can make of 16 bits.
  bool can_compress = true;
  /// PyTorch's own: of workloads that it trains, on the processor.
  bool is_of_pytorch = false;
  /// Where not everywhere, who has updated gives the parameters to the others.
  Updating updating = Updating::everywhere;
};
template <>
inline constexpr auto choices<Reduction> = std::array{
    ReductionChoice{.value = Reduction::bucketed_overlap,
                    .name = "bucketed_overlap",
                    .summary = "gradients in buckets, reduced while the backward pass runs",
                    .overlaps = true},
    ReductionChoice{.value = Reduction::flat_after_backward,
                    .name = "flat_after_backward",
                    .summary = "all gradients at once after the backward pass"},
    ReductionChoice{.value = Reduction::packs,
                    .name = "packs",
                    .summary =
                        "all gradients after the backward pass in settings.packs.count equal "
                        "parts, as TensorFlow's MirroredStrategy"},
    ReductionChoice{.value = Reduction::fusion,
                    .name = "fusion",
                    .summary = "what is ready on all ranks, again and again while the backward "
                               "pass runs, as Horovod",
                    .overlaps = true},
    ReductionChoice{.value = Reduction::hierarchical,
                    .name = "hierarchical",
                    .summary = "as bucketed_overlap, each bucket within hosts and between them, as "
                               "Horovod's hierarchical all-reduce",
                    .overlaps = true},
    ReductionChoice{.value = Reduction::reduce_to_one,
                    .name = "reduce_to_one",
                    .summary = "tensor by tensor after the backward pass summed at rank 0 and sent "
                               "back, as TensorFlow's ReductionToOneDevice",
                    .can_compress = false},
    ReductionChoice{.value = Reduction::tower,
                    .name = "tower",
                    .summary = "tensor by tensor after the backward pass summed at rank 0, which "
                               "alone updates and sends parameters, as TensorFlow 1 and cxflow",
                    .can_compress = false,
                    .updating = Updating::at_one_rank},
    ReductionChoice{.value = Reduction::sharded_optimizer,
                    .name = "sharded_optimizer",
                    .summary = "after the backward pass each rank gets the sums of its own part, "
                               "updates it and gives the parameters to the others, as ZeRO-1",
                    .can_compress = false,
                    .updating = Updating::in_shards},
    ReductionChoice{.value = Reduction::pytorch_ddp,
                    .name = "pytorch_ddp",
                    .summary = "buckets by PyTorch's own reducer, that of DistributedDataParallel",
                    .overlaps = true,
                    .can_compress = false,
                    .is_of_pytorch = true},
    ReductionChoice{.value = Reduction::barrier_only,
                    .name = "barrier_only",
                    .summary = "the ranks wait for each other after the backward pass and exchange "
                               "no gradient: for times only",
                    .averages_gradients = false,
                    .can_compress = false},
    ReductionChoice{.value = Reduction::none,
                    .name = "none",
                    .summary = "no exchange: for times only, the ranks' models drift apart",
                    .averages_gradients = false,
                    .can_compress = false}};

[[nodiscard]] constexpr const ReductionChoice& properties_of(Reduction reduction) {
  return choices<Reduction>[static_cast<std::size_t>(reduction)];
}

/// How gradients travel between ranks; error and overflow: suite/engine/reduction/compression.hpp.
enum class Compression { none, fp16, bf16 };
template <>
inline constexpr auto choices<Compression> =
    std::array{Choice{Compression::none, "none", "as they are"},
               Choice{Compression::fp16, "fp16", "in 16 bits, of which 11 are precision"},
               Choice{Compression::bf16, "bf16", "in 16 bits, of which 8 are precision"}};

/// How samples reach the ranks; made by suite/engine/input_pipeline.cpp.
enum class InputKind { sharded, serial, device, synthetic };
template <>
inline constexpr auto choices<InputKind> = std::array{
    Choice{InputKind::sharded, "sharded", "every rank prepares its own share of the samples"},
    Choice{InputKind::serial, "serial",
           "one producer prepares the samples of all ranks, as Keras' generator"},
    Choice{InputKind::device, "device",
           "the training set stays on the device; batches are put together there"},
    Choice{InputKind::synthetic, "synthetic",
           "each rank's first batch again and again: for times only"}};

/// How the runs of two rank counts are compared; declared before any of them is made.
enum class Comparison { paired, independent };
template <>
inline constexpr auto choices<Comparison> = std::array{
    Choice{Comparison::paired, "paired",
           "each repeat on its own: what slows the machine for a while slows all runs of a block"},
    Choice{Comparison::independent, "independent",
           "all runs of one against all runs of the other"}};

/// Timing-only runs beside the study proper. What an arm leaves out at N ranks is compared with
/// what the same costs at one: every arm has a partner there, see partner_at_one_rank().
enum class ControlArm {
  barrier_only,
  no_communication,
  synthetic_input,
  synthetic_input_no_communication,
  no_distributed_path
};
template <>
inline constexpr auto choices<ControlArm> = std::array{
    Choice{ControlArm::barrier_only, "barrier_only",
           "several ranks again that only wait for each other: what moving gradients costs; at one "
           "rank no_distributed_path"},
    Choice{ControlArm::no_communication, "no_communication",
           "several ranks again without exchange: what it costs with waiting; at one rank "
           "no_distributed_path"},
    Choice{ControlArm::synthetic_input, "synthetic_input",
           "every number of ranks again without input work: what it costs at most"},
    Choice{ControlArm::synthetic_input_no_communication, "synthetic_input_no_communication",
           "every number of ranks again without input work and exchange: what hides behind the "
           "other"},
    Choice{ControlArm::no_distributed_path, "no_distributed_path",
           "one rank again without anything for several: what that costs"}};

/// The arm that leaves the same out at one rank, where there is nobody to wait for or to exchange
/// with.
[[nodiscard]] constexpr ControlArm partner_at_one_rank(ControlArm arm) {
  switch (arm) {
    case ControlArm::barrier_only:
    case ControlArm::no_communication:
      return ControlArm::no_distributed_path;
    case ControlArm::synthetic_input:
    case ControlArm::synthetic_input_no_communication:
    case ControlArm::no_distributed_path:
      break;
  }
  return arm;
}

/// What joins the ranks; made by suite/comm/communicator_factory.cpp.
enum class CommunicatorKind { local, threads, shm, mpi };
template <>
inline constexpr auto choices<CommunicatorKind> =
    std::array{Choice{CommunicatorKind::local, "local", "one rank"},
               Choice{CommunicatorKind::threads, "threads", "ranks in one process"},
               Choice{CommunicatorKind::shm, "shm", "processes of one host over shared memory"},
               Choice{CommunicatorKind::mpi, "mpi", "processes of one or more hosts over MPI"}};

/// Whose time a collective takes over an emulated link; by study/link_model.hpp.
enum class LinkAlgorithm { none, ring, tree, recursive_doubling };
template <>
inline constexpr auto choices<LinkAlgorithm> =
    std::array{Choice{LinkAlgorithm::none, "none", "no link is emulated"},
               Choice{LinkAlgorithm::ring, "ring", "around a ring, in as many pieces as ranks"},
               Choice{LinkAlgorithm::tree, "tree", "everything up a binomial tree and down again"},
               Choice{LinkAlgorithm::recursive_doubling, "recursive_doubling",
                      "everything, with a partner twice as far away in each step"}};

/// Which core carries gradients beside the backward pass; by engine/core_placement.hpp.
enum class CommunicationPlacement { anywhere, own_core };
template <>
inline constexpr auto choices<CommunicationPlacement> =
    std::array{Choice{CommunicationPlacement::anywhere, "anywhere", "as the operating system says"},
               Choice{CommunicationPlacement::own_core, "own_core",
                      "each rank's on one of the last cores, where nothing computes"}};

/// What ranks really hand to each other when they sum gradients over an emulated link.
enum class Payload { full, none };
template <>
inline constexpr auto choices<Payload> = std::array{
    Choice{Payload::full, "full", "all gradients"},
    Choice{Payload::none, "none",
           "the last number of each piece, with it the loss weight: ranks meet and wait, any "
           "number of them fit into one machine"}};

/// Where tensors live.
enum class Device { cpu, cuda };
template <>
inline constexpr auto choices<Device> = std::array{Choice{Device::cpu, "cpu", "the processor"},
                                                   Choice{Device::cuda, "cuda", "an NVIDIA GPU"}};

/// Arithmetic of the forward and backward pass.
enum class Precision { fp32, tf32, bf16, fp16 };
template <>
inline constexpr auto choices<Precision> =
    std::array{Choice{Precision::fp32, "fp32"}, Choice{Precision::tf32, "tf32"},
               Choice{Precision::bf16, "bf16"}, Choice{Precision::fp16, "fp16"}};

/// Layout of image tensors.
enum class MemoryFormat { channels_last, contiguous };
template <>
inline constexpr auto choices<MemoryFormat> =
    std::array{Choice{MemoryFormat::channels_last, "channels_last", "a pixel's channels together"},
               Choice{MemoryFormat::contiguous, "contiguous", "one channel after the other"}};

/// How a GPU's convolutions are chosen.
enum class Cudnn { trial, deterministic };
template <>
inline constexpr auto choices<Cudnn> = std::array{
    Choice{Cudnn::trial, "trial", "all are tried on every new shape, the fastest is kept"},
    Choice{Cudnn::deterministic, "deterministic",
           "without a trial, only those whose results repeat bit for bit"}};

/// Where batch norm takes its statistics from (training/batch_norm.hpp).
enum class BatchNormPolicy { local, synchronised, frozen };
template <>
inline constexpr auto choices<BatchNormPolicy> = std::array{
    Choice{BatchNormPolicy::local, "local", "those of each rank's own samples"},
    Choice{BatchNormPolicy::synchronised, "synchronised", "those of the global batch"},
    Choice{BatchNormPolicy::frozen, "frozen", "the initial ones, which stay as they are"}};

enum class Allocator { keep, system };
template <>
inline constexpr auto choices<Allocator> =
    std::array{Choice{Allocator::keep, "keep", "freed memory stays with the process"},
               Choice{Allocator::system, "system", "glibc's default"}};

/// What becomes of samples that do not fill a batch at the end of a pass.
enum class LastBatch { partial, drop };
template <>
inline constexpr auto choices<LastBatch> =
    std::array{Choice{LastBatch::partial, "partial", "they make a smaller batch"},
               Choice{LastBatch::drop, "drop", "they are left out"}};

/// Where Adam adds epsilon.
enum class EpsilonRule { keras, torch };
template <>
inline constexpr auto choices<EpsilonRule> =
    std::array{Choice{EpsilonRule::keras, "keras", "epsilon-hat of Kingma and Ba"},
               Choice{EpsilonRule::torch, "torch", "after the bias correction"}};

/// Made by suite/engine/schedule.cpp.
enum class ScheduleKind { reduce_on_plateau, step, constant };
template <>
inline constexpr auto choices<ScheduleKind> =
    std::array{Choice{ScheduleKind::reduce_on_plateau, "reduce_on_plateau",
                      "reduced when the validation loss stops to fall, as Keras does"},
               Choice{ScheduleKind::step, "step", "reduced at milestones"},
               Choice{ScheduleKind::constant, "constant", "never reduced"}};

/// Whether patience and milestones follow the length of an epoch.
enum class PatienceRule { epochs, samples };
template <>
inline constexpr auto choices<PatienceRule> =
    std::array{Choice{PatienceRule::epochs, "epochs", "patience and milestones are not scaled"},
               Choice{PatienceRule::samples, "samples", "they stay constant in samples"}};

/// How pictures of different sizes come to one size (data/fit.hpp).
enum class Fit { padded, stretched };
template <>
inline constexpr auto choices<Fit> =
    std::array{Choice{Fit::padded, "padded", "the aspect ratio is kept, the rest is black"},
               Choice{Fit::stretched, "stretched", "the aspect ratio is not kept"}};

/// What a pixel of a smaller picture is made of.
enum class ResizeFilter { antialiased, bilinear };
template <>
inline constexpr auto choices<ResizeFilter> =
    std::array{Choice{ResizeFilter::antialiased, "antialiased",
                      "all pixels that it covers, by a triangle that widens, as Pillow"},
               Choice{ResizeFilter::bilinear, "bilinear",
                      "the two nearest along each side, as TensorFlow's resize_with_pad: details "
                      "between them are lost"}};

/// What training does with a set unless its settings.fit says otherwise, and so what packs are made
/// with. Pictures with masks: as the loaders that the U-Net comes from; classes: as ResNet50's.
inline constexpr Fit usual_fit_with_masks = Fit::padded;
inline constexpr Fit usual_fit_in_classes = Fit::stretched;

/// What to do when evaluated samples are trained on as well.
enum class OverlapRule { refuse, record };
template <>
inline constexpr auto choices<OverlapRule> =
    std::array{Choice{OverlapRule::refuse, "refuse", "nothing is trained"},
               Choice{OverlapRule::record, "record", "their number is recorded"}};

}  // namespace scalestudy
