#pragma once
/// What the ranks send, and what they must get. Small whole numbers, whose sums every type holds
/// exactly: a result is right or wrong, whatever the order of adding.

#include <cstdint>
#include <memory>

#include "comm/communicator.hpp"

#include "workloads/collectives/cases.hpp"

namespace scalestudy::collectives {

/// Memory of one rank for the largest of its cases.
class Buffers {
 public:
  virtual ~Buffers();

  /// Writes what this rank sends in the `call`-th call, and over all that it receives. Local.
  virtual void fill(const Case& one, std::int64_t call) = 0;

  [[nodiscard]] virtual ConstBufferView sent(const Case& one) const = 0;
  [[nodiscard]] virtual BufferView received(const Case& one) = 0;

  /// Of this rank's result: how many elements are wrong. Local.
  [[nodiscard]] virtual std::int64_t wrong_count(const Case& one, std::int64_t call) const = 0;
};

/// The operation from `from` to `into`, or in place there.
[[nodiscard]] CollectiveCall call_of(CollectiveOperation operation,
                                     ConstBufferView from,
                                     BufferView into);

/// For rank `rank` of `world_size`, each case up to `most_bytes`. Local.
[[nodiscard]] std::unique_ptr<Buffers> make_buffers(ElementType type,
                                                    std::int64_t most_bytes,
                                                    Rank rank,
                                                    WorldSize world_size);

}  // namespace scalestudy::collectives
