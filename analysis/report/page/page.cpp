#include "analysis/report/page/page.hpp"

#include "core/clock.hpp"
#include "core/text.hpp"

#include "analysis/report/assets.hpp"
#include "analysis/report/text/label_sentences.hpp"

namespace scalestudy {
namespace {

std::string element(const std::string& name, const std::string& text) {
  return cat("<", name, ">", escape_html(text), "</", name, ">\n");
}

std::string paragraph(const std::string& css_class, const std::string& text) {
  return cat("<p class=\"", css_class, "\">", escape_html(text), "</p>\n");
}

std::string now_utc() {
  const auto timestamp = utc_timestamp();  // 2026-11-22T07:41:21Z
  return cat(timestamp.substr(0, 10), " ", timestamp.substr(11, 5), " UTC");
}

std::string page_header(const Document& document) {
  std::string descriptions;
  for (const auto& text : document.descriptions) descriptions += paragraph("description", text);
  return cat("<header><p class=\"kicker\">scalestudy report</p>", element("h1", document.title),
             descriptions, paragraph("facts", cat(document.facts, " · ", now_utc())),
             "</header>\n");
}

/// The run table that says why runs are left out, too, is wide and far below.
std::string notices(const Document& document, const std::vector<std::string>& notes) {
  std::string items;
  for (const StudyFlag& flag : document.flags) {
    items += cat("<li><strong>", escape_html(flag.code), "</strong> ", escape_html(flag.text),
                 "</li>\n");
  }
  for (const std::string& note : notes) items += element("li", note);
  for (const auto& reason : first_of(document.left_out, 10, "in the run table"))
    items += element("li", reason);
  if (items.empty()) return "";
  return cat("<aside class=\"notice\"><ul>\n", items, "</ul></aside>\n");
}

std::string stats_html(const std::vector<Stat>& stats) {
  if (stats.empty()) return "";
  std::string html = "<div class=\"stats\">\n";
  for (const Stat& stat : stats)
    html += cat("<div class=\"stat\"><b>", escape_html(stat.value), "</b><span>",
                escape_html(stat.label), "</span><small>", escape_html(stat.detail),
                "</small></div>\n");
  return html + "</div>\n";
}

/// Beside a headline: no number below it is to be read without them.
std::string badges(const std::vector<std::string>& labels) {
  std::string html;
  for (const auto& label : labels)
    html += cat(" <span class=\"badge\">", escape_html(label_words(label)), "</span>");
  return html;
}

std::string notes_html(const std::vector<std::string>& notes) {
  if (notes.empty()) return "";
  std::string items;
  for (const auto& note : notes) items += element("li", note);
  return cat("<details><summary>", counted(notes.size(), "note"), "</summary>\n<ul>\n", items,
             "</ul></details>\n");
}

std::string answers_html(const std::vector<Answer>& answers) {
  std::string questions, texts;
  for (const auto& [question, text, notes] : answers)
    question.empty() ? texts += element("p", text) + notes_html(notes)
                     : questions += cat(element("dt", question), "<dd>", escape_html(text),
                                        notes_html(notes), "</dd>\n");
  return texts + (questions.empty() ? "" : cat("<dl>\n", questions, "</dl>\n"));
}

std::string conclusions_html(const Chapter& chapter) {
  if (chapter.headline.empty()) return "";
  return cat("<section class=\"conclusions\"><h2>", escape_html(chapter.headline),
             badges(chapter.labels), "</h2>\n",
             chapter.conditions.empty() ? "" : paragraph("series", chapter.conditions),
             stats_html(chapter.stats), answers_html(chapter.answers), "</section>\n");
}

/// Side by side.
std::string charts(const std::vector<Figure>& figures, const Drawings& drawings) {
  std::string html;
  for (const Figure& figure : figures) {
    const auto drawn = drawings.find(figure.slug);
    const std::string missing =
        "Not drawn; the data are in figures/" + figure.slug + ".tsv, the script beside it.";
    html += cat("<figure class=\"chart\">", element("h3", figure.title),
                drawn != drawings.end() ? drawn->second : paragraph("missing", missing),
                "<figcaption>", escape_html(figure.caption), "</figcaption></figure>\n");
  }
  return html.empty() ? "" : "<div class=\"charts\">\n" + html + "</div>\n";
}

std::string section_html(const Section& section, const Drawings& drawings) {
  std::string html = charts(section.figures, drawings);
  for (const ReportTable& table : section.tables)
    if (table.is_on_page && !table.rows.empty()) html += to_html(table);
  html += section.pictures;
  if (html.empty()) return "";
  if (!section.fold_title.empty())
    html = cat("<details><summary>", escape_html(section.fold_title), "</summary>\n", html,
               "</details>\n");
  return cat("<section>", element("h2", section.title), html, "</section>\n");
}

std::string sections_html(const std::vector<Section>& sections, const Drawings& drawings) {
  std::string html;
  for (const Section& section : sections) html += section_html(section, drawings);
  return html;
}

/// Below a line, where there are several.
std::string title_html(const Chapter& chapter) {
  if (chapter.title.empty()) return "";
  return cat("<hr>", chapter.kicker.empty() ? "" : paragraph("kicker", chapter.kicker),
             element("h1", chapter.title));
}

std::string method_section() {
  return cat(
      "<section>", element("h2", "How these numbers are made"),
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
              "in figures/, every table is in tables/, all numbers in summary.json."),
      "</section>\n");
}

}  // namespace

std::string report_page(const Document& document,
                        const Drawings& drawings,
                        const std::vector<std::string>& notes) {
  std::string body = page_header(document) + notices(document, notes);
  for (const Chapter& chapter : document.chapters) body += conclusions_html(chapter);
  if (document.chapters.empty())
    body += cat("<section class=\"conclusions\">", element("h2", "No result yet"),
                element("p", "No run counts as data, so nothing can be concluded or drawn."),
                "</section>\n");
  for (const Chapter& chapter : document.chapters)
    body += title_html(chapter) + sections_html(chapter.sections, drawings);
  body += sections_html(document.sections, drawings) + method_section();
  return cat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n",
      element("title", document.title + " – scalestudy report"), "<style>\n", assets::page_css,
      "</style>\n</head>\n<body>\n<main>\n", body, "</main>\n</body>\n</html>\n");
}

}  // namespace scalestudy
