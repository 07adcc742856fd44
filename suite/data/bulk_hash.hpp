#pragma once
/// A hash for megabytes: XXH3 (64 bit, seed 0) of libxxhash, several times as fast as reading from
/// the page cache. It notices damage, not forgery: whoever wants to can make two inputs collide.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

struct XXH3_state_s;

namespace scalestudy {

/// Of what comes piece by piece.
class BulkHash {
 public:
  BulkHash();
  void add(std::span<const std::byte> piece);
  [[nodiscard]] std::uint64_t value() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

[[nodiscard]] std::uint64_t bulk_hash(std::span<const std::byte> bytes);

}  // namespace scalestudy
