#include "comm/mpi_session.hpp"

#include <array>
#include <exception>

#include "core/error.hpp"
#include "core/text.hpp"

#include "comm/rendezvous.hpp"

namespace scalestudy {

void check_mpi(int code, std::string_view call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw RunFailed(
      {cat(call, " failed: ", std::string_view(text.data(), static_cast<std::size_t>(length))),
       "the ranks cannot exchange data any more",
       "Look at the messages of mpirun and of the other ranks"});
}

std::shared_ptr<MpiSession> MpiSession::join() {
  int is_initialized = 0;
  int is_finalized = 0;
  check_mpi(MPI_Initialized(&is_initialized), "MPI_Initialized");
  check_mpi(MPI_Finalized(&is_finalized), "MPI_Finalized");
  if (is_finalized != 0) {
    throw Unavailable({"MPI was finalised in this process already", "it cannot be started twice",
                       "Keep the first communicator or rendezvous alive"});
  }
  int level = MPI_THREAD_SINGLE;
  if (is_initialized != 0) {
    check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
  } else {
    check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level), "MPI_Init_thread");
  }
  std::shared_ptr<MpiSession> session(new MpiSession(is_initialized == 0));
  if (level < MPI_THREAD_MULTIPLE) {
    throw Unavailable({"this MPI does not allow calls from several threads at once",
                       "gradients, input and batch norm each have collectives of their own thread",
                       "Use an MPI built with MPI_THREAD_MULTIPLE (ompi_info | grep Thread)"});
  }
  return session;
}

MpiSession::MpiSession(bool owns) : owns_(owns), exceptions_at_start_(std::uncaught_exceptions()) {}

bool MpiSession::is_usable() const {
  return !failed_ && std::uncaught_exceptions() <= exceptions_at_start_;
}

MpiSession::~MpiSession() {
  if (owns_ && is_usable()) MPI_Finalize();
}

std::string mpi_library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check_mpi(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  return split(split(text.data(), '\n').front(), ',').front();
}

Rendezvous rendezvous_from_mpi(const std::string& job_key) {
  Rendezvous result;
  result.session = MpiSession::join();
  int rank = 0;
  int size = 0;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  MPI_Comm host = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host),
            "MPI_Comm_split_type");
  int local_rank = 0;
  check_mpi(MPI_Comm_rank(host, &local_rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_free(&host), "MPI_Comm_free");

  std::array<char, 256> key{};
  job_key.copy(key.data(), key.size() - 1);
  check_mpi(MPI_Bcast(key.data(), static_cast<int>(key.size()), MPI_CHAR, 0, MPI_COMM_WORLD),
            "MPI_Bcast");
  result.rank = Rank(rank);
  result.world_size = WorldSize(size);
  result.local_rank = Rank(local_rank);
  result.key = key.data();
  result.source = "MPI";
  return result;
}

}  // namespace scalestudy
