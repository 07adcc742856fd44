#include "core/process_limit.hpp"

#include <string>
#include <system_error>

#include <sys/resource.h>

#include "core/text.hpp"

namespace scalestudy {

Unavailable process_limit_reached() {
  rlimit limit{};
  const bool is_limited = ::getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return Unavailable(
      {is_limited ? cat("The process limit of ", limit.rlim_cur, " (ulimit -u) is reached")
                  : std::string("A limit on processes is reached (pids.max of a control group)"),
       "no other process or thread can be started", "Raise it, or end other processes"});
}

bool is_process_limit(const std::exception& error) {
  const auto* const of_system = dynamic_cast<const std::system_error*>(&error);
  return of_system != nullptr && of_system->code() == std::errc::resource_unavailable_try_again;
}

}  // namespace scalestudy
