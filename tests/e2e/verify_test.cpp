/// Claims about the replay itself, by the real driver and ranks.

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/e2e/driver_process.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

/// Steps of 10 ms; one producer makes a batch in 9, which one rank does not notice and four do.
class VerifiedReplay : public Workplace {
 public:
  VerifiedReplay() {
    write_text(study_file(), R"({"schema": 1, "workload": "replay",
      "settings": {"layer_forward_us": [3000], "layer_backward_us": [7000], "layer_parameters": [1000],
                   "input_us": 9000, "local_batch_size": 2, "epochs": 1, "steps_per_epoch": 48,
                   "evaluation_us": 0, "memory_format": "contiguous",
                   "schedule": {"name": "constant"}, "checkpoint": {"every_epochs": 0}},
      "axes": {"ranks": [1, 4], "scaling_rule": ["linear_fixed_epochs"], "input": ["serial"]},
      "repeats": 4})");
    const auto finished = run();
    EXPECT_EQ(finished.code, 0) << finished.err;
  }

  [[nodiscard]] Finished verify(const json& about) const {
    json claim{{"name", "replayed"},
               {"statement", "Something of a replay."},
               {"source", "this test"},
               {"conditions",
                {{"workload", "replay"},
                 {"scaling_rule", "linear_fixed_epochs"},
                 {"local_batch_size", 2}}}};
    claim.merge_patch(about);
    write_text(path() / "claim.json", claim.dump());
    return call({"verify", (path() / "claim.json").string(), out().string()});
  }
  [[nodiscard]] Finished verify_cause(const char* cause, const char* input) const {
    return verify({{"quantity", "main_cause"},
                   {"causes", {cause}},
                   {"conditions", {{"input", input}}},
                   {"points", {{{"ranks", 4}}}}});
  }
  [[nodiscard]] Finished verify_speedup(const char* relation, double value) const {
    return verify({{"quantity", "training_speedup"},
                   {"relation", relation},
                   {"points", {{{"ranks", 4}, {"value", value}}}}});
  }
};

TEST(Verify, OneProducerForAllRanksIsFoundAndSynchronisationIsNot) {
  const VerifiedReplay place;
  const auto input = place.verify_cause("input", "serial");
  EXPECT_EQ(input.code, 0) << input.out;
  EXPECT_THAT(input.out, StartsWith("CONFIRMED"));
  const auto transfer = place.verify_cause("transfer", "serial");
  // A busy machine makes a little of it real; the main cause it never is.
  EXPECT_NE(transfer.code, 0) << transfer.out;
  EXPECT_THAT(transfer.out, HasSubstr("main cause: waiting for batches"));
  EXPECT_EQ(place.verify_cause("input", "sharded").code, 3) << "of another input";
  EXPECT_EQ(place.verify_speedup("less", 3).code, 0);
  EXPECT_EQ(place.verify_speedup("more", 3).code, 1);
  const auto real =
      place.call({"verify", "biapol-because-of-synchronisation", place.out().string()});
  EXPECT_EQ(real.code, 3);
  EXPECT_THAT(real.out, HasSubstr("hardware          real                  emulated_compute"));
}

}  // namespace
}  // namespace scalestudy
