#include "comm/rendezvous.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>

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

}  // namespace scalestudy
