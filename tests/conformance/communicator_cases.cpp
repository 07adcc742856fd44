#include "conformance/communicator_cases.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <thread>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "comm/back_ends.hpp"

#include "conformance/communicator_checks.hpp"

namespace scalestudy {

namespace {

/// Nothing, odd, around one chunk and one rank's part of it, and several chunks.
template <class T>
std::vector<std::int64_t> lengths(std::int64_t world,
                                  std::int64_t chunk_bytes,
                                  std::int64_t largest_bytes) {
  const auto size = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t chunk = chunk_bytes / size;
  return {0,
          1,
          3,
          1023,
          8191,
          chunk / world - 1,
          chunk / world + 1,
          chunk - 1,
          chunk,
          chunk + 1,
          2 * chunk,
          largest_bytes / size + 5};
}

/// Goes on after a failure: leaving a collective early would hang the peers.
class Findings {
 public:
  void add(const std::string& finding) {
    if (text_.empty()) text_ = finding;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

template <class T>
std::string all_reduce_of(const Communicator& comm) {
  Findings findings;
  const std::int64_t world = comm.world_size().value();
  for (const std::int64_t count : lengths<T>(world, default_slot_bytes, mib)) {
    for (const ReduceOp op : operations) findings.add(check_all_reduce<T>(comm, count, op));
  }
  return findings.text();
}

template <class T>
std::string reduce_scatter_of(const Communicator& comm) {
  Findings findings;
  const std::int64_t world = comm.world_size().value();
  for (const std::int64_t count : lengths<T>(world, default_slot_bytes / world, mib / world)) {
    for (const ReduceOp op : operations) findings.add(check_reduce_scatter<T>(comm, count, op));
  }
  return findings.text();
}

template <class T>
std::string moves_of(const Communicator& comm) {
  Findings findings;
  const std::int64_t world = comm.world_size().value();
  for (const std::int64_t count : lengths<T>(world, default_slot_bytes, 3 * default_slot_bytes)) {
    findings.add(check_all_gather<T>(comm, count));
    if (count > 0) findings.add(check_all_gather_in_place<T>(comm, count));
    for (Rank root; root.value() < comm.world_size().value(); ++root) {
      findings.add(check_broadcast<T>(comm, count, root));
      findings.add(check_reduce<T>(comm, count, ReduceOp::sum, root));
    }
  }
  return findings.text();
}

/// Float sums depend on their order: the order must be the same on all ranks, each time.
template <class T>
std::string sums_are_bit_equal(const Communicator& comm) {
  Findings findings;
  for (const std::size_t count : {5UL, 1000UL, 300001UL}) {
    std::mt19937 generator(static_cast<unsigned>(17 + comm.rank().value()));
    std::vector<T> values(count);
    for (T& value : values) {
      value = made_of<T>(std::uniform_real_distribution<float>(-1.0F, 1.0F)(generator));
    }
    comm.all_reduce(view_of(std::span(values)));
    const auto hash = static_cast<std::int64_t>(hash_bytes(std::as_bytes(std::span(values))));
    std::vector<std::int64_t> hashes(comm.world_size().index());
    comm.all_gather(const_view_of(std::span(&hash, 1)), view_of(std::span(hashes)));
    for (const std::int64_t other : hashes) {
      if (other != hash) findings.add(cat("the sums of ", count, " numbers differ between ranks"));
    }
  }
  return findings.text();
}

/// In memory of allocate(): from its begin and from within, and around what is worth a second
/// meeting. Beside the data nothing changes.
template <class T>
std::string all_reduce_in_allocated_memory(const Communicator& comm) {
  constexpr std::int64_t most = 100'003;
  const auto own = comm.duplicate("memory");
  const auto memory = own.allocate(ByteCount((most + 64) * static_cast<std::int64_t>(sizeof(T))));
  if (!memory) return "";
  T* const values = reinterpret_cast<T*>(memory.get());
  Findings findings;
  for (const std::int64_t first : {0, 1, 33})
    for (const std::int64_t count : {std::int64_t{0}, std::int64_t{5}, 1 + 8 * kib, most})
      for (const ReduceOp op : operations) {
        const auto mine = inputs<T>(own.rank().value(), count);
        std::fill_n(values, most + 64, made_of<T>(7));
        std::copy(mine.begin(), mine.end(), values + first);
        own.all_reduce({values + first, ElementCount(count), data_type_of<T>()}, op);
        const std::vector<T> after(values, values + most + 64);
        findings.add(compare(after, cat("all_reduce at ", first), [&](std::int64_t i) {
          const bool is_inside = i >= first && i < first + count;
          return is_inside ? reduced(own.world_size().value(), i - first, op) : 7;
        }));
        own.barrier();  // before anybody writes its own again
      }
  return findings.text();
}

/// Wherever numbers lie, their sum is the same, bit for bit.
std::string sums_do_not_depend_on_memory(const Communicator& comm) {
  constexpr std::size_t count = 30'001;
  const auto own = comm.duplicate("memory");
  const auto memory = own.allocate(ByteCount(static_cast<std::int64_t>(count * sizeof(float))));
  if (!memory) {
    const bool is_shared = comm.name() == "shm" || comm.name() == "threads";
    return is_shared ? "no memory that all ranks reach" : "";
  }
  const std::span values(reinterpret_cast<float*>(memory.get()), count);
  Findings findings;
  if (std::any_of(values.begin(), values.end(), [](float value) { return value != 0; }))
    findings.add("fresh memory is not zero");
  std::mt19937 generator(static_cast<unsigned>(29 + comm.rank().value()));
  for (float& value : values) value = std::uniform_real_distribution<float>(-1.0F, 1.0F)(generator);
  std::vector<float> elsewhere(values.begin(), values.end());
  own.all_reduce(view_of(values));
  own.all_reduce(view_of(std::span(elsewhere)));
  if (std::memcmp(values.data(), elsewhere.data(), values.size_bytes()) != 0)
    findings.add("sums differ between shared memory and other");
  return findings.text();
}

/// Small operations of all kinds in quick succession: food for the race detector.
std::string mixed_sequence(const Communicator& comm) {
  Findings findings;
  std::mt19937 generator(4711);  // the same sequence on all ranks
  for (std::int64_t step = 0; step < 400; ++step) {
    const auto count = static_cast<std::int64_t>(generator() % 70);
    const ReduceOp op = operations[generator() % operations.size()];
    const Rank root(static_cast<std::int64_t>(generator()) % comm.world_size().value());
    switch (generator() % 7) {
      case 0:
        findings.add(check_all_reduce<float>(comm, count, op, step));
        break;
      case 1:
        findings.add(check_broadcast<std::uint8_t>(comm, count, root, step));
        break;
      case 2:
        findings.add(check_all_gather<double>(comm, count, step));
        break;
      case 3:
        findings.add(check_reduce_scatter<std::int64_t>(comm, count, op, step));
        break;
      case 4:
        findings.add(check_reduce<float>(comm, 30 * count, op, root, step));
        break;
      case 5:
        findings.add(check_all_reduce<double>(comm, 4000 * count, op, step));
        break;
      default:
        comm.barrier();
    }
  }
  return findings.text();
}

std::string nobody_leaves_a_barrier_early(const Communicator& comm) {
  Findings findings;
  for (Rank late; late.value() < comm.world_size().value(); ++late) {
    if (comm.rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const double before_s = now_s();
    comm.barrier();
    const double after_s = now_s();
    const double last_arrival_s = all_reduce_value(comm, before_s, ReduceOp::max);
    if (after_s < last_arrival_s) findings.add(cat("the barrier did not wait for rank ", late));
  }
  return findings.text();
}

std::string values_and_texts(const Communicator& comm) {
  Findings findings;
  const auto world = static_cast<double>(comm.world_size().value());
  const auto rank = static_cast<double>(comm.rank().value());
  if (all_reduce_value(comm, rank + 1) != world * (world + 1) / 2) findings.add("wrong sum");
  if (all_reduce_value(comm, rank, ReduceOp::min) != 0) findings.add("wrong minimum");
  if (all_reduce_value(comm, rank, ReduceOp::max) != world - 1) findings.add("wrong maximum");

  const auto text_of = [](std::int64_t index) {
    return std::string(static_cast<std::size_t>(index * 3), static_cast<char>('a' + index));
  };
  const auto texts = all_gather_text(comm, text_of(comm.rank().value()));
  for (std::int64_t peer = 0; peer < comm.world_size().value(); ++peer) {
    if (texts.at(static_cast<std::size_t>(peer)) != text_of(peer)) {
      findings.add(cat("wrong text of rank ", peer));
    }
  }
  for (const auto& text : all_gather_text(comm, "")) {
    if (!text.empty()) findings.add("an empty text came back as " + text);
  }
  return findings.text();
}

/// A wrong count is a bug of the caller; it must be refused before anybody waits.
std::string wrong_counts_are_refused(const Communicator& comm) {
  std::vector<float> mine(4);
  std::vector<float> all(4 * comm.world_size().index() + 1);
  Findings findings;
  const auto expect_refusal = [&](const char* what, const auto& call) {
    try {
      call();
      findings.add(cat(what, " was accepted"));
    } catch (const InternalError&) {
    }
  };
  expect_refusal("all_gather of a wrong count",
                 [&] { comm.all_gather(view_of(std::span(mine)), view_of(std::span(all))); });
  expect_refusal("reduce_scatter of a wrong count",
                 [&] { comm.reduce_scatter(view_of(std::span(all)), view_of(std::span(mine))); });
  expect_refusal("a root outside the world", [&] {
    comm.broadcast(view_of(std::span(mine)), Rank(comm.world_size().value()));
  });
  expect_refusal("a null buffer", [&] {
    comm.all_reduce({nullptr, ElementCount(1), DataType::float32});
  });
  comm.barrier();
  return findings.text();
}

double seconds_of(Clock::time_point time) {
  return Seconds(time.time_since_epoch()).count();
}

/// What was wrong with the times of an operation. Ranks share one clock here, so this holds however
/// late the machine lets any of them run: all have come once the last has entered, and before the
/// first leaves. Collective.
std::string check_times(const Communicator& comm, const CollectiveTimes& times) {
  constexpr double rounding_s = 1e-6;
  Findings findings;
  const double arrived_s = seconds_of(times.all_arrived);
  const auto latest = [&](double value_s) {
    return all_reduce_value(comm, value_s, ReduceOp::max);
  };
  if (arrived_s < latest(seconds_of(times.entered)) - rounding_s)
    findings.add("all had come before the last rank had");
  if (arrived_s > -latest(-seconds_of(times.left)) + rounding_s)
    findings.add("a rank left before all had come");
  if (arrived_s < latest(arrived_s) - rounding_s) findings.add("ranks differ on when all had come");
  return findings.text();
}

std::string times_tell_when_all_had_come(const Communicator& comm) {
  constexpr Seconds late{0.03};
  std::vector<float> few(4, 1.0F);
  std::vector<float> many(4 * comm.world_size().index() + 100'000, 1.0F);
  std::vector<float> all(4 * comm.world_size().index());
  Findings findings;
  const auto check = [&](const auto& operation) {
    comm.barrier();
    if (comm.rank().value() == comm.world_size().value() - 1) std::this_thread::sleep_for(late);
    findings.add(check_times(comm, operation()));
  };
  check([&] { return comm.barrier(); });
  check([&] { return comm.agree({CallKind::all_reduce, DataType::float32, ReduceOp::sum, 0, 4}); });
  check([&] { return comm.all_reduce(view_of(std::span(few))); });
  check([&] { return comm.all_reduce(view_of(std::span(many))); });
  check([&] { return comm.reduce(view_of(std::span(few)), ReduceOp::sum, Rank(0)); });
  check([&] { return comm.broadcast(view_of(std::span(few)), Rank(0)); });
  check([&] { return comm.all_gather(view_of(std::span(few)), view_of(std::span(all))); });
  check([&] { return comm.reduce_scatter(view_of(std::span(all)), view_of(std::span(few))); });
  return findings.text();
}

/// What a duplicate carries meets nothing of the original: here one thread each, in any order.
std::string duplicates_are_apart(const Communicator& comm) {
  const auto second = comm.duplicate("second");
  const auto third = second.duplicate("of its own");
  Findings findings;
  if (second.rank() != comm.rank() || second.world_size() != comm.world_size())
    findings.add("a duplicate is another rank");
  std::string beside;
  std::thread thread([&] {
    for (int i = 0; i < 50 && beside.empty(); ++i)
      beside = check_all_reduce<float>(second, 1000 + i, ReduceOp::sum);
  });
  for (int i = 0; i < 50; ++i) findings.add(check_broadcast<double>(comm, 77, Rank(0), i));
  for (int i = 0; i < 5; ++i) findings.add(check_all_gather<float>(third, 5, i));
  thread.join();
  findings.add(beside);
  return findings.text();
}

/// Halves whose ranks stand in turn, and everybody alone.
std::string parts_of_the_ranks_are_apart(const Communicator& comm) {
  Findings findings;
  const auto rank = comm.rank().value();
  const auto world = comm.world_size().value();
  const auto half = comm.split(rank % 2, "halves");
  const auto expected_size = (world + 1 - rank % 2) / 2;
  if (half.rank().value() != rank / 2 || half.world_size().value() != expected_size)
    findings.add(cat("rank ", rank, " is rank ", half.rank(), " of ", half.world_size()));
  double sum = 0;
  for (std::int64_t peer = rank % 2; peer < world; peer += 2) sum += static_cast<double>(peer);
  if (all_reduce_value(half, static_cast<double>(rank)) != sum)
    findings.add("the halves are mixed");
  findings.add(check_all_gather<float>(half.duplicate("again"), 33));
  const auto alone = comm.split(rank, "alone");
  if (all_reduce_value(alone, static_cast<double>(rank)) != static_cast<double>(rank))
    findings.add("a rank alone is not alone");
  findings.add(check_all_reduce<float>(comm, 100, ReduceOp::sum));
  return findings.text();
}

constexpr std::array<CommunicatorCase, 32> cases{{
    {"all_reduce_float32", all_reduce_of<float>},
    {"all_reduce_float64", all_reduce_of<double>},
    {"all_reduce_int64", all_reduce_of<std::int64_t>},
    {"all_reduce_uint8", all_reduce_of<std::uint8_t>},
    {"reduce_scatter_float32", reduce_scatter_of<float>},
    {"reduce_scatter_float64", reduce_scatter_of<double>},
    {"reduce_scatter_int64", reduce_scatter_of<std::int64_t>},
    {"reduce_scatter_uint8", reduce_scatter_of<std::uint8_t>},
    {"moves_float32", moves_of<float>},
    {"moves_float64", moves_of<double>},
    {"moves_int64", moves_of<std::int64_t>},
    {"moves_uint8", moves_of<std::uint8_t>},
    {"all_reduce_float16", all_reduce_of<Float16>},
    {"all_reduce_bfloat16", all_reduce_of<Bfloat16>},
    {"reduce_scatter_float16", reduce_scatter_of<Float16>},
    {"reduce_scatter_bfloat16", reduce_scatter_of<Bfloat16>},
    {"moves_float16", moves_of<Float16>},
    {"moves_bfloat16", moves_of<Bfloat16>},
    {"float_sums_are_bit_equal", sums_are_bit_equal<float>},
    {"float16_sums_are_bit_equal", sums_are_bit_equal<Float16>},
    {"bfloat16_sums_are_bit_equal", sums_are_bit_equal<Bfloat16>},
    {"all_reduce_in_allocated_memory_float32", all_reduce_in_allocated_memory<float>},
    {"all_reduce_in_allocated_memory_float64", all_reduce_in_allocated_memory<double>},
    {"all_reduce_in_allocated_memory_bfloat16", all_reduce_in_allocated_memory<Bfloat16>},
    {"sums_do_not_depend_on_memory", sums_do_not_depend_on_memory},
    {"mixed_sequence", mixed_sequence},
    {"nobody_leaves_a_barrier_early", nobody_leaves_a_barrier_early},
    {"values_and_texts", values_and_texts},
    {"wrong_counts_are_refused", wrong_counts_are_refused},
    {"times_tell_when_all_had_come", times_tell_when_all_had_come},
    {"duplicates_are_apart", duplicates_are_apart},
    {"parts_of_the_ranks_are_apart", parts_of_the_ranks_are_apart},
}};

}  // namespace

std::span<const CommunicatorCase> communicator_cases() {
  return cases;
}

}  // namespace scalestudy
