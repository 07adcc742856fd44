#pragma once
/// The same work on several machines, beside each other and in no ratio.

#include <optional>
#include <string>

#include "analysis/report/plot/figure.hpp"
#include "analysis/report/text/report_table.hpp"
#include "analysis/study/machines.hpp"

namespace scalestudy {

/// One row per machine and number of ranks.
[[nodiscard]] ReportTable machines_table(const MachineComparison& comparison);

/// Training speed-up of each machine against its own one rank; none where fewer than two have any.
[[nodiscard]] std::optional<Figure> machines_figure(const MachineComparison& comparison);

/// What each machine reached, in absolute units, and why no machine is compared with another.
[[nodiscard]] std::string machines_sentences(const MachineComparison& comparison);

}  // namespace scalestudy
