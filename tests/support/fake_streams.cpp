#include "tests/support/fake_streams.hpp"

#include <utility>

namespace scalestudy::test {

std::size_t FakeStreams::add_stream() {
  const std::lock_guard lock(mutex_);
  streams_.emplace_back();
  return streams_.size() - 1;
}

void FakeStreams::use(StreamOrder order) {
  const std::lock_guard lock(mutex_);
  order_ = order;
  run_eager_streams();
}

void FakeStreams::enqueue(std::size_t stream, Operation operation, double duration_s) {
  add(stream, {std::move(operation), duration_s, nullptr});
}

FakeStreams::PointPtr FakeStreams::record(std::size_t stream) {
  auto point = std::make_shared<Point>(Point{stream});
  const auto reach = [this, point] {
    point->is_reached = true;
    point->at_s = now_s_;
  };
  add(stream, {reach, 0, nullptr});
  return point;
}

void FakeStreams::wait(std::size_t stream, PointPtr point) {
  add(stream, {[] {}, 0, std::move(point)});
}

bool FakeStreams::is_idle(std::size_t stream) {
  const std::lock_guard lock(mutex_);
  return streams_[stream].empty();
}

bool FakeStreams::is_reached(const Point& point) {
  const std::lock_guard lock(mutex_);
  return point.is_reached;
}

void FakeStreams::finish(const Point& point) {
  const std::lock_guard lock(mutex_);
  while (!point.is_reached) run_or_unblock_next(point.stream);
  run_eager_streams();
}

void FakeStreams::finish(std::size_t stream) {
  const std::lock_guard lock(mutex_);
  while (!streams_[stream].empty()) run_or_unblock_next(stream);
  run_eager_streams();
}

void FakeStreams::finish_all() {
  const std::lock_guard lock(mutex_);
  for (std::size_t stream = 0; stream < streams_.size(); ++stream) finish(stream);
}

void FakeStreams::add(std::size_t stream, Entry entry) {
  const std::lock_guard lock(mutex_);
  streams_[stream].push_back(std::move(entry));
  run_eager_streams();
}

/// False when there is nothing that can run.
bool FakeStreams::run_next(std::size_t stream) {
  auto& entries = streams_[stream];
  if (entries.empty()) return false;
  if (const auto& awaited = entries.front().awaited; awaited && !awaited->is_reached) return false;
  const auto entry = std::move(entries.front());
  entries.pop_front();
  now_s_ += entry.duration_s;
  entry.operation();
  return true;
}

void FakeStreams::run_or_unblock_next(std::size_t stream) {
  if (run_next(stream)) return;
  const auto awaited = streams_[stream].front().awaited;
  run_or_unblock_next(awaited->stream);
}

void FakeStreams::run_eager_streams() {
  bool has_run = true;
  while (has_run) {
    has_run = false;
    for (std::size_t stream = 0; stream < streams_.size(); ++stream)
      while (is_eager(stream) && run_next(stream)) has_run = true;
  }
}

bool FakeStreams::is_eager(std::size_t stream) const {
  switch (order_) {
    case StreamOrder::all_late:
      return false;
    case StreamOrder::copying_first:
      return stream != computing;
    case StreamOrder::computing_first:
      return stream == computing;
  }
  return false;
}

}  // namespace scalestudy::test
