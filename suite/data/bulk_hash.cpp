#include "data/bulk_hash.hpp"

#include <new>

#include <xxhash.h>
#ifdef SCALESTUDY_HAVE_XXHASH_DISPATCH
#include <xxh_x86dispatch.h>  // replaces the functions by those for the processor at hand
#endif

namespace scalestudy {

BulkHash::BulkHash() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_64bits_reset(state_.get());
}

void BulkHash::Free::operator()(XXH3_state_s* state) const {
  XXH3_freeState(state);
}

void BulkHash::add(std::span<const std::byte> piece) {
  XXH3_64bits_update(state_.get(), piece.data(), piece.size());
}

std::uint64_t BulkHash::value() const {
  return XXH3_64bits_digest(state_.get());
}

std::uint64_t bulk_hash(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace scalestudy
