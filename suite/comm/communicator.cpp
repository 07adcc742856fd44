#include "comm/communicator.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"

namespace scalestudy {

CommunicatorInterface::~CommunicatorInterface() = default;

std::shared_ptr<std::byte> CommunicatorInterface::allocate(ByteCount) {
  return nullptr;
}

CollectiveTimes CommunicatorInterface::agree(const CallSignature&) {
  return barrier(std::nullopt);
}

StartedCollective CommunicatorInterface::start(const CollectiveCall& call, CudaEvent /*after*/) {
  const auto& [signature, from, into] = call;
  const Rank root(signature.root);
  switch (signature.kind) {
    case CallKind::all_reduce:
      return {signature, all_reduce(into, signature.op)};
    case CallKind::reduce:
      return {signature, reduce(into, signature.op, root)};
    case CallKind::broadcast:
      return {signature, broadcast(into, root)};
    case CallKind::all_gather:
      return {signature, all_gather(from, into)};
    case CallKind::reduce_scatter:
      return {signature, reduce_scatter(from, into, signature.op)};
    case CallKind::barrier:
      return {signature, barrier(std::nullopt)};
  }
  SCALESTUDY_EXPECT(false);
}

void CommunicatorInterface::throw_if_aborted() {}

void CommunicatorInterface::throw_if_ended() {}

namespace {

bool is_usable(const CommunicatorInterface& back_end, const ConstBufferView& view) {
  if (view.count.value() == 0) return true;
  if (view.count.value() < 0 || view.data == nullptr) return false;
  // One rank alone needs to reach no memory.
  return view.place == back_end.place() || back_end.world_size() == WorldSize(1);
}

bool is_in(Rank rank, WorldSize world) {
  return rank.value() >= 0 && rank.value() < world.value();
}

bool is_world_times(const ConstBufferView& all, const ConstBufferView& mine, WorldSize world) {
  return all.type == mine.type && all.count.value() == world.value() * mine.count.value();
}

}  // namespace

Communicator::Communicator(std::shared_ptr<CommunicatorInterface> back_end)
    : back_end_(std::move(back_end)) {
  SCALESTUDY_EXPECT(back_end_ != nullptr);
}

CollectiveTimes Communicator::all_reduce(BufferView buffer, ReduceOp op) const {
  SCALESTUDY_EXPECT(is_usable(*back_end_, buffer));
  return back_end_->all_reduce(buffer, op);
}

CollectiveTimes Communicator::reduce(BufferView buffer, ReduceOp op, Rank root) const {
  SCALESTUDY_EXPECT(is_usable(*back_end_, buffer) && is_in(root, world_size()));
  return back_end_->reduce(buffer, op, root);
}

CollectiveTimes Communicator::broadcast(BufferView buffer, Rank root) const {
  SCALESTUDY_EXPECT(is_usable(*back_end_, buffer) && is_in(root, world_size()));
  return back_end_->broadcast(buffer, root);
}

CollectiveTimes Communicator::all_gather(ConstBufferView mine, BufferView all) const {
  SCALESTUDY_EXPECT(is_usable(*back_end_, mine) && is_usable(*back_end_, all));
  SCALESTUDY_EXPECT(is_world_times(all, mine, world_size()));
  return back_end_->all_gather(mine, all);
}

CollectiveTimes Communicator::reduce_scatter(ConstBufferView all,
                                             BufferView mine,
                                             ReduceOp op) const {
  SCALESTUDY_EXPECT(is_usable(*back_end_, mine) && is_usable(*back_end_, all));
  SCALESTUDY_EXPECT(is_world_times(all, mine, world_size()));
  return back_end_->reduce_scatter(all, mine, op);
}

Communicator Communicator::host() const {
  const auto* const host = back_end_->host();
  return host != nullptr ? *host : *this;
}

StartedCollective Communicator::start(const CollectiveCall& call, CudaEvent after) const {
  SCALESTUDY_EXPECT(is_usable(*back_end_, call.from) && is_usable(*back_end_, call.into));
  SCALESTUDY_EXPECT(is_on_stream() == (after != nullptr));
  return back_end_->start(call, after);
}

CollectiveTimes Communicator::barrier() const {
  return back_end_->barrier(std::nullopt);
}

CollectiveTimes Communicator::barrier(Seconds deadline) const {
  return back_end_->barrier(deadline);
}

std::shared_ptr<std::byte> Communicator::allocate(ByteCount bytes) const {
  SCALESTUDY_EXPECT(bytes.value() >= 0);
  return back_end_->allocate(bytes);
}

Communicator Communicator::duplicate(const std::string& purpose) const {
  return Communicator(back_end_->duplicate(purpose));
}

Communicator Communicator::split(std::int64_t group, const std::string& purpose) const {
  SCALESTUDY_EXPECT(group >= 0);
  return Communicator(back_end_->split(group, purpose));
}

double all_reduce_value(const Communicator& comm, double value, ReduceOp op) {
  comm.all_reduce({&value, ElementCount(1), DataType::float64}, op);
  return value;
}

std::vector<std::string> all_gather_text(const Communicator& comm, const std::string& mine) {
  const auto world = comm.world_size().index();
  const auto length = static_cast<std::int64_t>(mine.size());
  std::vector<std::int64_t> lengths(world);
  comm.all_gather({&length, ElementCount(1), DataType::int64}, view_of(std::span(lengths)));

  // Equal counts on all ranks: pad to the longest text.
  const auto longest = static_cast<std::size_t>(*std::max_element(lengths.begin(), lengths.end()));
  std::vector<std::uint8_t> padded(longest, 0);
  std::copy(mine.begin(), mine.end(), padded.begin());
  std::vector<std::uint8_t> all(world * longest);
  comm.all_gather(view_of(std::span(padded)), view_of(std::span(all)));

  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < world; ++rank) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(rank * longest);
    texts.emplace_back(first, first + lengths[rank]);
  }
  return texts;
}

}  // namespace scalestudy
