// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/difference_report.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

namespace tutti::fomedit {

namespace {

/// Semantics may be pages long.
constexpr qsizetype kLongest = 70;

QString shortened(const QString& text) {
  return text.size() > kLongest ? text.left(kLongest - 1) + u'…' : text;
}

QString orNone(const QString& value) { return value.isEmpty() ? QStringLiteral("–") : value; }

QString impactWord(Impact impact) {
  switch (impact) {
    case Impact::None:
      return QStringLiteral("none");
    case Impact::Check:
      return QStringLiteral("check");
    case Impact::Breaks:
      return QStringLiteral("breaks");
  }
  return {};
}

QString placesOf(const Reason& reason) {
  QStringList places;
  if (!reason.before.isEmpty()) places << QStringLiteral("A ") + reason.before;
  if (!reason.after.isEmpty()) places << QStringLiteral("B ") + reason.after;
  return places.join(QStringLiteral(", "));
}

QString placeOf(const std::vector<Entry>& all, int entry) {
  return entry < 0 ? QString() : all[static_cast<std::size_t>(entry)].place();
}

/// "Flight.ssrCode, was squawk" says a rename better than a property does.
QString titleOf(const ModelDifference& d, const Difference& one) {
  QString title = d.pathOf(one);
  if (one.before >= 0 && one.after >= 0 && (one.renamed || one.moved)) {
    const Entry& was = d.before[static_cast<std::size_t>(one.before)];
    title += QStringLiteral(", was ") + (one.moved ? was.shortPath() : was.name);
  }
  const QString detail = d.detailOf(one);
  return detail.isEmpty() ? title : title + QStringLiteral(" (%1)").arg(detail);
}

bool saidByTitle(const PropertyChange& p) {
  return p.name == QStringLiteral("Name") || p.name == QStringLiteral("Class") ||
         p.name == QStringLiteral("Superclass");
}

QString scoreText(const Difference& one) {
  if (one.score == 0) return {};
  return QStringLiteral("guessed, %1 %: %2").arg(one.score / 10).arg(one.reason);
}

QString escaped(const QString& text) { return text.toHtmlEscaped(); }

}  // namespace

QString sideTitle(const QStringList& paths) {
  if (paths.isEmpty()) return QStringLiteral("no module");
  if (paths.size() == 1) return QFileInfo(paths[0]).fileName();
  return QStringLiteral("%1 modules of %2")
      .arg(paths.size())
      .arg(QFileInfo(paths[0]).absoluteDir().dirName());
}

DifferenceReport reportOf(const LoadedModel& before, const LoadedModel& after,
                          const DifferenceOptions& options, const QList<ComponentUse>* components) {
  DifferenceReport report;
  report.before = sideTitle(before.paths);
  report.after = sideTitle(after.paths);
  report.difference = differenceOf(*before.model, *after.model, options);
  report.compatibility = compatibilityOf(
      report.difference, *before.model, *after.model,
      report.difference.isEmpty() ? QList<Finding>() : contradictionsOf(before.paths, after.paths));
  report.withComponents = components != nullptr;
  if (components != nullptr) {
    report.components = componentImpacts(report.difference, report.compatibility, *components);
  }
  return report;
}

QString toText(const DifferenceReport& report) {
  const ModelDifference& d = report.difference;
  QString out;
  const auto line = [&](const QString& text) {
    QString trimmed = text;
    while (trimmed.endsWith(u' ')) trimmed.chop(1);
    out += trimmed + u'\n';
  };
  line(QStringLiteral("A  ") + report.before);
  line(QStringLiteral("B  ") + report.after);
  line({});
  if (d.isEmpty()) {
    line(QStringLiteral("A and B define the same."));
  } else {
    line(verdictSentence(report.compatibility));
    for (const Reason& reason : report.compatibility.reasons) {
      const QString places = placesOf(reason);
      line(QStringLiteral("  %1  %2%3")
               .arg(reason.impact == Impact::Breaks ? QStringLiteral("breaks")
                                                    : QStringLiteral("check "),
                    reason.text,
                    places.isEmpty() ? QString() : QStringLiteral(" [%1]").arg(places)));
    }
  }
  for (int k = 0; k < entryKindCount; ++k) {
    const auto kind = static_cast<EntryKind>(k);
    std::vector<const Difference*> those;
    qsizetype width = 0;
    qsizetype places = 0;
    for (const Difference& one : d.differences) {
      if (one.kind != kind) continue;
      those.push_back(&one);
      width = std::max(width, std::min(titleOf(d, one).size(), kLongest));
      places = std::max(places, placeOf(d.before, one.before).size());
    }
    if (those.empty()) continue;
    line({});
    line(kindTitle(kind));
    for (const Difference* one : those) {
      const QString before = placeOf(d.before, one->before);
      const QString after = placeOf(d.after, one->after);
      line(QStringLiteral("  %1 %2 %3  %4  %5")
               .arg(markSign(one->mark))
               .arg(markName(one->mark), -8)
               .arg(shortened(titleOf(d, *one)), -static_cast<int>(width))
               .arg(orNone(before), -static_cast<int>(places))
               .arg(orNone(after)));
      if (one->score > 0) line(QStringLiteral("             ") + scoreText(*one));
      for (const PropertyChange& p : one->properties) {
        if (saidByTitle(p)) continue;
        line(QStringLiteral("             %1: %2 -> %3")
                 .arg(p.name, orNone(shortened(p.before)), orNone(shortened(p.after))));
      }
    }
  }
  if (report.withComponents) {
    line({});
    line(QStringLiteral("Components"));
    qsizetype width = 0;
    for (const ComponentImpact& c : report.components) width = std::max(width, c.name.size());
    for (const ComponentImpact& c : report.components) {
      const QString word = c.impact == Impact::Breaks  ? QStringLiteral("breaks")
                           : c.impact == Impact::Check ? QStringLiteral("check ")
                                                       : QStringLiteral("runs  ");
      const QString first = c.reasons.isEmpty() ? QString() : c.reasons.front();
      line(QStringLiteral("  %1  %2  %3")
               .arg(word)
               .arg(c.name, -static_cast<int>(width))
               .arg(first));
      for (const QString& reason : c.reasons.mid(1)) {
        line(QString(width + 12, u' ') + reason);
      }
    }
    if (report.components.isEmpty()) line(QStringLiteral("  none uses a class of A"));
  }
  line({});
  line(QStringLiteral("%1.").arg(d.isEmpty() ? QStringLiteral("No differences") : d.summary()));
  return out;
}

QByteArray toJson(const DifferenceReport& report) {
  const ModelDifference& d = report.difference;
  const auto side = [](const std::vector<Entry>& all, int entry) -> QJsonValue {
    if (entry < 0) return QJsonValue::Null;
    const Entry& e = all[static_cast<std::size_t>(entry)];
    return QJsonObject{{"path", e.path}, {"file", e.file}, {"line", e.line}};
  };
  QJsonArray differences;
  for (std::size_t i = 0; i < d.differences.size(); ++i) {
    const Difference& one = d.differences[i];
    QJsonArray properties;
    for (const PropertyChange& p : one.properties) {
      const QString significance = p.significance == Significance::Text        ? "text"
                                   : p.significance == Significance::Behaviour ? "behaviour"
                                                                               : "bytes";
      properties.append(QJsonObject{{"name", p.name},
                                    {"before", p.before},
                                    {"after", p.after},
                                    {"significance", significance}});
    }
    differences.append(
        QJsonObject{{"kind", kindName(one.kind)},
                    {"mark", markName(one.mark)},
                    {"renamed", one.renamed},
                    {"moved", one.moved},
                    {"before", side(d.before, one.before)},
                    {"after", side(d.after, one.after)},
                    {"score", one.score},
                    {"reason", one.reason},
                    {"impact", impactWord(report.compatibility.impacts[i])},
                    {"meaning", report.compatibility.explanations[static_cast<qsizetype>(i)]},
                    {"onTheWire", static_cast<bool>(report.compatibility.onTheWire[i])},
                    {"properties", properties}});
  }
  QJsonArray reasons;
  for (const Reason& r : report.compatibility.reasons) {
    reasons.append(QJsonObject{{"impact", impactWord(r.impact)},
                               {"text", r.text},
                               {"before", r.before},
                               {"after", r.after}});
  }
  QJsonObject counts;
  for (int mark = 0; mark < markCount; ++mark) {
    counts[markName(static_cast<Mark>(mark))] = d.count(static_cast<Mark>(mark));
  }
  const Verdict verdict = report.compatibility.verdict;
  QJsonObject root{{"format", 1},
                   {"before", report.before},
                   {"after", report.after},
                   {"equal", d.isEmpty()},
                   {"counts", counts},
                   {"verdict", verdict == Verdict::Yes      ? "yes"
                               : verdict == Verdict::YesBut ? "yes, but"
                                                            : "no"},
                   {"loadsTogether", report.compatibility.loadsTogether},
                   {"reasons", reasons},
                   {"differences", differences}};
  if (report.withComponents) {
    QJsonArray components;
    for (const ComponentImpact& c : report.components) {
      components.append(QJsonObject{{"name", c.name},
                                    {"impact", impactWord(c.impact)},
                                    {"reasons", QJsonArray::fromStringList(c.reasons)}});
    }
    root["components"] = components;
  }
  return QJsonDocument(root).toJson();
}

QByteArray toHtml(const DifferenceReport& report) {
  const ModelDifference& d = report.difference;
  // The colours of docs and window; the page stands alone, so they are written out here.
  QString out = QStringLiteral(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width"/>
<title>%1 and %2</title>
<style>
:root { color-scheme: light dark; --panel: #FFFFFF; --canvas: #F7F8FA; --sunken: #F1F3F6; --line: #E2E5EA;
  --text: #191E25; --second: #454E5B; --muted: #5A6472;
  --added: #2C6B2F; --added-tint: #E3F2E2; --removed: #AD1439; --removed-tint: #FCE3E8;
  --moved: #5B3FA8; --moved-tint: #ECE6FA; --changed: #1B56C4; --changed-tint: #E3ECFC;
  --warning: #9A4700; --warning-tint: #FDE8D6; }
@media (prefers-color-scheme: dark) { :root { --panel: #1B1F25; --canvas: #111418; --sunken: #15191E;
  --line: #2A3038; --text: #E7EAEF; --second: #B6BECA; --muted: #98A2B0;
  --added: #86C98A; --added-tint: #1B301C; --removed: #FF92A4; --removed-tint: #451823;
  --moved: #BFA8F7; --moved-tint: #2B2347; --changed: #8DB4FF; --changed-tint: #182B4D;
  --warning: #F7A766; --warning-tint: #3A2312; } }
body { margin: 0 auto; padding: 24px; max-width: 1200px; background: var(--canvas); color: var(--text);
  font: 13px/18px Inter, "Segoe UI", Helvetica, Arial, sans-serif; }
h1 { font-size: 16px; line-height: 22px; margin: 0 0 4px; }
h2 { font-size: 13px; margin: 24px 0 8px; }
p { margin: 4px 0; }
table { border-collapse: collapse; width: 100%; background: var(--panel); }
th { text-align: left; font-weight: 500; color: var(--second); background: var(--sunken); }
th, td { padding: 4px 12px; border-bottom: 1px solid var(--line); vertical-align: top; }
.number { text-align: right; }
.changes { table-layout: fixed; }
.changes .marks { width: 92px; }
.changes .places { width: 22%; }
td.place { color: var(--muted); overflow-wrap: anywhere; }
.mark { display: inline-block; padding: 0 6px; border-radius: 4px; white-space: nowrap; }
.added { color: var(--added); background: var(--added-tint); }
.removed { color: var(--removed); background: var(--removed-tint); }
.renamed, .moved { color: var(--moved); background: var(--moved-tint); }
.changed { color: var(--changed); background: var(--changed-tint); }
.verdict { padding: 12px; border-radius: 8px; }
.verdict ul { margin: 8px 0 0; padding-left: 20px; }
.breaks { color: var(--removed); }
.check { color: var(--warning); }
.wire { color: var(--warning); }
.hint { color: var(--muted); }
.property { margin-left: 12px; overflow-wrap: anywhere; }
.property span { color: var(--second); }
</style>
</head>
<body>
)")
                    .arg(escaped(report.before), escaped(report.after));
  out += QStringLiteral("<h1>%1 and %2</h1>\n<p class=\"hint\">A is %1, B is %2. %3.</p>\n")
             .arg(escaped(report.before), escaped(report.after),
                  d.isEmpty() ? QStringLiteral("No differences") : d.summary());
  const Verdict verdict = report.compatibility.verdict;
  if (!d.isEmpty()) {
    out += QStringLiteral("<div class=\"verdict %1\"><strong>%2</strong>\n")
               .arg(verdict == Verdict::Yes      ? QStringLiteral("added")
                    : verdict == Verdict::YesBut ? QStringLiteral("changed")
                                                 : QStringLiteral("removed"),
                    escaped(verdictSentence(report.compatibility)));
    if (!report.compatibility.reasons.isEmpty()) out += QStringLiteral("<ul>\n");
    for (const Reason& r : report.compatibility.reasons) {
      const QString places = placesOf(r);
      out +=
          QStringLiteral("<li><strong>%1:</strong> %2%3</li>\n")
              .arg(r.impact == Impact::Breaks ? QStringLiteral("Breaks") : QStringLiteral("Check"),
                   escaped(r.text),
                   places.isEmpty()
                       ? QString()
                       : QStringLiteral(" <span class=\"hint\">%1</span>").arg(escaped(places)));
    }
    if (!report.compatibility.reasons.isEmpty()) out += QStringLiteral("</ul>\n");
    out += QStringLiteral("</div>\n");
    out += QStringLiteral("<h2>Summary</h2>\n<table><tr><th>Table</th>");
    for (int mark = 0; mark < markCount; ++mark) {
      out += QStringLiteral("<th class=\"number\">%1 %2</th>")
                 .arg(markSign(static_cast<Mark>(mark)))
                 .arg(markName(static_cast<Mark>(mark)));
    }
    out += QStringLiteral("</tr>\n");
    for (int k = 0; k < entryKindCount; ++k) {
      const auto kind = static_cast<EntryKind>(k);
      QString cells;
      int sum = 0;
      for (int mark = 0; mark < markCount; ++mark) {
        const int n = d.count(kind, static_cast<Mark>(mark));
        sum += n;
        cells += QStringLiteral("<td class=\"number\">%1</td>").arg(n);
      }
      if (sum > 0) out += QStringLiteral("<tr><td>%1</td>%2</tr>\n").arg(kindTitle(kind), cells);
    }
    out += QStringLiteral("</table>\n");
  }
  for (int k = 0; k < entryKindCount; ++k) {
    const auto kind = static_cast<EntryKind>(k);
    QString rows;
    for (std::size_t i = 0; i < d.differences.size(); ++i) {
      const Difference& one = d.differences[i];
      if (one.kind != kind) continue;
      QString what = escaped(titleOf(d, one));
      if (one.score > 0) {
        what += QStringLiteral("<div class=\"hint\">%1</div>").arg(escaped(scoreText(one)));
      }
      for (const PropertyChange& p : one.properties) {
        if (saidByTitle(p)) continue;
        what += QStringLiteral("<div class=\"property\"><span>%1:</span> %2 &rarr; %3</div>")
                    .arg(escaped(p.name), escaped(orNone(p.before)), escaped(orNone(p.after)));
      }
      if (report.compatibility.onTheWire[i]) {
        what += QStringLiteral("<div class=\"wire\">Incompatible on the wire. %1</div>")
                    .arg(escaped(report.compatibility.explanations[static_cast<qsizetype>(i)]));
      }
      rows += QStringLiteral(
                  "<tr><td><span class=\"mark %1\">%2 %1</span></td><td>%3</td><td "
                  "class=\"place\">%4</td><td class=\"place\">%5</td></tr>\n")
                  .arg(markName(one.mark))
                  .arg(markSign(one.mark))
                  .arg(what, escaped(orNone(placeOf(d.before, one.before))),
                       escaped(orNone(placeOf(d.after, one.after))));
    }
    if (rows.isEmpty()) continue;
    out +=
        QStringLiteral(
            "<h2>%1</h2>\n<table class=\"changes\"><tr><th class=\"marks\">Mark</th><th>What</th>"
            "<th class=\"places\">A</th><th class=\"places\">B</th></tr>\n%2</table>\n")
            .arg(kindTitle(kind), rows);
  }
  if (report.withComponents && report.components.isEmpty()) {
    out += QStringLiteral("<h2>Components</h2>\n<p>None uses a class of A.</p>\n");
  } else if (report.withComponents) {
    out += QStringLiteral(
        "<h2>Components</h2>\n<table><tr><th>Component</th><th>With B</th>"
        "<th>Why</th></tr>\n");
    for (const ComponentImpact& c : report.components) {
      const QString word = c.impact == Impact::Breaks  ? QStringLiteral("breaks")
                           : c.impact == Impact::Check ? QStringLiteral("check")
                                                       : QStringLiteral("runs");
      QStringList reasons;
      for (const QString& r : c.reasons) reasons << escaped(r);
      out += QStringLiteral("<tr><td>%1</td><td class=\"%2\">%2</td><td>%3</td></tr>\n")
                 .arg(escaped(c.name), word, reasons.join(QStringLiteral("<br/>")));
    }
    out += QStringLiteral("</table>\n");
  }
  out += QStringLiteral("</body>\n</html>\n");
  return out.toUtf8();
}

}  // namespace tutti::fomedit
