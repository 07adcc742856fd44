#include "comm/rendezvous.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {

namespace {

struct Variables {
  const char* rank;
  const char* world_size;
  std::array<const char*, 4> local_rank;  ///< the first that is set
};

/// Of torchrun, Open MPI, Flux, whatever speaks PMI (Hydra, Intel MPI, Cray MPICH with PALS, srun),
/// and Slurm. PMI before Slurm: under mpiexec those of Slurm are the mpiexec's own.
constexpr std::array<Variables, 5> dialects{{
    {"RANK", "WORLD_SIZE", {"LOCAL_RANK"}},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {"OMPI_COMM_WORLD_LOCAL_RANK"}},
    {"FLUX_TASK_RANK", "FLUX_JOB_SIZE", {"FLUX_TASK_LOCAL_ID"}},
    {"PMI_RANK",
     "PMI_SIZE",
     {"MPI_LOCALRANKID", "PMI_LOCAL_RANK", "PALS_LOCAL_RANKID", "SLURM_LOCALID"}},
    {"SLURM_PROCID", "SLURM_NTASKS", {"SLURM_LOCALID"}},
}};

[[noreturn]] void refuse(const std::string& problem) {
  throw BadInput({problem, "the rank cannot know its place in the job",
                  "Start the ranks with a launcher, or correct these variables"});
}

std::optional<std::int64_t> number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  std::int64_t value = 0;
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stop != end || value < 0) {
    refuse(cat("environment variable ", variable, " is \"", text, "\", not a count"));
  }
  return value;
}

std::optional<std::int64_t> first_number_in(const std::array<const char*, 4>& variables) {
  for (const char* const variable : variables)
    if (variable != nullptr)
      if (const auto number = number_in(variable)) return number;
  return std::nullopt;
}

std::optional<Rendezvous> rendezvous_from(const Variables& names) {
  const auto rank = number_in(names.rank);
  const auto world_size = number_in(names.world_size);
  if (!rank && !world_size) return std::nullopt;
  if (!rank || !world_size) {
    refuse(cat("environment variable ", rank ? names.rank : names.world_size, " is set without ",
               rank ? names.world_size : names.rank));
  }
  if (*rank >= *world_size) {
    refuse(cat(names.rank, "=", *rank, " is no rank of ", names.world_size, "=", *world_size));
  }
  Rendezvous result;
  result.rank = Rank(*rank);
  result.world_size = WorldSize(*world_size);
  const auto local_rank = first_number_in(names.local_rank);
  result.local_rank = Rank(local_rank.value_or(*rank));
  result.knows_local_rank = local_rank.has_value();
  result.source = cat("environment (", names.rank, ", ", names.world_size, ")");
  return result;
}

/// Takes the first free number; creating a file exclusively is atomic, also on network folders.
Rank take_number(const std::filesystem::path& folder, WorldSize world_size) {
  for (Rank rank; rank.value() < world_size.value(); ++rank) {
    const auto path = folder / cat("rank", rank);
    const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
    if (file >= 0) {
      ::close(file);
      return rank;
    }
    if (errno != EEXIST) {
      throw BadInput({cat(path.string(), " could not be made: ", std::strerror(errno)),
                      "the ranks meet by files in this folder", "Name a writable folder"});
    }
  }
  throw RunFailed({cat("all ", world_size, " ranks of ", folder.string(), " are taken"),
                   "this process would be one too many",
                   "Use a fresh folder for each job, and start as many ranks as asked for"});
}

std::int64_t count_arrived(const std::filesystem::path& folder, WorldSize world_size) {
  std::int64_t count = 0;
  for (Rank rank; rank.value() < world_size.value(); ++rank) {
    if (std::filesystem::exists(folder / cat("rank", rank))) ++count;
  }
  return count;
}

}  // namespace

Rendezvous rendezvous_from_environment(const std::string& job_key) {
  for (const Variables& names : dialects) {
    if (auto result = rendezvous_from(names)) {
      result->key = job_key;
      return *result;
    }
  }
  Rendezvous alone;
  alone.key = job_key;
  alone.source = "one rank (no launcher's variables are set)";
  return alone;
}

void require_local_rank(const Rendezvous& rendezvous) {
  if (rendezvous.knows_local_rank) return;
  throw BadInput({cat("the rank's number on its host is not known: ", rendezvous.source),
                  "it chooses the rank's GPU",
                  "Set LOCAL_RANK, or start the ranks by torchrun, mpirun or srun"});
}

void require_one_host(const Rendezvous& rendezvous) {
  if (!rendezvous.knows_local_rank || rendezvous.local_rank == rendezvous.rank) return;
  throw BadInput({cat("rank ", rendezvous.rank, " is number ", rendezvous.local_rank,
                      " on its host: ", rendezvous.source),
                  "the back-end shm joins the ranks of one host",
                  "Use the back-end mpi between hosts"});
}

Rendezvous rendezvous_from_file(const std::filesystem::path& folder,
                                WorldSize world_size,
                                Seconds deadline) {
  std::error_code ignored;  // take_number() reports what is wrong with the folder
  std::filesystem::create_directories(folder, ignored);
  Rendezvous result;
  result.rank = take_number(folder, world_size);
  result.local_rank = result.rank;
  result.world_size = world_size;
  result.key = std::filesystem::absolute(folder).lexically_normal().string();
  result.source = "file " + folder.string();

  const Stopwatch waited;
  while (true) {
    const std::int64_t arrived = count_arrived(folder, world_size);
    if (arrived == world_size.value()) return result;
    if (waited.elapsed_s() > deadline.count()) {
      throw RunFailed({cat("only ", arrived, " of ", world_size, " ranks came to ", folder.string(),
                           " within ", human_duration(deadline.count())),
                       "a job starts when all of its ranks have met",
                       "Look at the logs of the missing ranks, or allow more time"});
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace scalestudy
