#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/text.hpp"

#include "study/fields.hpp"

#include "record/measures/measures.hpp"

#include "analysis/claims/claim.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

constexpr double most_ranks = 1e6;
constexpr double most_samples = 1e15;

void visit_tolerance(FieldVisitor& v, ClaimTolerance& tolerance) {
  v.field("relative_frac", tolerance.relative_frac,
          {.unit = "1", .description = "Of the published value", .minimum = 0, .maximum = 1});
  v.field("absolute", tolerance.absolute,
          {.unit = "as value", .description = "Instead of relative_frac", .minimum = 0});
  v.field("reason", tolerance.reason, {.unit = "1", .description = "Why it is as wide as it is"});
}

void visit_conditions(FieldVisitor& v, ClaimedConditions& conditions) {
  v.field("workload", conditions.workload, {.unit = "1", .description = "What was trained"});
  v.field("scaling_rule", conditions.scaling_rule,
          {.unit = "1", .description = "What more ranks did to batch, rate and epochs"});
  v.field("device_model", conditions.device_model,
          {.unit = "1",
           .description = "What computed: part of the name that the device gives itself, as A100"});
  v.field("precision", conditions.precision, {.unit = "1", .description = "Arithmetic"});
  v.field("sample_size", conditions.sample_size,
          {.unit = "voxels",
           .description = "Sides of a patch or picture, as in the workload's patch or size",
           .minimum = 1,
           .maximum = most_samples});
  v.field("local_batch_size", conditions.local_batch_size,
          {.unit = "samples",
           .description = "Samples per step at one rank",
           .minimum = 0,
           .maximum = most_samples});
  v.field("input", conditions.input, {.unit = "1", .description = "How samples reach the ranks"});
  v.field("reduction", conditions.reduction,
          {.unit = "1", .description = "How gradients are averaged"});
  v.field("base_learning_rate", conditions.base_learning_rate,
          {.unit = "1", .description = "Before the scaling rule", .minimum = 0, .maximum = 1e9});
}

/// All but the points, which are a list of objects.
void visit_claim(FieldVisitor& v, Claim& claim) {
  v.field("schema", claim.schema,
          {.unit = "1", .description = "Version of this format", .minimum = 1, .maximum = 1});
  v.field("name", claim.name,
          {.unit = "1", .description = "As its file: lower-case letters, digits and -"});
  v.field("statement", claim.statement, {.unit = "1", .description = "The claim in words"});
  v.field("source", claim.source, {.unit = "1", .description = "Where it is published"});
  v.field("quantity", claim.quantity, {.unit = "1", .description = "What the claim is about"});
  v.field(
      "metric", claim.metric,
      {.unit = "1", .description = "Of quality and quality_difference: a column of /evaluations"});
  v.field("causes", claim.causes,
          {.unit = "1",
           .description = "Of main_cause: those of which the claim says that one is the main one"});
  v.field("relation", claim.relation,
          {.unit = "1", .description = "What a measured value has to be, beside the published"});
  v.group("tolerance", "Of relation about: one of both, and why",
          [&](FieldVisitor& members) { visit_tolerance(members, claim.tolerance); });
  v.group("conditions", "Under which it was published; what is left out the source does not state",
          [&](FieldVisitor& members) { visit_conditions(members, claim.conditions); });
  v.field("remarks", claim.remarks,
          {.unit = "1", .description = "What else a reader has to know, a sentence each"});
}

void visit_point(FieldVisitor& v, ClaimPoint& point) {
  v.field("ranks", point.ranks,
          {.unit = "ranks", .description = "World size", .minimum = 1, .maximum = most_ranks});
  v.field("base_ranks", point.base_ranks,
          {.unit = "ranks",
           .description = "What it is compared with",
           .minimum = 1,
           .maximum = most_ranks});
  v.field("value", point.value, {.unit = "as quantity", .description = "As published"});
  v.field("tolerance", point.tolerance,
          {.unit = "as value",
           .description = "Absolute, of this point alone; 0: that of the claim",
           .minimum = 0});
  v.field("steps", point.steps,
          {.unit = "steps",
           .description = "Optimiser steps of the whole training; 0: not stated",
           .minimum = 0,
           .maximum = most_samples});
  v.field("evaluated_samples", point.evaluated_samples,
          {.unit = "samples",
           .description = "Of quality: on how many samples it was judged; 0: not stated",
           .minimum = 0,
           .maximum = most_samples});
}

void require_text(const std::string& text, const std::string& place) {
  if (text.empty() || has_control_characters(text))
    throw BadInput({cat(place, text.empty() ? " is missing" : " has control characters"),
                    "who reads the verdict is told what was claimed, and where",
                    "Write it as one line"});
}

void require_name(const std::string& name, const std::string& place) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  if (!name.empty() && std::ranges::all_of(name, is_plain)) return;
  throw BadInput({cat(place, name.empty() ? " is missing" : cat(" '", name, "' is no name")),
                  "a claim is called by it", "Use lower-case letters, digits and -"});
}

void require_workload(const std::string& name,
                      const std::string& place,
                      std::span<const WorkloadDescriptor* const> workloads) {
  std::vector<std::string> names;
  for (const auto* workload : workloads) names.emplace_back(workload->name);
  if (!name.empty() && std::ranges::find(names, name) == names.end())
    refuse_unknown(place, "workload", name, names);
}

void require_metric(const Claim& claim, const std::string& root) {
  const bool is_asked = claim.kind() == ClaimKind::quality;
  if (!is_asked && !claim.metric.empty())
    throw BadInput({root + "metric has no effect here",
                    cat(claim.quantity, " is a quantity of its own"), "Leave it out"});
  if (!is_asked) return;
  std::vector<std::string> names;
  for (const auto& measure : measures())
    if (measure.kind == MeasureKind::quality) names.emplace_back(measure.column->name);
  if (std::ranges::find(names, claim.metric) == names.end())
    refuse_unknown(root + "metric", "metric", claim.metric, names);
}

void require_causes(const Claim& claim, const std::string& root) {
  const bool is_asked = claim.kind() == ClaimKind::explanation;
  if (is_asked == !claim.causes.empty()) return;
  throw BadInput(
      {cat(root, is_asked ? "causes are missing" : "causes have no effect here"),
       is_asked ? "an explanation names what it holds for the cause"
                : cat(claim.quantity, " is a number"),
       is_asked ? cat("Name one or more of ", join(names_of(named_choices<StepCause>()), ", "))
                : "Leave them out"});
}

/// How wide it is at this point.
double width_of(const Claim& claim, const ClaimPoint& point) {
  if (point.tolerance > 0) return point.tolerance;
  const auto& [relative_frac, absolute, reason] = claim.tolerance;
  return relative_frac > 0 ? relative_frac * std::abs(point.value) : absolute;
}

void require_tolerance(const Claim& claim, const std::string& root) {
  const auto& [relative_frac, absolute, reason] = claim.tolerance;
  const bool is_asked =
      claim.kind() != ClaimKind::explanation && claim.relation == ClaimRelation::about;
  const auto has_own = [](const ClaimPoint& point) { return point.tolerance > 0; };
  const bool has_some = relative_frac > 0 || absolute > 0 || !reason.empty() ||
                        std::ranges::any_of(claim.points, has_own);
  if (!is_asked && has_some)
    throw BadInput({root + "a tolerance has no effect here",
                    "only relation about compares with a value on both sides", "Leave it out"});
  if (!is_asked) return;
  if (relative_frac > 0 && absolute > 0)
    throw BadInput({root + "tolerance has relative_frac and absolute",
                    "only one of them could be applied", "Remove one"});
  require_text(reason, root + "tolerance.reason");
  for (std::size_t i = 0; i < claim.points.size(); ++i)
    if (!(width_of(claim, claim.points[i]) > 0))
      throw BadInput({cat(root, "points[", i, "] has no tolerance"),
                      "no measurement hits a number to the last digit",
                      "Give tolerance.relative_frac or tolerance.absolute"});
}

void require_no(const json& object, const char* key, const std::string& place, const char* why) {
  if (object.contains(key))
    throw BadInput({cat(place, ".", key, " has no effect here"), why, "Leave it out"});
}

void require_consistent(const Claim& claim,
                        const ClaimPoint& point,
                        const json& object,
                        const std::string& place) {
  const bool has_value = claim.kind() != ClaimKind::explanation;
  if (has_value && !object.contains("value"))
    throw BadInput(
        {place + ".value is missing", "it is what is compared", "Write the published number"});
  if (!has_value) require_no(object, "value", place, "an explanation is no number");
  const bool is_positive = claim.kind() == ClaimKind::seconds || claim.kind() == ClaimKind::ratio;
  if (is_positive && !(point.value > 0))
    throw BadInput({cat(place, ".value = ", point.value, " is not above 0"),
                    cat(claim.quantity, " is never 0 or less"), "Write the published number"});
  if (claim.kind() != ClaimKind::quality)
    require_no(object, "evaluated_samples", place, "only a quality is judged on samples");
  if (!properties_of(claim.quantity).is_of_two_counts)
    require_no(object, "base_ranks", place, "the quantity is of one number of ranks");
  else if (point.ranks == point.base_ranks)
    throw BadInput({cat(place, " compares ", point.ranks, " with itself"),
                    "that is 1, or nothing, always", "Give two numbers of ranks"});
}

std::vector<ClaimPoint> read_points(const Claim& claim, const json& list, const std::string& root) {
  if (!list.is_array() || list.empty() || list.size() > most_claim_points)
    throw BadInput({cat(root, "points is no list of 1 to ", most_claim_points, " objects"),
                    "they are what was published", "Write [{\"ranks\": 4, \"value\": 2.08}]"});
  std::vector<ClaimPoint> points;
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto place = cat(root, "points[", i, "]");
    ClaimPoint point;
    read_fields(list[i], place, [&](FieldVisitor& v) { visit_point(v, point); });
    require_consistent(claim, point, list[i], place);
    if (!seen.emplace(point.ranks, point.base_ranks).second)
      throw BadInput({place + " stands twice", "both could not hold", "Remove one"});
    points.push_back(point);
  }
  return points;
}

void require_real_losses(const Claim& claim, const std::string& root) {
  const bool is_of_losses =
      claim.kind() == ClaimKind::quality || claim.quantity == ClaimQuantity::loss_roughness_ratio;
  if (is_of_losses && claim.is_about_replay())
    throw BadInput({cat(root, claim.quantity, " cannot be claimed of workload replay"),
                    "a replay invents its losses", "Claim times of it"});
}

void require_sample_size(const ClaimedConditions& conditions, const std::string& root) {
  constexpr std::size_t most_sides = 3;
  if (conditions.sample_size.size() > most_sides)
    throw BadInput({cat(root, "conditions.sample_size has more than ", most_sides, " sides"),
                    "patches and pictures have two or three", "Write [16, 64, 64]"});
}

}  // namespace

Interval Claim::accepted(const ClaimPoint& point) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  SCALESTUDY_EXPECT(kind() != ClaimKind::explanation);
  switch (relation) {
    case ClaimRelation::less:
      return {-infinity, point.value};
    case ClaimRelation::more:
      return {point.value, infinity};
    case ClaimRelation::about:
      break;
  }
  const double width = width_of(*this, point);
  return {point.value - width, point.value + width};
}

Claim read_claim(const std::filesystem::path& file,
                 std::span<const WorkloadDescriptor* const> workloads) {
  auto object = read_json_file(file);
  const auto root = file.filename().string() + ": ";
  json points;
  if (object.is_object()) {
    if (!object.contains("quantity"))
      throw BadInput({root + "quantity is missing", "it says what is to be measured",
                      cat("Name one of ", join(names_of(named_choices<ClaimQuantity>()), ", "))});
    points = object.value("points", json());
    object["points"] = json::object();
  }
  Claim claim;
  read_fields(object, root, [&](FieldVisitor& v) {
    visit_claim(v, claim);
    v.group("points", "", [](FieldVisitor&) {});
  });
  require_name(claim.name, root + "name");
  require_text(claim.statement, root + "statement");
  require_text(claim.source, root + "source");
  for (std::size_t i = 0; i < claim.remarks.size(); ++i)
    require_text(claim.remarks[i], cat(root, "remarks[", i, "]"));
  require_workload(claim.conditions.workload, root + "conditions.workload", workloads);
  require_sample_size(claim.conditions, root);
  require_real_losses(claim, root);
  require_metric(claim, root);
  require_causes(claim, root);
  claim.points = read_points(claim, points, root);
  require_tolerance(claim, root);
  return claim;
}

json claim_schema(std::span<const WorkloadDescriptor* const> workloads) {
  Claim claim;
  ClaimPoint point;
  auto schema = schema_of_fields([&](FieldVisitor& v) { visit_claim(v, claim); });
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "scalestudy claim";
  schema["required"] = {"name", "statement", "source", "quantity", "points"};
  json names = {""};
  for (const auto* workload : workloads) names.push_back(workload->name);
  schema["properties"]["conditions"]["properties"]["workload"]["enum"] = names;
  schema["properties"]["points"] = {{"type", "array"},
                                    {"items", schema_of_fields([&](FieldVisitor& v) { visit_point(v, point); })},
                                    {"minItems", 1},
                                    {"maxItems", most_claim_points},
                                    {"unit", "1"},
                                    {"description", "What was published, by numbers of ranks"}};
  return schema;
}

}  // namespace scalestudy
