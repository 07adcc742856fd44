#pragma once
/// Streams and events of a device that is none: operations wait in their stream until somebody must
/// have their results, or until the order asks for them. What waits too little is found, because
/// each order runs one stream as early and another one as late as the events permit.

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace scalestudy::test {

/// Which streams run as soon as they can; the others run only when somebody waits for them.
enum class StreamOrder { all_late, copying_first, computing_first };

class FakeStreams {
 public:
  /// A point in a stream, and the device's time when it was reached.
  struct Point {
    std::size_t stream = 0;
    bool is_reached = false;
    double at_s = 0;
  };
  using PointPtr = std::shared_ptr<Point>;
  using Operation = std::function<void()>;

  static constexpr std::size_t computing = 0;  ///< every other stream copies

  /// For who passes streams on without knowing them.
  static void* handle_of(std::size_t stream) { return reinterpret_cast<void*>(stream + 1); }
  static std::size_t stream_of(const void* handle) {
    return reinterpret_cast<std::size_t>(handle) - 1;
  }

  /// Returns its number.
  std::size_t add_stream();
  void use(StreamOrder order);

  void enqueue(std::size_t stream, Operation operation, double duration_s);
  [[nodiscard]] PointPtr record(std::size_t stream);
  /// What is enqueued on `stream` from now on runs after `point`.
  void wait(std::size_t stream, PointPtr point);

  [[nodiscard]] bool is_idle(std::size_t stream);
  [[nodiscard]] bool is_reached(const Point& point);
  /// The host waits.
  void finish(const Point& point);
  void finish(std::size_t stream);
  void finish_all();

 private:
  struct Entry {
    Operation operation;
    double duration_s = 0;
    PointPtr awaited;  ///< null: it waits for nothing
  };

  void add(std::size_t stream, Entry entry);
  bool run_next(std::size_t stream);
  void run_or_unblock_next(std::size_t stream);
  void run_eager_streams();
  [[nodiscard]] bool is_eager(std::size_t stream) const;

  std::recursive_mutex mutex_;  // the backward pass has a thread of its own
  std::vector<std::deque<Entry>> streams_{1};
  StreamOrder order_ = StreamOrder::all_late;
  double now_s_ = 0;  ///< the device does one thing after the other
};

}  // namespace scalestudy::test
