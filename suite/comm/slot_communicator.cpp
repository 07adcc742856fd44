#include "comm/slot_communicator.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <sched.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/reduction.hpp"

namespace scalestudy {

namespace {

/// Below this a second meeting costs more than every rank's reducing everything.
constexpr std::int64_t reduce_alone_bytes = 8 * kib;
/// Likewise for two ranks, which reduce everything without copying the result.
constexpr std::int64_t halve_bytes = 64 * kib;
/// Of several ranks' data in a first-level cache.
constexpr std::int64_t cached_bytes = 8 * kib;
/// About 20 µs, less than a wake-up costs: ranks that sum in step are apart by less. No more, as
/// the waiting thread often shares its core with the one that computes.
constexpr int spins = 400;

void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Data passes through the slots in chunks: each rank writes its part into its own slot, all meet
/// (each says that it has arrived, then waits for the others), and each reads from the others'
/// slots. Chunks use the two halves of the slots in turn, and a rank reads a chunk before it
/// arrives at the next one. So whoever has met all others in chunk k + 1 may overwrite the half of
/// chunk k: one meeting per chunk is enough. What a rank was called for travels with its chunk, so
/// that ranks which called different operations notice it at the meeting instead of mixing data.
/// Only all_reduce of large chunks meets twice: every rank reduces one part into slot 0 in rank
/// order, which makes the result bit-equal everywhere, and all copy the whole; of two ranks each
/// reduces one half of its own memory and puts it into its slot, too. What lies in memory that all
/// can reach passes through no slot: every rank reduces one part where it lies, and writes it into
/// the memory of all.
class SlotCommunicator final : public CommunicatorInterface {
 public:
  explicit SlotCommunicator(SlotRank place)
      : place_(std::move(place)), block_(*place_.block), world_(block_.world_size().value()) {}

  [[nodiscard]] std::string_view name() const override { return place_.name; }
  [[nodiscard]] std::string transport() const override { return place_.transport; }
  [[nodiscard]] Rank rank() const override { return place_.rank; }
  [[nodiscard]] WorldSize world_size() const override { return block_.world_size(); }

  CollectiveTimes all_reduce(BufferView buffer, ReduceOp op) override {
    begin({CallKind::all_reduce, buffer.type, op, 0, buffer.count.value(), place_of(buffer)});
    if (call_.signature.place >= 0) return reduce_where_it_lies(buffer, op);
    for_each_chunk(buffer, slot_elements(buffer.type), [&](std::int64_t first, std::int64_t count) {
      const BufferView chunk = part_of(buffer, first, count);
      if (world_ == 2 && chunk.bytes().value() > halve_bytes) return exchange_halves(chunk, op);
      copy(my_slot(), chunk);
      meet();
      if (world_ == 2) return combine_with_peer(chunk, 0, op);
      if (chunk.bytes().value() <= reduce_alone_bytes) return reduce_slots(chunk, 0, op);
      reduce_by_parts(chunk, op);
    });
    return finished();
  }

  CollectiveTimes reduce(BufferView buffer, ReduceOp op, Rank root) override {
    begin({CallKind::reduce, buffer.type, op, static_cast<std::int32_t>(root.value()),
           buffer.count.value()});
    for_each_chunk(buffer, slot_elements(buffer.type), [&](std::int64_t first, std::int64_t count) {
      const BufferView chunk = part_of(buffer, first, count);
      copy(my_slot(), chunk);
      meet();
      if (rank() == root) reduce_slots(chunk, 0, op);
    });
    return finished();
  }

  CollectiveTimes broadcast(BufferView buffer, Rank root) override {
    begin({CallKind::broadcast, buffer.type, ReduceOp::sum, static_cast<std::int32_t>(root.value()),
           buffer.count.value()});
    for_each_chunk(buffer, slot_elements(buffer.type), [&](std::int64_t first, std::int64_t count) {
      const BufferView chunk = part_of(buffer, first, count);
      if (rank() == root) copy(my_slot(), chunk);
      meet();
      if (rank() != root) copy(chunk.data, in_slot(root, 0, chunk));
    });
    return finished();
  }

  CollectiveTimes all_gather(ConstBufferView mine, BufferView all) override {
    begin({CallKind::all_gather, mine.type, ReduceOp::sum, 0, mine.count.value()});
    for_each_chunk(mine, slot_elements(mine.type), [&](std::int64_t first, std::int64_t count) {
      copy(my_slot(), part_of(mine, first, count));
      meet();
      for (Rank peer; peer.value() < world_; ++peer) {
        const auto out = part_of(all, peer.value() * mine.count.value() + first, count);
        copy(out.data, in_slot(peer, 0, out));
      }
    });
    return finished();
  }

  CollectiveTimes reduce_scatter(ConstBufferView all, BufferView mine, ReduceOp op) override {
    begin({CallKind::reduce_scatter, mine.type, op, 0, mine.count.value()});
    const std::int64_t most = slot_elements(mine.type) / world_;
    for_each_chunk(mine, most, [&](std::int64_t first, std::int64_t count) {
      for (std::int64_t part = 0; part < world_; ++part) {
        const auto piece = part_of(all, part * mine.count.value() + first, count);
        copy(my_slot() + part * piece.bytes().value(), piece);
      }
      meet();
      reduce_slots(part_of(mine, first, count), rank().value() * count, op);
    });
    return finished();
  }

  CollectiveTimes barrier(std::optional<Seconds> deadline) override {
    const auto usual = std::exchange(place_.deadline, deadline.value_or(place_.deadline));
    begin({});
    next_chunk();
    meet();
    place_.deadline = usual;
    return finished();
  }

  CollectiveTimes agree(const CallSignature& call) override {
    begin(call);
    next_chunk();
    meet();
    return finished();
  }

  void throw_if_aborted() override { block_.throw_if_failed(); }
  void throw_if_ended() override {
    for (Rank peer; peer.value() < world_; ++peer)
      if (place_.peers.has_ended(peer)) block_.fail(cat(place_.peers.description(peer), " ended"));
    block_.throw_if_failed();
  }

  std::shared_ptr<CommunicatorInterface> duplicate(const std::string& purpose) override {
    return joined(place_.apart({purpose}, rank(), world_size()));
  }

  std::shared_ptr<CommunicatorInterface> split(std::int64_t group,
                                               const std::string& purpose) override {
    std::vector<std::int64_t> groups(world_size().index());
    all_gather({&group, ElementCount(1), DataType::int64}, view_of(std::span(groups)));
    const auto mine = groups.begin() + rank().value();
    return joined(place_.apart({cat(purpose, "-", group)},
                               Rank(std::count(groups.begin(), mine, group)),
                               WorldSize(std::count(groups.begin(), groups.end(), group))));
  }

  /// Both slots of a rank lie one after the other.
  std::shared_ptr<std::byte> allocate(ByteCount bytes) override {
    SCALESTUDY_EXPECT(memory_ == nullptr);
    constexpr std::int64_t alignment = 64;
    const auto slot_bytes =
        (std::max<std::int64_t>(bytes.value(), 1) / (2 * alignment) + 1) * alignment;
    memory_ = place_.apart({"memory", slot_bytes}, rank(), world_size()).block;
    return {memory_, memory_->slot(rank(), 0)};
  }

  void set_clock_offset(Seconds ahead) override { clock_.set_offset(ahead); }

  void abort(const std::string& reason, ExitCode) noexcept override {
    try {
      block_.fail(cat("rank ", rank(), " aborted: ", reason));
    } catch (...) {
      block_.fail("a rank aborted");
    }
  }

 private:
  /// By this rank's clock.
  [[nodiscard]] std::shared_ptr<SlotCommunicator> joined(SlotRank place) const {
    auto other = std::make_shared<SlotCommunicator>(std::move(place));
    other->clock_ = clock_;
    return other;
  }

  void begin(const CallSignature& signature) {
    block_.throw_if_failed();
    times_.entered = Clock::now();
    call_ = {signature, clock_.stamp_of(times_.entered)};
  }

  [[nodiscard]] CollectiveTimes finished() {
    times_.left = Clock::now();
    return times_;
  }

  /// In bytes from the begin of this rank's memory; −1 where it is not worth a second meeting, or
  /// lies elsewhere.
  [[nodiscard]] std::int64_t place_of(const BufferView& buffer) const {
    if (memory_ == nullptr || buffer.bytes().value() <= reduce_alone_bytes) return -1;
    const auto place = static_cast<const std::byte*>(buffer.data) - memory_->slot(rank(), 0);
    return place >= 0 && place < 2 * memory_->slot_bytes() ? place : -1;
  }

  CollectiveTimes reduce_where_it_lies(const BufferView& buffer, ReduceOp op) {
    next_chunk();
    meet();
    const auto at_rank = [&](std::int64_t peer, std::int64_t first, std::int64_t count) {
      const BufferView theirs{memory_->slot(Rank(peer), 0) + call_.signature.place, buffer.count,
                              buffer.type};
      return part_of(theirs, first, count);
    };
    for_each_block_of_share(buffer, [&](std::int64_t first, std::int64_t length) {
      const auto sum = at_rank(0, first, length);
      for (std::int64_t peer = 1; peer < world_; ++peer)
        combine(sum, sum, at_rank(peer, first, length), op);
      for (std::int64_t peer = 1; peer < world_; ++peer)
        copy(at_rank(peer, first, length).data, sum);
    });
    meet();
    return finished();
  }

  /// Where the part of `count` elements begins that a rank reduces; it ends where the next begins.
  [[nodiscard]] std::int64_t share_begin(std::int64_t count, Rank of) const {
    return count * of.value() / world_;
  }
  [[nodiscard]] std::int64_t share_end(std::int64_t count, Rank of) const {
    return share_begin(count, Rank(of.value() + 1));
  }

  /// Of this rank's part, so that what was summed is still in the cache when it goes to the others.
  template <class Body>
  void for_each_block_of_share(const ConstBufferView& whole, Body body) {
    const auto most = cached_bytes / size_of(whole.type);
    const auto end = share_end(whole.count.value(), rank());
    for (auto first = share_begin(whole.count.value(), rank()); first < end; first += most)
      body(first, std::min(most, end - first));
  }

  [[nodiscard]] std::int64_t slot_elements(DataType type) const {
    return block_.slot_bytes() / size_of(type);
  }
  [[nodiscard]] std::byte* my_slot() { return block_.slot(rank(), half_); }

  /// The data that `peer` has put into its slot, from element `first`, in the shape of `like`.
  [[nodiscard]] BufferView in_slot(Rank peer, std::int64_t first, const ConstBufferView& like) {
    return {block_.slot(peer, half_) + first * size_of(like.type), like.count, like.type};
  }

  /// At least one chunk, so that an operation on nothing keeps order with the others too.
  template <class Body>
  void for_each_chunk(const ConstBufferView& whole, std::int64_t most, Body body) {
    SCALESTUDY_EXPECT(most >= 1);
    std::int64_t first = 0;
    do {
      const std::int64_t count = std::min(most, whole.count.value() - first);
      next_chunk();
      body(first, count);
      first += count;
    } while (first < whole.count.value());
  }

  void next_chunk() {
    half_ = 1 - half_;
    block_.call(rank(), half_) = call_;
  }

  /// With what lies in the peer's slot from element `first`. Each reads its own data where it is;
  /// left and right keep rank order.
  void combine_with_peer(const BufferView& mine, std::int64_t first, ReduceOp op) {
    const Rank peer(1 - rank().value());
    const ConstBufferView theirs = in_slot(peer, first, mine);
    if (rank() < peer) {
      combine(mine, mine, theirs, op);
    } else {
      combine(mine, theirs, mine, op);
    }
  }

  /// Each rank sums one half, so that only the other one passes through its slot on the way there.
  void exchange_halves(const BufferView& chunk, ReduceOp op) {
    const Rank peer(1 - rank().value());
    const auto count = chunk.count.value();
    const auto begin = share_begin(count, peer);
    const auto theirs = part_of(chunk, begin, share_end(count, peer) - begin);
    copy(in_slot(rank(), begin, theirs).data, theirs);
    meet();
    for_each_block_of_share(chunk, [&](std::int64_t first, std::int64_t length) {
      const auto sum = part_of(chunk, first, length);
      combine_with_peer(sum, first, op);
      copy(in_slot(rank(), first, sum).data, sum);
    });
    meet();
    copy(theirs.data, in_slot(peer, begin, theirs));
  }

  /// In rank order, so that the result does not depend on who computes it.
  void reduce_slots(const BufferView& out, std::int64_t first, ReduceOp op) {
    if (world_ == 1) return copy(out.data, in_slot(Rank(0), first, out));
    combine(out, in_slot(Rank(0), first, out), in_slot(Rank(1), first, out), op);
    for (Rank peer(2); peer.value() < world_; ++peer) {
      combine(out, out, in_slot(peer, first, out), op);
    }
  }

  /// Every rank reduces its part into slot 0, then all copy the whole.
  void reduce_by_parts(const BufferView& chunk, ReduceOp op) {
    const std::int64_t count = chunk.count.value();
    const std::int64_t first = share_begin(count, rank());
    const std::int64_t length = share_end(count, rank()) - first;
    reduce_slots(part_of(in_slot(Rank(0), 0, chunk), first, length), first, op);
    meet();
    copy(chunk.data, in_slot(Rank(0), 0, chunk));
  }

  /// Returns when every rank has come as far as this one.
  void meet() {
    block_.arrive(rank(), ++sequence_);
    for (Rank peer; peer.value() < world_; ++peer) await(peer);
    std::int64_t last_entered = call_.entered;
    for (Rank peer; peer.value() < world_; ++peer) {
      const Call theirs = block_.call(peer, half_);
      require_my_call(theirs.signature, peer);
      last_entered = std::max(last_entered, theirs.entered);
    }
    times_.all_arrived = clock_.own_time_of(last_entered);
  }

  void await(Rank peer) {
    for (int spin = 0; spin < spins; ++spin) {
      if (block_.has_arrived(peer, sequence_)) return;
      pause_core();
    }
    ::sched_yield();
    const Clock::time_point start = Clock::now();
    while (!block_.has_arrived(peer, sequence_)) {
      block_.throw_if_failed();
      block_.doze(peer, sequence_);
      if (!block_.has_arrived(peer, sequence_)) give_up_when_hopeless(start);
    }
  }

  /// Tells all ranks, so that each throws the same text at once.
  void give_up_when_hopeless(Clock::time_point start) {
    const bool is_late = Clock::now() - start > place_.deadline;
    std::vector<std::string> late;
    for (Rank peer; peer.value() < world_; ++peer) {
      if (place_.peers.has_ended(peer) && !block_.has_arrived(peer, sequence_)) {
        block_.fail(cat(place_.peers.description(peer), " ended before it reached ",
                        to_text(call_.signature)));
      }
      if (is_late && !block_.has_arrived(peer, sequence_)) {
        late.push_back(place_.peers.description(peer));
      }
    }
    if (!late.empty()) {
      block_.fail(cat(join(late, ", "), " did not reach ", to_text(call_.signature), " within ",
                      human_duration(place_.deadline.count())));
    }
  }

  void require_my_call(const CallSignature& theirs, Rank peer) {
    if (theirs == call_.signature) return;
    block_.fail(cat("rank ", peer, " called ", to_text(theirs), " where rank ", rank(), " called ",
                    to_text(call_.signature)));
    block_.throw_if_failed();
  }

  SlotRank place_;
  SlotBlock& block_;
  std::shared_ptr<SlotBlock> memory_;  ///< of allocate(): its slots are the ranks' memory
  std::int64_t world_;
  CommonClock clock_;
  Call call_;
  CollectiveTimes times_;
  std::uint32_t sequence_ = 0;
  int half_ = 0;
};

}  // namespace

Communicator make_slot_communicator(SlotRank place) {
  return Communicator(std::make_shared<SlotCommunicator>(std::move(place)));
}

}  // namespace scalestudy
