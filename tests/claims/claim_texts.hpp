#pragma once
/// Claim files of which one thing is changed.

#include <string>

#include <nlohmann/json.hpp>

#include "analysis/claims/claim.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workloads/catalogue.hpp"

namespace scalestudy {

/// About runs as synthetic_run.hpp makes them.
inline nlohmann::json speedup_claim() {
  return {{"name", "twice"},
          {"statement", "Two ranks are twice as fast as one."},
          {"source", "nowhere"},
          {"quantity", "training_speedup"},
          {"tolerance", {{"relative_frac", 0.1}, {"reason", "invented"}}},
          {"conditions",
           {{"workload", "noise2void"},
            {"scaling_rule", "linear_fixed_samples"},
            {"local_batch_size", 4}}},
          {"points", {{{"ranks", 2}, {"value", 2}}}}};
}

inline nlohmann::json explanation_claim(const nlohmann::json& causes) {
  auto claim = speedup_claim();
  claim["quantity"] = "main_cause";
  claim["causes"] = causes;
  claim["conditions"]["input"] = "sharded";
  claim["points"] = {{{"ranks", 4}}};
  claim.erase("tolerance");
  return claim;
}

inline Claim claim_from_text(const std::string& text) {
  const TemporaryFolder folder;
  write_text(folder / "claim.json", text);
  return read_claim(folder / "claim.json", workload_catalogue());
}

inline Claim claim_from(const nlohmann::json& object) {
  return claim_from_text(object.dump());
}

}  // namespace scalestudy
