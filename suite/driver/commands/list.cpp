/// scalestudy list KIND: what may stand in studies and environments, and what is recorded.

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include <CLI/CLI.hpp>

#include "core/file_content.hpp"
#include "core/text.hpp"

#include "study/injection.hpp"
#include "study/scaling_rules.hpp"
#include "study/shipped_files.hpp"
#include "study/study.hpp"

#include "record/run_file/columns.hpp"
#include "record/run_file/run_layout.hpp"

#include "analysis/claims/claim.hpp"
#include "analysis/published/published.hpp"
#include "driver/commands/command.hpp"
#include "driver/terminal/listing.hpp"
#include "launchers/launcher.hpp"
#include "workloads/catalogue.hpp"
#include "workloads/replay/profile.hpp"

namespace scalestudy {
namespace list_parts {

Listing workloads(const Context&) {
  Listing listing{"workloads", {"name", "needs", "quality", "summary"}, {}, "No workloads."};
  for (const auto* workload : workload_catalogue()) {
    std::vector<std::string> metrics(workload->quality_metrics.begin(),
                                     workload->quality_metrics.end());
    listing.rows.push_back(
        {std::string(workload->name), workload->needs_libtorch ? "LibTorch" : "nothing",
         metrics.empty() ? "-" : join(metrics, ", "), std::string(workload->summary)});
  }
  return listing;
}

Listing strategies(const Context&) {
  Listing listing{"strategies", {"name", "summary"}, {}, "No strategies."};
  for (const auto& choice : named_choices<Reduction>()) {
    listing.rows.push_back({std::string(choice.name), std::string(choice.summary)});
  }
  return listing;
}

Listing rules(const Context&) {
  Listing listing{"rules", {"name", "source", "summary"}, {}, "No rules."};
  for (const auto& rule : choices<ScalingRule>) {
    listing.rows.push_back(
        {std::string(rule.name), std::string(source_of(rule.value)), std::string(rule.summary)});
  }
  return listing;
}

Listing injections(const Context&) {
  Listing listing{"injections", {"name", "example", "summary"}, {}, "No injections."};
  for (const auto& row : choices<Fault>)
    listing.rows.push_back(
        {std::string(row.name), example_of(row.value), std::string(row.summary)});
  return listing;
}

bool is_available(const Launcher& launcher) {
  try {
    launcher.require_available();
    return true;
  } catch (const Unavailable&) {
    return false;
  }
}

Listing launcher_table(const Context&) {
  Listing listing{"launchers", {"name", "here", "summary"}, {}, "No launchers."};
  for (const auto* launcher : all_launchers()) {
    listing.rows.push_back({std::string(launcher->name()),
                            is_available(*launcher) ? "yes" : "missing",
                            std::string(launcher->descriptor().summary)});
  }
  return listing;
}

/// A file that cannot be read is listed with the reason instead of its description.
template <class Describe>
std::string description_or_error(const Describe& describe) {
  try {
    return describe();
  } catch (const Error& error) {
    return cat("UNREADABLE: ", error.what());
  }
}

/// "1, 2, 4"
std::string ranks_of(const PublishedStudy& study) {
  std::set<std::int64_t> all;
  for (const auto& arm : study.arms)
    for (const auto& run : arm.runs) all.insert(run.ranks);
  return join(all, ", ");
}

template <class Describe>
Listing shipped_files(const std::string& kind,
                      const std::vector<ShippedFile>& files,
                      const Describe& describe) {
  Listing listing{kind, {"name", "description"}, {}, cat("No ", kind, " are shipped.")};
  for (const auto& shipped : files)
    listing.rows.push_back(
        {shipped.name, description_or_error([&] { return describe(shipped.file); })});
  return listing;
}

Listing environments(const Context& context) {
  return shipped_files(
      "environments", ShippedFiles(context.executable).environments(),
      [](const auto& file) { return read_environment(file, launcher_descriptors()).description; });
}

Listing studies(const Context& context) {
  return shipped_files("studies", ShippedFiles(context.executable).studies(), [](const auto& file) {
    return read_study(file, {}, workload_catalogue()).description;
  });
}

Listing profiles(const Context& context) {
  return shipped_files(
      "profiles", ShippedFiles(context.executable).profiles(), [](const auto& file) {
        const auto origin = replay::read_profile(file).origin;
        return cat(origin.network, " with ", origin.library, " on ", origin.device);
      });
}

Listing claims(const Context& context) {
  Listing listing{"claims", {"name", "quantity", "statement"}, {}, "No claims are shipped."};
  for (const auto& shipped : ShippedFiles(context.executable).claims()) {
    std::string quantity = "-";
    const auto describe = [&] {
      const auto claim = read_claim(shipped.file, workload_catalogue());
      quantity = claim.metric.empty() ? cat(claim.quantity) : claim.metric;
      return claim.statement;
    };
    const auto statement = description_or_error(describe);
    listing.rows.push_back({shipped.name, quantity, statement});
  }
  return listing;
}

Listing published(const Context& context) {
  Listing listing{
      "published", {"name", "ranks", "source", "title"}, {}, "No published studies are shipped."};
  for (const auto& shipped : ShippedFiles(context.executable).published()) {
    std::string ranks = "-";
    std::string source = "-";
    const auto describe = [&] {
      const auto study = read_published_study(shipped.file);
      ranks = ranks_of(study);
      source = source_of(study);
      return study.title;
    };
    const auto title = description_or_error(describe);
    listing.rows.push_back({shipped.name, ranks, source, title});
  }
  return listing;
}

Listing metrics(const Context&) {
  Listing listing{"metrics", {"name", "unit", "better", "over ranks and steps", "meaning"}, {}, ""};
  for (const auto& [group, columns] : run_layout::all_columns()) {
    for (const auto& column : columns) {
      listing.rows.push_back({run_layout::path_of(group, column.name), std::string(column.unit),
                              std::string(run_layout::to_string(column.better)),
                              std::string(column.aggregation), std::string(column.description)});
    }
  }
  return listing;
}

struct Kind {
  std::string_view name;
  Listing (*list)(const Context& context);
};

constexpr std::array kinds{Kind{"workloads", workloads},
                           Kind{"strategies", strategies},
                           Kind{"rules", rules},
                           Kind{"injections", injections},
                           Kind{"launchers", launcher_table},
                           Kind{"environments", environments},
                           Kind{"studies", studies},
                           Kind{"profiles", profiles},
                           Kind{"claims", claims},
                           Kind{"published", published},
                           Kind{"metrics", metrics}};

const Kind& kind_named(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& kind : kinds) {
    if (kind.name == name) return kind;
    names.emplace_back(kind.name);
  }
  if (name.empty())
    throw BadInput({"KIND is missing", "each has a listing of its own",
                    cat("Name one of ", join(names, ", "))});
  throw BadInput({cat("There is nothing called '", name, "' to list"),
                  cat("can be listed: ", join(names, ", ")),
                  did_you_mean(name, names, "Use one of them")});
}

struct ListOptions {
  std::string kind;
  std::string shown;  ///< a study's or claim's name
};

ExitCode show_file(const ListOptions& options, Context& context) {
  const bool is_claim = options.kind == "claims";
  if (!is_claim && options.kind != "studies")
    throw BadInput({"--show has no effect here", "only studies and claims are printed",
                    cat("Leave it out: scalestudy list ", kind_named(options.kind).name,
                        " shows what there is")});
  const ShippedFiles shipped(context.executable);
  const auto file =
      is_claim ? shipped.find_claim(options.shown) : shipped.find_study(options.shown);
  context.out << text_of_file(file);
  return ExitCode::done;
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<ListOptions>();
  app.add_option("KIND", options->kind,
                 "workloads, strategies, rules, injections, launchers, environments, studies, "
                 "profiles, claims, published, metrics");
  app.add_option("--show", options->shown, "Print this shipped file (with studies, claims)")
      ->type_name("NAME");
  return [options](Context& context) {
    if (!options->shown.empty()) return show_file(*options, context);
    show(kind_named(options->kind).list(context), context);
    return ExitCode::done;
  };
}

}  // namespace list_parts

extern const Command list_command{
    "list", "List workloads, strategies, rules, studies, metrics, ...",
    "scalestudy list studies\nscalestudy list studies --show n2v-quickstart > study.json\n"
    "scalestudy list metrics --json",
    list_parts::define};

}  // namespace scalestudy
