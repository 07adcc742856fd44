#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "study/run_spec.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

/// More samples, steps or epochs than anyone trains; products of two of them do not overflow.
constexpr double most_count = 1e9;
constexpr double most_samples = 1e15;
constexpr std::int64_t last_schema_with_new_content = 3;

/// Settings that came after it.
constexpr std::array newer_settings{"/settings/evaluation",
                                    "/settings/packs",
                                    "/settings/fusion",
                                    "/settings/hierarchical",
                                    "/settings/link",
                                    "/settings/compression",
                                    "/settings/communication_thread",
                                    "/settings/gradients",
                                    "/settings/huge_pages",
                                    "/settings/onednn_pointwise",
                                    "/settings/input/cache_shared",
                                    "/settings/optimizer/trust_coefficient",
                                    "/data/channel",
                                    "/data/time",
                                    "/data/frames_are_slices"};

void visit_plan(FieldVisitor& v, RulePlan& plan) {
  const double least = plan.epochs > 0 ? 1 : 0;  // none where nothing is trained
  const auto limited = [&](std::string_view name, auto& value, std::string_view unit,
                           std::string_view description, double minimum) {
    v.field(
        name, value,
        {.unit = unit, .description = description, .minimum = minimum, .maximum = most_samples});
  };
  limited("local_batch_sizes", plan.local_batch_sizes, "samples", "Samples per step of each rank",
          0);
  limited("global_batch_size", plan.global_batch_size, "samples", "Samples per step of all ranks",
          least);
  v.field("learning_rate", plan.learning_rate,
          {.unit = "1",
           .description = "Learning rate after the scaling rule",
           .minimum = least * above_zero});
  limited("warmup_samples", plan.warmup_samples, "samples",
          "Samples over which the learning rate rises to that", 0);
  v.field("epochs", plan.epochs,
          {.unit = "epochs", .description = "Epochs", .minimum = least, .maximum = most_count});
  v.field(
      "steps_per_epoch", plan.steps_per_epoch,
      {.unit = "steps", .description = "Steps per epoch", .minimum = least, .maximum = most_count});
  limited("samples_per_epoch", plan.samples_per_epoch, "samples", "Samples trained on in an epoch",
          least);
  limited("epoch_stride_samples", plan.epoch_stride_samples, "samples",
          "Samples from one epoch's start to the next, in the order that all ranks share", least);
  limited("milestones_epochs", plan.milestones_epochs, "epochs",
          "Epochs (from 0) from which the learning rate is reduced once more", 1);
  limited("patience_epochs", plan.patience_epochs, "epochs",
          "Epochs without improvement before the learning rate is reduced", least);
  limited("cooldown_epochs", plan.cooldown_epochs, "epochs",
          "Epochs after a reduction in which none is counted", 0);
  limited("samples", plan.samples, "samples", "Samples of the whole run", least);
  limited("requested_samples", plan.requested_samples, "samples",
          "Samples of the whole run at one rank", least);
  v.field("remainder", plan.remainder,
          {.unit = "1", .description = "What dividing by the number of ranks left out"});
}

void visit_time_like(FieldVisitor& v, TimeLikeSetting& setting) {
  v.field("name", setting.name, {.unit = "1", .description = "Path inside settings"});
  v.field("requested", setting.requested, {.unit = "1", .description = "Value asked for"});
  v.field("resolved", setting.resolved, {.unit = "1", .description = "Value in use"});
  v.field("scaled", setting.scaled, {.unit = "1", .description = "Whether the rule changed it"});
  v.field("reason", setting.reason, {.unit = "1", .description = "Why"});
}

void visit_identity(FieldVisitor& v, RunSpec& spec) {
  const auto name = [&](std::string_view key, auto& value, std::string_view description) {
    v.field(key, value, {.unit = "1", .description = description});
  };
  v.field("schema", spec.schema,
          {.unit = "1",
           .description = "Version of this layout",
           .minimum = 1,
           .maximum = run_spec_schema});
  name("study", spec.study, "Study it belongs to");
  name("workload", spec.workload, "Workload");
  v.field("ranks", spec.ranks,
          {.unit = "ranks", .description = "Number of ranks", .minimum = 1, .maximum = max_ranks});
  name("scaling_rule", spec.scaling_rule, "Scaling rule");
  name("reduction", spec.reduction, "How gradients are averaged over the ranks");
  name("input", spec.input, "How samples reach the ranks");
  name("control_arm", spec.control_arm, "Control arm, or empty");
  v.field("repeat", spec.repeat,
          {.unit = "1", .description = "Repeat, from 0", .minimum = 0, .maximum = most_count});
  name("launcher", spec.launcher, "Launcher");
  name("communicator", spec.communicator, "What joins the ranks");
}

/// What the results do not depend on.
void visit_circumstances(FieldVisitor& v, RunSpec& spec) {
  v.field("block_position", spec.block_position,
          {.unit = "1",
           .description = "Place in the order of its block, from 0; a block is one repeat of all",
           .minimum = 0,
           .maximum = most_count});
  v.field("comparison", spec.comparison,
          {.unit = "1", .description = "How it is compared with the other runs of its study"});
  v.group("quality", "What the study asks of its models",
          [&](FieldVisitor& w) { visit(w, spec.quality); });
  v.field("twin", spec.twin,
          {.unit = "1",
           .description = "1: the same run of the block again, to see how much both differ",
           .minimum = 0,
           .maximum = 1});
  v.field("oversubscribed", spec.oversubscribed,
          {.unit = "1", .description = "More compute threads than cores"});
  v.field("no_spare_core", spec.no_spare_core,
          {.unit = "1",
           .description = "As many cores as compute threads, but none left for those that "
                          "communicate or load"});
}

void visit_data(FieldVisitor& v, RunSpec& spec) {
  visit(v, spec.data);
  v.field("content_hash", spec.data_content.hash,
          {.unit = "1", .description = "Hash of the training data; empty: none were there"});
  v.field("reference_content_hash", spec.data_content.reference_hash,
          {.unit = "1", .description = "Hash of their clean counterpart; empty: none"});
}

void visit_spec(FieldVisitor& v, RunSpec& spec) {
  visit_identity(v, spec);
  visit_circumstances(v, spec);
  v.group("data", "Data", [&](FieldVisitor& w) { visit_data(w, spec); });
  v.group("settings", "Settings", [&](FieldVisitor& w) { visit(w, spec.settings); });
  visit(v, spec.injections);
  v.group("plan", "Rule plan", [&](FieldVisitor& w) { visit_plan(w, spec.plan); });
}

json to_json(RunSpec spec) {
  auto object = write_fields([&](FieldVisitor& v) { visit_spec(v, spec); });
  auto list = json::array();
  for (auto& setting : spec.plan.time_like) {
    list.push_back(write_fields([&](FieldVisitor& v) { visit_time_like(v, setting); }));
  }
  object["plan"]["time_like"] = std::move(list);
  object["workload_settings"] = json::parse(spec.workload_settings);
  return object;
}

/// Names of folders and files are made of it.
void require_plain_name(const std::string& name, const std::string& path) {
  constexpr std::size_t longest = 64;
  const bool is_plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
  if (is_plain && name.size() <= longest) return;
  throw BadInput({cat(path, " is no name of a workload"), "folders of runs are called after it",
                  "scalestudy list workloads shows them"});
}

void require_key(const json& object, const std::string& key, const std::string& path) {
  if (object.is_object() && object.contains(key)) return;
  throw BadInput({cat(json_path_of(path, key), " is missing"),
                  "a run specification leaves nothing open", "Let scalestudy write it"});
}

json take(json& object, const char* key, const std::string& path) {
  require_key(object, key, path);
  auto value = std::move(object[key]);
  object.erase(key);
  return value;
}

// Nothing in a resolved specification may be left to a default.
void expect_all_keys(const json& complete, const json& given, const std::string& path) {
  for (const auto& [key, value] : complete.items()) {
    require_key(given, key, path);
    if (value.is_object()) expect_all_keys(value, given.at(key), json_path_of(path, key));
  }
}

/// They are no part of the content where they are as it was before them: runs keep their names.
void leave_out_newer_defaults(json& content) {
  static const json defaults = to_json(RunSpec());
  for (const auto* path : newer_settings) {
    const json::json_pointer place(path);
    if (content.at(place) == defaults.at(place))
      content.at(place.parent_pointer()).erase(place.back());
  }
}

/// All that decides the results.
json content_of(const RunSpec& spec) {
  auto content = to_json(spec);
  RunSpec any;
  for (const auto& name : field_names([&](FieldVisitor& v) { visit_circumstances(v, any); }))
    content.erase(name);
  for (const auto* path : {"path", "reference_path"}) content["data"].erase(path);
  leave_out_newer_defaults(content);
  if (spec.injections.empty()) content.erase("injections");
  if (spec.schema > last_schema_with_new_content) content["schema"] = last_schema_with_new_content;
  return content;
}

/// Leaves of objects by "settings.link.algorithm"; lists are leaves.
std::map<std::string, std::string> leaves_of(const json& object, const std::string& root = "") {
  std::map<std::string, std::string> leaves;
  for (const auto& [name, value] : object.items()) {
    const auto path = root.empty() ? name : cat(root, ".", name);
    if (value.is_object())
      leaves.merge(leaves_of(value, path));
    else
      leaves[path] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return leaves;
}

}  // namespace

std::string RunSpec::run_id() const {
  std::vector<std::string> parts{workload, cat("r", ranks)};
  if (trains()) parts.insert(parts.end(), {cat(scaling_rule), cat(reduction)});
  if (control_arm) parts.push_back(cat(*control_arm));
  if (input != InputKind::sharded) parts.push_back(cat(input));
  parts.push_back(cat("rep", repeat));
  if (twin > 0) parts.emplace_back("twin");
  parts.push_back(hex64(content_hash()).substr(0, 8));
  return join(parts, "-");
}

std::uint64_t RunSpec::repeat_seed() const {
  return mix64(static_cast<std::uint64_t>(settings.seed) ^
               mix64(static_cast<std::uint64_t>(repeat)));
}

std::string RunSpec::carried_by() const {
  return settings.device != Device::cpu && ranks > 1 ? "nccl" : cat(communicator);
}

BatchNormPolicy RunSpec::batch_norm_in_force() const {
  const bool is_without_exchange = !properties_of(reduction).averages_gradients ||
                                   control_arm == ControlArm::no_distributed_path;
  const bool is_exchange = settings.batch_norm == BatchNormPolicy::synchronised;
  return is_without_exchange && is_exchange ? BatchNormPolicy::local : settings.batch_norm;
}

std::uint64_t RunSpec::content_hash() const {
  return mix64(fnv1a(content_of(*this).dump()));
}

std::uint64_t RunSpec::timing_hash() const {
  const RunSpec neutral;
  RunSpec spec = *this;
  spec.study = neutral.study;
  spec.ranks = neutral.ranks;
  spec.repeat = neutral.repeat;
  spec.control_arm = neutral.control_arm;
  spec.communicator = neutral.communicator;
  spec.plan = neutral.plan;
  spec.settings.seed = neutral.settings.seed;
  spec.schema = neutral.schema;
  return spec.content_hash();
}

SpecDiff::SpecDiff(const RunSpec& one, const RunSpec& other) {
  const auto ones = leaves_of(content_of(one));
  auto others = leaves_of(content_of(other));
  const std::string absent = "not set";
  for (const auto& [path, value] : ones) {
    const auto found = others.find(path);
    if (found == others.end() || found->second != value)
      all_.push_back({path, value, found == others.end() ? absent : found->second});
    if (found != others.end()) others.erase(found);
  }
  for (const auto& [path, value] : others) all_.push_back({path, absent, value});
}

SpecDiff SpecDiff::without(std::initializer_list<std::string_view> paths) const {
  SpecDiff rest;
  for (const auto& one : all_) {
    const auto holds = [&](std::string_view path) {
      return one.path == path || one.path.starts_with(cat(path, "."));
    };
    if (std::ranges::none_of(paths, holds)) rest.all_.push_back(one);
  }
  return rest;
}

SpecDiff SpecDiff::without_scale() const {
  return without({"study", "ranks", "repeat", "communicator", "plan"});
}

SpecDiff SpecDiff::of_times() const {
  return without_scale().without({"control_arm", "settings.seed", "schema"});
}

std::string SpecDiff::text() const {
  std::vector<std::string> parts;
  for (const auto& one : all_)
    parts.push_back(
        cat(one.path, " (", shortened(one.one, 40), ", ", shortened(one.other, 40), ")"));
  return join(first_of(parts, 5, "settings"), ", ");
}

FieldWords run_spec_words() {
  RunSpec spec;
  auto words = words_of_schema(schema_of_fields([&](FieldVisitor& v) { visit_spec(v, spec); }));
  // The model's, but rules list it with the settings that count steps.
  words["/settings/batch_norm_momentum"] = "Factor on the momentum of batch norm";
  return words;
}

namespace {

bool is_without_training(const json& plan) {
  if (!plan.is_object()) return false;
  const auto is_zero = [&](const char* name) { return plan.contains(name) && plan[name] == 0; };
  return is_zero("epochs") && is_zero("steps_per_epoch") && is_zero("samples");
}

}  // namespace

std::string to_json_text(const RunSpec& spec) {
  return to_json(spec).dump(2) + "\n";
}

std::string too_long_for_run_file(const RunSpec& spec) {
  const auto bytes = to_json_text(spec).size();
  if (bytes <= most_settings_bytes) return "";
  return cat("its specification has ", bytes, " bytes, and a run file keeps ", most_settings_bytes,
             ": give shorter lists, such as fewer layers");
}

RunSpec run_spec_from_json_text(const std::string& text, const std::string& origin) {
  auto object = parse_json(text, origin);
  const auto root = origin + ": ";
  RunSpec spec;
  spec.workload_settings = take(object, "workload_settings", root).dump();
  require_key(object, "plan", root);
  const auto list = take(object["plan"], "time_like", root + "plan");
  const bool is_older = object.contains("schema") && object["schema"] != run_spec_schema;
  if (is_older) object.erase("smoothness_window_samples");  // schema 1; the analysis finds it
  spec.plan.epochs = is_without_training(object["plan"]) ? 0 : 1;  // decides what it may hold
  const FieldWalk walk = [&](FieldVisitor& v) { visit_spec(v, spec); };
  read_fields(object, root, walk);
  if (!is_older) expect_all_keys(write_fields(walk), object, root);
  require_plain_name(spec.workload, json_path_of(root, "workload"));
  for (const auto& entry : list) {
    auto& setting = spec.plan.time_like.emplace_back();
    read_fields(entry, root + "plan.time_like",
                [&](FieldVisitor& v) { visit_time_like(v, setting); });
  }
  return spec;
}

}  // namespace scalestudy
