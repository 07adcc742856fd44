#include <nlohmann/json.hpp>

#include "study/fields.hpp"

#include "driver/inspect/set_report.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

json to_json(const Spread& spread) {
  return {{"minimum", spread.minimum}, {"median", spread.median}, {"maximum", spread.maximum}};
}

json to_json(const std::vector<EqualContent>& equal) {
  json list = json::array();
  for (const auto& pair : equal) list.push_back({{"first", pair.first}, {"second", pair.second}});
  return list;
}

json to_json(const std::map<std::int64_t, std::int64_t>& counts) {
  json object = json::object();
  for (const auto& [value, count] : counts) object[std::to_string(value)] = count;
  return object;
}

json to_json(const PackDescription& made) {
  json object{{"kind", name_of(made.kind)},
              {"encoding", name_of(made.encoding)},
              {"source", made.source},
              {"fit", name_of(made.fit)}};
  if (made.fit) {
    object["height_px"] = made.height_px;
    object["width_px"] = made.width_px;
  }
  if (made.kind == PackKind::image_mask) object["mask_threshold_frac"] = made.mask_threshold_frac;
  return object;
}

}  // namespace

std::string set_json(const std::filesystem::path& source, const SetInspection& found) {
  json object{{"source", source.string()},
              {"kind", name_of(found.kind)},
              {"sample_count", found.sample_count},
              {"class_names", found.class_names},
              {"class_counts", json::array()},
              {"height_px", to_json(found.height_px)},
              {"width_px", to_json(found.width_px)},
              {"channels_count", to_json(found.channels_count)},
              {"bit_depth_count", to_json(found.bit_depth_count)},
              {"inverted_count", found.counts.inverted},
              {"transparent_count", found.counts.transparent},
              {"reduced_count", found.counts.reduced},
              {"of_12_bit_count", found.counts.of_12_bit},
              {"duplicates_within", to_json(found.duplicates_within)},
              {"duplicates_between", to_json(found.duplicates_between)},
              {"passed_over", found.passed_over},
              {"notes", found.notes},
              {"in_two_classes", to_json(found.in_two_classes)}};
  for (const auto& count : found.class_counts) {
    object["class_counts"].push_back({{"split", count.split},
                                      {"class_name", count.class_name},
                                      {"sample_count", count.sample_count}});
  }
  if (found.foreground_frac) {
    object["foreground_frac"] = to_json(*found.foreground_frac);
    object["empty_mask_count"] = found.empty_mask_count;
  }
  if (found.mask_reading) object["mask_reading"] = found.mask_words;
  if (found.pack) {
    object["pack"] = to_json(*found.pack);
    object["pack"]["file_bytes"] = found.pack_file_bytes;
    object["pack"]["verified"] = found.verified;
  }
  return json_text_of(object);
}

std::string prepared_json(const std::filesystem::path& file, const PrepareSummary& summary) {
  return json_text_of({{"file", file.string()},
                       {"pack", to_json(summary.description)},
                       {"sample_count", summary.sample_count},
                       {"class_count", summary.class_count},
                       {"stored_bytes", summary.stored_bytes},
                       {"file_bytes", summary.file_bytes},
                       {"notes", summary.notes}});
}

}  // namespace scalestudy
