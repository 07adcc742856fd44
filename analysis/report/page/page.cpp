#include "analysis/report/page/page.hpp"

#include <algorithm>
#include <set>

#include "core/clock.hpp"
#include "core/text.hpp"

#include "analysis/report/assets.hpp"
#include "analysis/report/exchange/collectives_report.hpp"
#include "analysis/report/exchange/exchange_report.hpp"
#include "analysis/report/learning/confusion.hpp"
#include "analysis/report/learning/panels.hpp"
#include "analysis/report/learning/quality_table.hpp"
#include "analysis/report/page/conclusions.hpp"
#include "analysis/report/published/published_report.hpp"
#include "analysis/report/published/published_tables.hpp"
#include "analysis/report/speed/factors_report.hpp"
#include "analysis/report/speed/fair_base_report.hpp"
#include "analysis/report/speed/launch_table.hpp"
#include "analysis/report/speed/prediction_report.hpp"
#include "analysis/report/speed/run_causes_report.hpp"
#include "analysis/report/speed/speedup_table.hpp"
#include "analysis/report/step/arm_tables.hpp"
#include "analysis/report/step/causes_report.hpp"
#include "analysis/report/step/remedies_report.hpp"
#include "analysis/report/step/step_checks_table.hpp"
#include "analysis/report/step/step_table.hpp"
#include "analysis/report/study/run_tables.hpp"
#include "analysis/report/study/settings_tables.hpp"
#include "analysis/report/text/label_sentences.hpp"
#include "analysis/report/text/numbers.hpp"
#include "analysis/series/settings_json.hpp"

namespace scalestudy {
namespace {

std::string element(const std::string& name, const std::string& text) {
  return cat("<", name, ">", escape_html(text), "</", name, ">\n");
}

std::string paragraph(const std::string& css_class, const std::string& text) {
  return cat("<p class=\"", css_class, "\">", escape_html(text), "</p>\n");
}

std::string table_html(const ReportTable& table) {
  return table.rows.empty() ? "" : to_html(table);
}

std::string folded(const std::string& title, const std::string& content) {
  if (content.empty()) return "";
  return cat("<details><summary>", escape_html(title), "</summary>\n", content, "</details>\n");
}

std::string now_utc() {
  const auto timestamp = utc_timestamp();  // 2026-11-22T07:41:21Z
  return cat(timestamp.substr(0, 10), " ", timestamp.substr(11, 5), " UTC");
}

std::string study_names(const StudyAnalysis& analysis) {
  std::set<std::string> names;
  for (const Run& run : analysis.runs().runs) names.insert(run.spec.study);
  const auto& published = analysis.published();
  if (published.size() == 1) names.insert(published.front().study.title);
  if (published.size() > 1) names.insert(cat(published.size(), " published works"));
  names.erase("");
  return names.empty() ? "scaling study" : join({names.begin(), names.end()}, ", ");
}

/// The different values that the runs recorded at `path` of one of their JSON texts.
std::vector<std::string> recorded_values(const RunSet& set,
                                         std::string RunFacts::*json_text,
                                         const std::string& path) {
  std::vector<std::string> values;
  for (const Run& run : set.runs) {
    const FlatSettings recorded = flatten_json(run.record.*json_text);
    if (const auto found = recorded.find(path); found != recorded.end())
      add_unique(values, found->second);
  }
  return values;
}

/// What the studies say of themselves.
std::string descriptions(const RunSet& set) {
  std::string html;
  for (const auto& text : recorded_values(set, &RunFacts::requested_settings, "/description"))
    html += paragraph("description", text);
  return html;
}

std::vector<std::string> names_of(const std::vector<std::filesystem::path>& folders) {
  std::vector<std::string> names;
  for (const auto& folder : folders) add_unique(names, folder.string());
  return names;
}

/// "10 runs as data and 15 of control arms".
std::string runs_as_data(const StudyAnalysis& analysis) {
  const auto& runs = analysis.runs().runs;
  const auto arms = std::count_if(runs.begin(), runs.end(), [](const Run& run) {
    return run.is_data() && run.spec.control_arm.has_value();
  });
  const auto others = analysis.data_runs() - static_cast<std::size_t>(arms);
  return cat(counted(others, "run"), " as data",
             arms > 0 ? cat(" and ", arms, " of control arms") : "");
}

std::vector<std::string> machine_names(const StudyAnalysis& analysis) {
  if (!analysis.has_several_machines())
    return recorded_values(analysis.runs(), &RunFacts::environment, "/cpu/model");
  std::vector<std::string> names;
  for (const Machine& machine : analysis.machines()) names.push_back(machine.words);
  return names;
}

std::string page_header(const StudyAnalysis& analysis) {
  const RunSet& set = analysis.runs();
  const auto machines = machine_names(analysis);
  const auto builds = build_ids(set);
  std::string facts;
  if (set.folders.size() > 1) facts = "from " + join(names_of(set.folders), ", ") + " · ";
  if (!set.folders.empty()) facts += runs_as_data(analysis);
  if (!analysis.published().empty())
    facts += cat(set.folders.empty() ? "" : " · ",
                 counted(analysis.published().size(), "published work"), ", external");
  if (!machines.empty())
    facts += " · " + join(machines, analysis.has_several_machines() ? " and " : ", ");
  if (!builds.empty()) facts += " · build " + join(builds, ", ");
  return cat("<header><p class=\"kicker\">scalestudy report</p>",
             element("h1", study_names(analysis)), descriptions(set),
             paragraph("facts", facts + " · " + now_utc()), "</header>\n");
}

/// Why runs are no data: the run table that says it, too, is wide and far below.
std::vector<std::string> reasons_left_out(const RunSet& set) {
  std::vector<std::string> reasons;
  for (const Run& run : set.runs)
    if (!run.is_data()) reasons.push_back(cat(run.record.header.run_id, ": ", run.left_out));
  for (const AbsentRun& file : set.unreadable) reasons.push_back(file.reason);
  for (const AbsentRun& run : set.without_file) reasons.push_back(cat(run.name, ": ", run.reason));
  for (const AbsentRun& plan : set.damaged_plans) reasons.push_back(plan.reason);
  return reasons;
}

std::string list_of_reasons(const RunSet& set) {
  std::string items;
  for (const auto& reason : first_of(reasons_left_out(set), 10, "in the run table"))
    items += element("li", reason);
  return items;
}

std::string notices(const StudyAnalysis& analysis, const std::vector<std::string>& notes) {
  std::string items;
  for (const StudyFlag& flag : analysis.flags()) {
    items += cat("<li><strong>", escape_html(flag.code), "</strong> ", escape_html(flag.text),
                 "</li>\n");
  }
  for (const std::string& note : notes) items += element("li", note);
  items += list_of_reasons(analysis.runs());
  if (items.empty()) return "";
  return cat("<aside class=\"notice\"><ul>\n", items, "</ul></aside>\n");
}

std::string stat(const std::string& value, const std::string& label, const std::string& detail) {
  return cat("<div class=\"stat\"><b>", escape_html(value), "</b><span>", escape_html(label),
             "</span><small>", escape_html(detail), "</small></div>\n");
}

std::string stats(const SeriesAnalysis& analysis) {
  if (!states_speedup(analysis)) return "";
  const SpeedupPoint& base = analysis.speedup.front();
  const SpeedupPoint& last = analysis.speedup.back();
  const std::string n = cat(last.ranks, " ranks");
  // An interval tells how much launches differ, not what other programs did to all of them.
  const auto certainty = [&](const Estimate& estimate, const char* unit) {
    if (analysis.series.has_label(RunLabel::busy_machine)) return std::string("on a busy machine");
    return interval_text(estimate) + (estimate.interval ? unit : "");
  };
  std::string html = "<div class=\"stats\">\n";
  html += stat(significant(last.training.value, 3) + "×", "training speed-up, " + n,
               certainty(last.training, ""));
  html +=
      stat(percent(last.efficiency.value), "efficiency, " + n,
           certainty(transformed(last.efficiency, [](double e) { return e * 100; }), "\u202f%"));
  html += stat(significant(last.absolute.samples_per_s, 4), "samples/s, " + n,
               "one rank: " + significant(base.absolute.samples_per_s, 4));
  html += stat(duration(last.absolute.training_time_s), "training, " + n,
               "one rank: " + duration(base.absolute.training_time_s));
  const auto cause = cause_in_brief(analysis);
  if (cause && !analysis.series.has_label(RunLabel::busy_machine))
    html += stat(cause->name, "main cause, " + n, cause->remark);
  return html + "</div>\n";
}

/// Beside a headline: no number below it is to be read without them.
std::string badges(const std::vector<std::string>& labels) {
  std::string html;
  for (const auto& label : labels)
    html += cat(" <span class=\"badge\">", escape_html(label_words(label)), "</span>");
  return html;
}

std::string headline(const std::string& text, const std::vector<std::string>& labels) {
  return cat("<h2>", escape_html(text), badges(labels), "</h2>\n");
}

std::string conclusions_html(const SeriesAnalysis& analysis) {
  const Conclusions conclusions = conclusions_of(analysis);
  std::string html = cat(
      "<section class=\"conclusions\">", headline(conclusions.headline, labels_of(analysis.series)),
      paragraph("series", cat(analysis.series.name, " · ", scaling_words(analysis))),
      stats(analysis));
  html += "<dl>\n";
  for (const auto& [question, text] : conclusions.answers())
    html += element("dt", std::string(question)) + element("dd", text);
  return html + "</dl>\n</section>\n";
}

std::string figure_html(const DrawnFigure& drawn) {
  const Figure& figure = drawn.figure;
  const std::string missing =
      "Not drawn; the data are in figures/" + figure.slug + ".tsv, the script beside it.";
  const std::string drawing = drawn.svg.empty() ? paragraph("missing", missing) : drawn.svg;
  return cat("<figure class=\"chart\">", element("h3", figure.title), drawing, "<figcaption>",
             escape_html(figure.caption), "</figcaption></figure>\n");
}

/// The figures of a section, side by side.
std::string charts(const std::vector<DrawnFigure>& figures, FigureSection section) {
  std::string html;
  for (const DrawnFigure& drawn : figures) {
    if (drawn.figure.section == section) html += figure_html(drawn);
  }
  return html.empty() ? "" : "<div class=\"charts\">\n" + html + "</div>\n";
}

std::string section(const std::string& title, const std::string& content) {
  if (content.empty()) return "";
  return cat("<section>", element("h2", title), content, "</section>\n");
}

std::string series_sections(const SeriesAnalysis& analysis,
                            const std::vector<DrawnFigure>& figures,
                            const SettingWords& words) {
  const std::string panels = panels_html(analysis);
  return section("How much faster",
                 charts(figures, FigureSection::speed) + table_html(speedup_table(analysis)) +
                     table_html(fair_base_table(analysis)) +
                     table_html(factorisation_table(analysis)) +
                     table_html(factor_bases_table(analysis)) + table_html(target_table(analysis)) +
                     table_html(scaling_models_table(analysis)) +
                     table_html(noise_scale_table(analysis))) +
         section("Why not faster", charts(figures, FigureSection::causes) +
                                       table_html(causes_table(analysis)) +
                                       table_html(remedies_table(analysis)) +
                                       table_html(run_causes_table(analysis))) +
         section("Where the step goes",
                 charts(figures, FigureSection::step) + table_html(step_table(analysis)) +
                     table_html(exchange_table(analysis)) +
                     table_html(exchange_fits_table(analysis)) +
                     table_html(buckets_table(analysis)) + table_html(pop_table(analysis)) +
                     table_html(step_checks_table(analysis))) +
         section("Where the launch goes", table_html(launch_table(analysis))) +
         section("Learning", charts(figures, FigureSection::learning) +
                                 table_html(quality_table(analysis)) +
                                 table_html(smoothness_table(analysis))) +
         section("Which classes are confused", confusion_html(analysis)) +
         section("What the models see and say", panels) +
         section("Settings", table_html(differing_settings_table(analysis, words)) +
                                 table_html(settings_stages_table(analysis, words)) +
                                 table_html(time_like_table(analysis, words)));
}

/// Below a line, where more than one series has sections: its name, and where it was measured.
std::string series_title(const SeriesAnalysis& analysis) {
  return cat("<hr>", analysis.machine.empty() ? "" : paragraph("kicker", analysis.machine),
             element("h1", analysis.series.name));
}

std::string collectives_conclusions(const StudyAnalysis& analysis) {
  std::string html;
  for (const std::string& text : collective_paragraphs(analysis)) html += element("p", text);
  if (html.empty()) return "";
  return cat("<section class=\"conclusions\">",
             headline("Collective operations", collective_labels(analysis)), html, "</section>\n");
}

std::string collectives_sections(const StudyAnalysis& analysis, const FiguresBySeries& figures) {
  const auto drawn = figures.find(collectives_slug);
  return section("What a call costs",
                 (drawn == figures.end() ? "" : charts(drawn->second, FigureSection::collectives)) +
                     table_html(collectives_table(analysis))) +
         section("Latency and bandwidth", table_html(collective_fits_table(analysis)));
}

std::string published_conclusions(const PublishedAnalysis& analysis) {
  std::string html;
  for (const ArmAnalysis& arm : analysis.arms) {
    html += cat("<section class=\"conclusions\">",
                headline("Published: " + published_headline(arm), {external_label}),
                paragraph("series", cat(analysis.study.title, ", ", arm.arm.name)));
    for (const std::string& text : published_paragraphs(analysis.study, arm))
      html += element("p", text);
    html += "</section>\n";
  }
  return html;
}

std::string published_sections(const PublishedAnalysis& analysis, const FiguresBySeries& figures) {
  const std::string title = cat(analysis.study.title, " (external)");
  return section(title, charts(figures.at(analysis.slug), FigureSection::speed) +
                            table_html(published_table(analysis)) +
                            table_html(published_factors_table(analysis)));
}

std::string all_runs_section(const StudyAnalysis& analysis) {
  return section("Control arms", table_html(arm_contrast_table(analysis)) +
                                     table_html(control_arm_table(analysis))) +
         section("Runs", table_html(run_table(analysis)) + table_html(skipped_table(analysis))) +
         section("Environment",
                 folded("All recorded properties", table_html(environment_table(analysis))));
}

std::string method_section() {
  return section(
      "How these numbers are made",
      element("p",
              "The launch is the unit of every interval: Student's t, on logarithms for times, in "
              "pairs of one repeat each where the study says so and all are there, else Welch's; "
              "none for fewer than 3 launches, or of two speeds. Of several questions asked "
              "together Holm's "
              "procedure decides which difference is resolved. Outliers are named and kept. Steady "
              "steps are all after the requested warm-up; whether they took as long all the way "
              "through is tested and said, but none is left out. Step time is the maximum over "
              "ranks; rates are samples divided by the time that passed. Invalid, unfinished and "
              "control-arm runs are listed, "
              "never drawn as data; resumed runs are left out of all times. Every formula is in "
              "analysis/METRICS.md; every figure's data and script are "
              "in figures/, every table is in tables/, all numbers in summary.json."));
}

}  // namespace

std::string report_page(const StudyAnalysis& analysis,
                        const FiguresBySeries& figures,
                        const std::vector<std::string>& notes,
                        const SettingWords& words) {
  std::string body = page_header(analysis) + notices(analysis, notes);
  for (const SeriesAnalysis& one : analysis.studies()) body += conclusions_html(one);
  body += collectives_conclusions(analysis);
  for (const PublishedAnalysis& one : analysis.published()) body += published_conclusions(one);
  if (analysis.studies().empty() && analysis.collectives().empty() &&
      analysis.published().empty()) {
    body += cat("<section class=\"conclusions\">", element("h2", "No result yet"),
                element("p", "No run counts as data, so nothing can be concluded or drawn."),
                "</section>\n");
  }
  for (const SeriesAnalysis& one : analysis.studies()) {
    if (analysis.studies().size() > 1) body += series_title(one);
    body += series_sections(one, figures.at(one.series.slug), words);
  }
  body += collectives_sections(analysis, figures);
  for (const PublishedAnalysis& one : analysis.published())
    body += published_sections(one, figures);
  body += all_runs_section(analysis) + method_section();
  return cat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n",
      element("title", study_names(analysis) + " – scalestudy report"), "<style>\n",
      assets::page_css, "</style>\n</head>\n<body>\n<main>\n", body, "</main>\n</body>\n</html>\n");
}

}  // namespace scalestudy
