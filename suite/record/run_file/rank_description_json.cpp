#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/text.hpp"

#include "record/run_file/rank_description.hpp"

namespace scalestudy {

using nlohmann::json;

std::int64_t RankDescription::gpu_count() const {
  return std::count_if(devices.begin(), devices.end(),
                       [](const auto& device) { return device.starts_with("cuda"); });
}

std::string to_json_line(const RankDescription& description) {
  const json object{{"build_id", description.build_id},
                    {"libtorch", description.libtorch},
                    {"mpi", description.mpi},
                    {"cuda", description.cuda},
                    {"cuda_graph", description.cuda_graph},
                    {"devices", description.devices}};
  return object.dump();
}

std::optional<RankDescription> rank_description_in(std::string_view output) {
  for (const auto& line : split(output, '\n')) {
    const json object = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!object.is_object()) continue;
    try {
      return RankDescription{object.at("build_id"), object.at("libtorch"),   object.at("mpi"),
                             object.at("cuda"),     object.at("cuda_graph"), object.at("devices")};
    } catch (const json::exception&) {
      return {};
    }
  }
  return {};
}

}  // namespace scalestudy
