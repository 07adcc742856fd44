/// Everything after the backward pass: nothing is hidden.

#include <algorithm>

#include "engine/reduction/exchange.hpp"
#include "engine/reduction/strategies.hpp"

namespace scalestudy {
namespace {

/// One all-reduce for each piece, one after the other.
class AfterBackward final : public ReductionStrategy {
 public:
  AfterBackward(const ReductionContext& context, std::vector<Piece> pieces)
      : exchange_(context),
        pieces_(std::move(pieces)),
        clock_(context.clock),
        marks_(exchange_.sizes_of(pieces_)) {}
  void begin_step() override {}
  void gradient_ready(std::size_t) override {}
  void finish() override {
    const Mark ready = clock_.mark();
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      marks_[i].ready = ready;
      exchange_.sum(pieces_[i], marks_[i]);
    }
  }
  [[nodiscard]] std::span<const BucketMarks> bucket_marks() const override { return marks_; }

 private:
  GradientExchange exchange_;
  std::vector<Piece> pieces_;
  StepClock& clock_;
  std::vector<BucketMarks> marks_;
};

std::int64_t gradient_count(const ReductionContext& context) {
  return context.flat.count.value() - 1;
}

/// The last one takes the remainder. A piece has at least one gradient, if there is any: the loss
/// weight travels without one.
std::vector<Piece> equal_pieces(std::int64_t most_pieces, std::int64_t gradients) {
  const auto pieces = std::clamp<std::int64_t>(gradients, 1, most_pieces);
  const auto size = gradients / pieces;
  std::vector<Piece> equal;
  for (std::int64_t i = 0; i + 1 < pieces; ++i) equal.push_back({i * size, size});
  const auto rest = (pieces - 1) * size;
  equal.push_back({rest, gradients - rest});
  return equal;
}

}  // namespace

std::unique_ptr<ReductionStrategy> make_flat_after_backward(const ReductionContext& context) {
  return std::make_unique<AfterBackward>(context, std::vector<Piece>{{0, gradient_count(context)}});
}

/// TensorFlow's MirroredStrategy with its NcclAllReduce concatenates all gradients, so that none
/// can leave before the last is there, and splits them whatever the tensors' bounds.
std::unique_ptr<ReductionStrategy> make_packs(const ReductionContext& context) {
  const auto packs = context.settings.packs.count;
  return std::make_unique<AfterBackward>(context,
                                         packs == 0 ? tensor_by_tensor(context.element_counts)
                                                    : equal_pieces(packs, gradient_count(context)));
}

}  // namespace scalestudy
