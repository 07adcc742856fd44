#include "engine/rank_services.hpp"

#include <new>

#include "core/process_limit.hpp"
#include "core/text.hpp"

namespace scalestudy {

Failure failure_of(const std::exception& error) {
  if (const auto* const known = dynamic_cast<const Error*>(&error))
    return {error.what(), known->exit_code()};
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return {"Out of memory (the run does not fit). Use a smaller batch or patch.",
            ExitCode::run_failed};
  if (is_process_limit(error)) return failure_of(process_limit_reached());
  return {cat("Unexpected error: ", error.what()), ExitCode::internal};
}

}  // namespace scalestudy
