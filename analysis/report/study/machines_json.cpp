#include "analysis/report/study/machines_json.hpp"

#include <nlohmann/json.hpp>

#include "analysis/report/study/machines_report.hpp"

namespace scalestudy {

using nlohmann::json;

json machines_json(const std::vector<Machine>& machines) {
  json list = json::array();
  for (const Machine& machine : machines)
    list.push_back({{"kind", machine.kind}, {"words", machine.words}});
  return list;
}

json side_by_side_json(const std::vector<MachineComparison>& comparisons) {
  json list = json::array();
  for (const MachineComparison& comparison : comparisons) {
    json series = json::array();
    for (const MachineCurve& curve : comparison.curves)
      series.push_back({{"machine", curve.label}, {"name", curve.analysis->series.name}});
    list.push_back({{"work", comparison.work},
                    {"differences", comparison.differences},
                    {"series", series},
                    {"conclusion", machines_sentences(comparison)}});
  }
  return list;
}

}  // namespace scalestudy
