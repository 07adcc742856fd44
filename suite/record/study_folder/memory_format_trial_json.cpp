#include <utility>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/text.hpp"

#include "study/fields.hpp"

#include "record/study_folder/memory_format_trial.hpp"

namespace scalestudy {
namespace {

constexpr double most_threads = 1e9;

void visit(FieldVisitor& v, MemoryFormatTrial& trial) {
  const auto step_time = [&](std::string_view name, double& value_s) {
    v.field(name, value_s, {.unit = "s", .description = "Median step time", .minimum = above_zero});
  };
  v.field("threads_per_rank", trial.threads_per_rank,
          {.unit = "threads",
           .description = "Compute threads of each rank",
           .minimum = 1,
           .maximum = most_threads});
  v.field("precision", trial.precision, {.unit = "1", .description = "Arithmetic"});
  v.field("chosen", trial.chosen, {.unit = "1", .description = "Layout that the runs have"});
  step_time("channels_last_step_s", trial.channels_last_step_s);
  step_time("contiguous_step_s", trial.contiguous_step_s);
}

}  // namespace

std::string to_text(const MemoryFormatTrial& trial) {
  const bool is_contiguous = trial.chosen == MemoryFormat::contiguous;
  auto own_s = trial.channels_last_step_s, other_s = trial.contiguous_step_s;
  if (is_contiguous) std::swap(own_s, other_s);
  return cat(trial.chosen, " with ", counted(trial.threads_per_rank, "thread"), " and ",
             trial.precision, ", by a trial: steps of ", human_duration(own_s), "; ",
             is_contiguous ? MemoryFormat::channels_last : MemoryFormat::contiguous, " ",
             human_duration(other_s));
}

std::string to_json_text(const MemoryFormatTrial& trial) {
  auto copy = trial;
  return json_text_of(write_fields([&](FieldVisitor& v) { visit(v, copy); }));
}

MemoryFormatTrial memory_format_trial_from_json_text(const std::string& text,
                                                     const std::string& origin) {
  MemoryFormatTrial trial;
  read_fields(parse_json(text, origin), origin, [&](FieldVisitor& v) { visit(v, trial); });
  if (trial.chosen != MemoryFormat::trial) return trial;
  throw BadInput({cat(origin, ": chosen is trial"), "a trial has come to a choice",
                  "Run the same study into the folder again: it writes the file anew"});
}

}  // namespace scalestudy
