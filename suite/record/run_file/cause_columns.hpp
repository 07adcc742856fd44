#pragma once
/// What is recorded beside the steps to tell causes of lost time apart (record/run_file/columns.hpp
/// has the rest). Files of earlier versions have none of these tables.

#include <array>
#include <cstdint>
#include <string_view>

#include "record/run_file/column.hpp"

namespace scalestudy {

/// /probe/<name>[row]: collectives of the run's own sizes before training, on ranks that do nothing
/// else; one row per rank, round and size.
struct ProbeRow {
  static constexpr std::string_view group = "/probe";
  std::int64_t rank = -1;
  std::int64_t round = -1;
  std::int64_t size_bytes = 0;
  double wait_s = not_recorded;
  double transfer_s = not_recorded;
};
template <>
inline constexpr std::array columns_of<ProbeRow>{
    column<&ProbeRow::rank>("1", "Rank"),
    column<&ProbeRow::round>("1", "Round: a barrier, then an all-reduce of each bucket size"),
    column<&ProbeRow::size_bytes>("bytes", "Bytes reduced; 0 for the barrier"),
    column<&ProbeRow::wait_s>(
        "s", "From entering to the last rank's entering", Better::lower, "per rank"),
    column<&ProbeRow::transfer_s>(
        "s", "From the last rank's entering to leaving", Better::lower, "per rank")};
static_assert(columns_cover_row<ProbeRow>());

/// /monitor/<name>[row]: one row about every second from one rank of each host. Shares are of all
/// cores of the host, since the row before. What the machine does not show is NaN.
struct MonitorRow {
  static constexpr std::string_view group = "/monitor";
  std::int64_t rank = -1;
  double time_s = not_recorded;
  double frequency_hz = not_recorded;
  double own_cpu_frac = not_recorded;
  double other_cpu_frac = not_recorded;
  double steal_frac = not_recorded;
  double throttle_count = not_recorded;
  double temperature_c = not_recorded;
  double cpu_s = not_recorded;
};
template <>
inline constexpr std::array columns_of<MonitorRow>{
    column<&MonitorRow::rank>("1", "Rank that looked, the first of its host"),
    column<&MonitorRow::time_s>("s", "When, after the training clock's start"),
    column<&MonitorRow::frequency_hz>(
        "Hz",
        "Mean clock frequency of the host's cores; virtual machines may show a constant",
        Better::none,
        "per host"),
    column<&MonitorRow::own_cpu_frac>(
        "1",
        "Share of the host's cores that all ranks of the run on it used since the row before",
        Better::none,
        "per host"),
    column<&MonitorRow::other_cpu_frac>(
        "1", "Share of them that other programs of the host used", Better::lower, "per host"),
    column<&MonitorRow::steal_frac>(
        "1", "Share of them that a virtual machine's host kept from it", Better::lower, "per host"),
    column<&MonitorRow::throttle_count>(
        "1",
        "Times cores and packages were slowed down by heat since the machine was started, summed "
        "as each core shows them",
        Better::lower,
        "per host"),
    column<&MonitorRow::temperature_c>(
        "°C", "The processor's hottest sensor", Better::lower, "per host"),
    column<&MonitorRow::cpu_s>(
        "s", "CPU time that looking cost since the row before", Better::lower, "per host")};
static_assert(columns_cover_row<MonitorRow>());

}  // namespace scalestudy
