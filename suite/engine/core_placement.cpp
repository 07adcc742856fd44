#include "engine/core_placement.hpp"

#include <algorithm>

#include "core/cores.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/host_sharing.hpp"

namespace scalestudy {

CorePlacement place_on_cores(const Communicator& comm,
                             const std::vector<int>& cores,
                             std::int64_t compute_threads) {
  const auto all = all_gather_text(comm, cat(host_identity(), " ", to_text(cores)));
  const auto& mine = all[comm.rank().index()];
  const auto sharing = std::ranges::count(all, mine);
  const auto before = std::count(all.begin(), all.begin() + comm.rank().value(), mine);
  const auto needed = sharing * (compute_threads + 1);
  if (std::ssize(cores) < needed)
    throw Unavailable({cat(counted(sharing, "rank"), " with ", compute_threads, " compute and 1 ",
                           "communication threads each may use ",
                           counted(std::ssize(cores), "core"), " (", to_text(cores), ") together"),
                       "settings.communication_thread own_core gives each communication thread one "
                       "that nothing computes on",
                       "Take fewer threads_per_rank, let the launcher bind ranks to more cores, or "
                       "leave the setting at anywhere"});
  const auto first_communicating = cores.end() - sharing;
  return {{cores.begin(), first_communicating}, *(first_communicating + before)};
}

}  // namespace scalestudy
