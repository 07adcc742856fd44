#pragma once
/// Owns MPI's initialisation. Include only where MPI is compiled in.

#include <memory>
#include <string>
#include <string_view>

#include <mpi.h>

namespace scalestudy {

/// Throws RunFailed with MPI's own words unless `code` is MPI_SUCCESS. Every MPI call goes through.
void check_mpi(int code, std::string_view call);

/// Initialises MPI unless the program has done so, and then finalises it, but not after a failure:
/// MPI_Finalize would wait for peers that will not come.
class MpiSession {
 public:
  /// Errors: Unavailable when MPI cannot serve more than one thread.
  [[nodiscard]] static std::shared_ptr<MpiSession> join();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  void mark_failed() { failed_ = true; }
  [[nodiscard]] bool is_usable() const;  ///< false: do not even free handles

 private:
  explicit MpiSession(bool owns);
  bool owns_;
  bool failed_ = false;
  int exceptions_at_start_;
};

/// "Open MPI v4.1.4"
[[nodiscard]] std::string mpi_library_version();

}  // namespace scalestudy
