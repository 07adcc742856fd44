#include "driver/inspect/inspection_json.hpp"

#include <nlohmann/json.hpp>

#include "study/fields.hpp"

#include "record/measures/validity.hpp"

#include "analysis/report/text/estimate_json.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

json text_or_null(const std::optional<std::string>& text) {
  return text ? json(*text) : json();
}

json to_json(const ColumnContents& contents) {
  json object{{"name", contents.column.name},
              {"unit", contents.column.unit},
              {"description", contents.column.description}};
  if (contents.column.storage == Storage::text) {
    object["first"] = contents.first_text;
    return object;
  }
  object["least"] = json_number(contents.least);
  object["median"] = json_number(contents.median);
  object["most"] = json_number(contents.most);
  object["missing_count"] = contents.missing_count;
  return object;
}

json to_json(const std::vector<TableContents>& tables) {
  json object = json::object();
  for (const auto& table : tables) {
    json columns = json::array();
    for (const auto& column : table.columns) columns.push_back(to_json(column));
    object[table.group] = {{"shape", table.shape}, {"columns", columns}};
  }
  return object;
}

json summary_of(const RunRecord& record) {
  json object = json::object();
  for (const auto& column : columns_of<SummaryRow>) {
    const auto value = record.summary_value(column);
    if (!value) continue;
    object[std::string(column.name)] = {{"value", json_number(*value)}, {"unit", column.unit}};
  }
  return object;
}

/// What the ranks found that is no setting: {"transport": {"value", "unit", "description"}, …}.
json facts_of(const RunRecord& record) {
  const auto effective =
      json::parse(record.effective_settings, nullptr, /*allow_exceptions=*/false);
  return effective.is_object() ? effective.value("facts", json::object()) : json::object();
}

}  // namespace

std::string run_json(const RunRecord& record, const std::vector<SettingStages>& settings) {
  const auto& header = record.header;
  json panels = json::array();
  for (const auto& panel : record.panels) {
    panels.push_back(
        {{"name", panel.name}, {"height_px", panel.height_px}, {"width_px", panel.width_px}});
  }
  json stages = json::array();
  for (const auto& setting : settings) {
    stages.push_back({{"name", setting.name},
                      {"requested", text_or_null(setting.requested)},
                      {"resolved", text_or_null(setting.resolved)},
                      {"effective", text_or_null(setting.effective)},
                      {"differs", setting.differs()}});
  }
  return json_text_of({{"file", record.file.string()},
                       {"run_id", header.run_id},
                       {"build_id", header.build_id},
                       {"schema", header.schema},
                       {"status", to_string(header.status)},
                       {"reason", header.reason},
                       {"failed_rank", header.failed_rank},
                       {"failed_phase", header.failed_phase},
                       {"labels", header.labels},
                       {"validity_codes", validity_codes_of(record)},
                       {"summary", summary_of(record)},
                       {"settings", stages},
                       {"facts", facts_of(record)},
                       {"tables", to_json(contents_of(record))},
                       {"panels", panels}});
}

std::string volume_json(const VolumeInspection& inspection) {
  const auto& statistics = inspection.statistics;
  json object{{"file", inspection.file.string()},
              {"file_sha256", inspection.file_sha256},
              {"shape_zyx", inspection.shape},
              {"stored_type", inspection.stored_type},
              {"reduced_images", inspection.reduced_images},
              {"flyback_pages", inspection.axes.flyback_pages},
              {"content_hash", inspection.content_hash},
              {"minimum", json_number(statistics.minimum)},
              {"maximum", json_number(statistics.maximum)},
              {"mean", statistics.mean},
              {"std", statistics.std},
              {"white_is_zero", inspection.white_is_zero},
              {"warnings", inspection.warnings},
              {"channel_count", inspection.axes.channels},
              {"channel_names", inspection.axes.channel_names},
              {"channel", inspection.choice.channel},
              {"time_count", inspection.axes.times},
              {"time", inspection.choice.time},
              {"frames_are_slices", inspection.choice.frames_are_slices}};
  if (inspection.pack) object["pack"] = {{"source", inspection.pack->source}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string name{"zyx"[axis]};
    object["noise_correlation"][name] = json_number(inspection.noise_correlation[axis]);
  }
  if (inspection.patch) {
    object["patch_zyx"] = *inspection.patch;
    object["grid_patch_count"] = inspection.grid_patch_count;
  }
  return json_text_of(object);
}

}  // namespace scalestudy
