#pragma once
/// The five operations over a slot block; serves `threads` and `shm`.

#include <memory>
#include <string>
#include <string_view>

#include "comm/communicator.hpp"
#include "comm/peer_watch.hpp"
#include "comm/slot_block.hpp"

namespace scalestudy {

struct SlotRank {
  std::string_view name;  ///< "threads", "shm"
  std::string transport;  ///< for the record
  Rank rank;
  std::shared_ptr<SlotBlock> block;  ///< also keeps its memory
  PeerWatch peers;
  Seconds deadline;  ///< longest silence of a peer
};

[[nodiscard]] Communicator make_slot_communicator(SlotRank place);

}  // namespace scalestudy
