#include "workloads/collectives/settings.hpp"

namespace scalestudy::collectives {

void visit(FieldVisitor& visitor, Settings& settings) {
  visitor.field("operations", settings.operations,
                {.unit = "1", .description = "Collective operations to measure"});
  visitor.field("sizes_bytes", settings.sizes_bytes,
                {.unit = "bytes",
                 .description = "Sizes as nccl-tests count them: the buffer of all_reduce and "
                                "broadcast; of all_gather and reduce_scatter the parts of all "
                                "ranks together, rounded up to equal ones. A barrier has none",
                 .minimum = 1,
                 .maximum = 17179869184.0});
  visitor.field("element_type", settings.element_type,
                {.unit = "1", .description = "Type of the elements"});
  visitor.field("iterations", settings.iterations,
                {.unit = "calls",
                 .description = "Measured calls of each operation and size",
                 .minimum = 1,
                 .maximum = 1e6});
  visitor.field("warmup_iterations", settings.warmup_iterations,
                {.unit = "calls",
                 .description = "Calls of each before these, which are not recorded",
                 .minimum = 0,
                 .maximum = 1e6});
  visitor.field("time_limit_s", settings.time_limit_s,
                {.unit = "s",
                 .description = "An operation of one size that would take longer in all, filling "
                                "and checking included, gets fewer calls, but at least 3",
                 .minimum = above_zero,
                 .maximum = 86400});
  visitor.field("check", settings.check,
                {.unit = "1",
                 .description = "Compare every element of every result, on all ranks, with what it "
                                "must be"});
}

Settings settings_from_json_text(const std::string& text) {
  Settings settings;
  read_fields_of_text(text, [&](FieldVisitor& visitor) { visit(visitor, settings); });
  return settings;
}

}  // namespace scalestudy::collectives
