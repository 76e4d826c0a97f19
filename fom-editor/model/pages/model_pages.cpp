// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/pages/model_pages.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <optional>

#include "fom-editor/model/data_layout.h"
#include "fom-editor/model/difference_report.h"
#include "fom-editor/model/pages/model_uses.h"
#include "fom-editor/model/pages/page_names.h"
#include "fom-editor/model/tables.h"

namespace tutti::fomedit {

namespace {

/// The colours of the window; see resources/theme.
constexpr const char* kStyle =
    R"(:root { color-scheme: light dark; --panel: #FFFFFF; --canvas: #F7F8FA;
  --sunken: #F1F3F6; --line: #E2E5EA; --text: #191E25; --second: #454E5B; --muted: #5A6472; --link: #1B56C4; }
@media (prefers-color-scheme: dark) { :root { --panel: #1B1F25; --canvas: #111418; --sunken: #15191E;
  --line: #2A3038; --text: #E7EAEF; --second: #B6BECA; --muted: #98A2B0; --link: #8DB4FF; } }
body { margin: 0 auto; padding: 0 24px 48px; max-width: 1200px; background: var(--canvas); color: var(--text);
  font: 13px/18px Inter, "Segoe UI", Helvetica, Arial, sans-serif; }
header { position: sticky; top: 0; display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center;
  padding: 12px 0; background: var(--canvas); border-bottom: 1px solid var(--line); }
header nav { display: flex; flex-wrap: wrap; gap: 16px; flex: 1; }
header strong { font-size: 14px; }
main { overflow-wrap: anywhere; }
a { color: var(--link); text-decoration: none; }
a:hover, a:focus { text-decoration: underline; }
h1 { font-size: 18px; line-height: 24px; margin: 16px 0 4px; }
h2 { font-size: 14px; margin: 24px 0 8px; }
p { margin: 4px 0; max-width: 80ch; }
table { border-collapse: collapse; width: 100%; background: var(--panel); }
th { text-align: left; font-weight: 500; color: var(--second); background: var(--sunken); }
th, td { padding: 4px 12px; border-bottom: 1px solid var(--line); vertical-align: top; }
.number { text-align: right; }
.hint, .inherited td { color: var(--muted); }
.inherited td a { color: var(--muted); text-decoration: underline; }
.facts span { margin-right: 24px; }
.facts b { color: var(--second); font-weight: 500; }
.semantics { white-space: pre-line; }
ul.tree, ul.tree ul { list-style: none; margin: 0; padding-left: 18px; border-left: 1px solid var(--line); }
ul.tree { padding-left: 0; border-left: 0; }
ul.tree li { padding: 1px 0; }
#search { padding: 6px 10px; width: 280px; max-width: 100%; border: 1px solid var(--muted); border-radius: 6px;
  background: var(--panel); color: var(--text); font: inherit; }
#results { position: absolute; right: 0; top: 100%; z-index: 1; margin: 0; padding: 4px 0; list-style: none;
  min-width: 320px; max-height: 60vh; overflow: auto; background: var(--panel); border: 1px solid var(--line);
  border-radius: 6px; }
#results:empty { display: none; }
#results li { padding: 4px 12px; }
#results span { color: var(--muted); margin-left: 8px; }
)";

/// Looks names up; shows at most 50. Texts are set as texts, never as HTML.
constexpr const char* kSearch = R"(
"use strict";
(function () {
  var field = document.getElementById("search");
  var list = document.getElementById("results");
  if (!field || !list) return;
  function rank(name, word) {
    var low = name.toLowerCase();
    var last = low.slice(low.lastIndexOf(".") + 1);
    if (last === word || low === word) return 0;
    if (last.indexOf(word) === 0) return 1;
    return low.indexOf(word) >= 0 ? 2 : -1;
  }
  function show() {
    var word = field.value.trim().toLowerCase();
    list.textContent = "";
    if (!word) return;
    var found = [];
    for (var i = 0; i < entries.length; ++i) {
      var r = rank(entries[i][0], word);
      if (r >= 0) found.push([r, i]);
    }
    found.sort(function (a, b) { return a[0] - b[0] || a[1] - b[1]; });
    found.slice(0, 50).forEach(function (f) {
      var entry = entries[f[1]];
      var item = document.createElement("li");
      var link = document.createElement("a");
      var kind = document.createElement("span");
      link.href = entry[2];
      link.textContent = entry[0];
      kind.textContent = entry[1];
      item.appendChild(link);
      item.appendChild(kind);
      list.appendChild(item);
    });
    if (!found.length) {
      var none = document.createElement("li");
      none.textContent = "Nothing has that name.";
      list.appendChild(none);
    }
  }
  field.addEventListener("input", show);
  field.addEventListener("keydown", function (event) {
    var first = list.querySelector("a");
    if (event.key === "Enter" && first) window.location.href = first.href;
    if (event.key === "Escape") { field.value = ""; show(); }
  });
})();
)";

QString escaped(const QString& text) { return text.toHtmlEscaped(); }
QString escaped(const std::string& utf8) { return text(utf8).toHtmlEscaped(); }

class Pages {
 public:
  explicit Pages(const LoadedModel& loaded)
      : loaded_(loaded), model_(*loaded.model), names_(model_), uses_(model_) {
    title_ = loaded.paths.size() == 1
                 ? text(model_.modules().back().identification.name)
                 : QStringLiteral("Object model of %1").arg(sideTitle(loaded.paths));
    if (title_.isEmpty()) title_ = sideTitle(loaded.paths);
  }

  tl::expected<QList<ModelPage>, QString> run() {
    addFile(QStringLiteral("style.css"), QByteArray(kStyle));
    addIndex();
    addDataTypes();
    addTables();
    for (const omt::ObjectClass& c : model_.objectClasses()) {
      addClass({ItemKind::ObjectClass, c.handle}, c, model_.objectClasses());
    }
    for (const omt::InteractionClass& c : model_.interactionClasses()) {
      addClass({ItemKind::InteractionClass, c.handle}, c, model_.interactionClasses());
    }
    for (std::size_t i = 0; i < model_.dataTypes().size(); ++i) addDataType(i);
    for (std::size_t i = 0; i < model_.modules().size(); ++i) addModule(i);
    addSearch();
    if (bytes_ > maxPagesBytes) {
      return tl::unexpected(
          QStringLiteral("The pages of this model would have more than 256 MiB. Publish modules of "
                         "it apart."));
    }
    return pages_;
  }

 private:
  void addFile(const QString& name, const QByteArray& content) {
    bytes_ += content.size();
    if (bytes_ > maxPagesBytes) {
      pages_.clear();  // what is too large is not kept either
      return;
    }
    pages_ << ModelPage{name, content};
  }

  /// `heading` is text, `body` HTML.
  void addPage(const QString& name, const QString& heading, const QString& body) {
    QString page = QStringLiteral(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    page += escaped(heading == title_ ? title_ : heading + QStringLiteral(" - ") + title_);
    page += QStringLiteral(
        "</title>\n<link rel=\"stylesheet\" href=\"style.css\">\n</head>\n<body>\n"
        "<header>\n<strong>");
    page += escaped(title_);
    page += QStringLiteral(
        "</strong>\n<nav><a href=\"index.html\">Classes</a><a href=\"datatypes.html\">Datatypes</a>"
        "<a href=\"tables.html\">Other tables</a></nav>\n<input id=\"search\" type=\"search\" "
        "aria-label=\"Search\" placeholder=\"Class, attribute or datatype\">\n"
        "<ul id=\"results\"></ul>\n</header>\n<main>\n<h1>");
    page += escaped(heading) + QStringLiteral("</h1>\n") + body;
    page += QStringLiteral("</main>\n<script src=\"search.js\"></script>\n</body>\n</html>\n");
    addFile(name, page.toUtf8());
  }

  /// The text as a link to the page of an item; just the text where it has none.
  QString link(const Item& item, const QString& shown) const {
    const QString address = item.isNull() ? QString() : names_.of(item);
    if (address.isEmpty()) return escaped(shown);
    return QStringLiteral("<a href=\"%1\">%2</a>").arg(escaped(address), escaped(shown));
  }

  QString place(const omt::SourceLocation& where) const {
    return link({ItemKind::Module, where.module + 1}, placeText(model_, where));
  }

  Item typeItem(const QString& name) const {
    const omt::DataType* type = model_.findDataType(name.toStdString());
    if (type == nullptr) return {};
    return {ItemKind::DataType, static_cast<std::uint32_t>(type - model_.dataTypes().data() + 1)};
  }

  QString html(const Table& table) const {
    if (table.rows.isEmpty())
      return QStringLiteral("<p class=\"hint\">%1</p>\n").arg(escaped(table.empty));
    QString out = QStringLiteral("<table>\n<tr>");
    for (int column = 0; column < table.headers.size(); ++column) {
      out += QStringLiteral("<th%1>%2</th>")
                 .arg(numberClass(table, column), escaped(table.headers[column]));
    }
    out += QStringLiteral("</tr>\n");
    for (const TableRow& row : table.rows) {
      if (row.onlyToEdit) continue;
      if (row.isSection) {
        out += QStringLiteral("<tr><th colspan=\"%1\">%2</th></tr>\n")
                   .arg(table.headers.size())
                   .arg(escaped(row.cells.value(0)));
        continue;
      }
      out += row.inherited ? QStringLiteral("<tr class=\"inherited\">") : QStringLiteral("<tr>");
      for (int column = 0; column < table.headers.size(); ++column) {
        const QString cell = row.cells.value(column);
        Item item;
        if (column == table.linkColumn) item = row.link;
        if (!cell.isEmpty() && cell == row.dataType) item = typeItem(cell);
        out += QStringLiteral("<td%1>%2</td>").arg(numberClass(table, column), link(item, cell));
      }
      out += QStringLiteral("</tr>\n");
    }
    return out + QStringLiteral("</table>\n");
  }

  static QString numberClass(const Table& table, int column) {
    return table.numberColumns.contains(column) ? QStringLiteral(" class=\"number\"") : QString();
  }

  QString facts(const Item& item, const omt::SourceLocation& where) const {
    QString out = QStringLiteral("<p class=\"facts\">");
    for (const Fact& fact : factsOf(model_, item)) {
      out +=
          QStringLiteral("<span><b>%1</b> %2</span> ").arg(escaped(fact.name), escaped(fact.value));
    }
    out += QStringLiteral("<span><b>Defined in</b> %1</span></p>\n").arg(place(where));
    const QString semantics = semanticsOf(model_, item);
    if (!semantics.isEmpty()) {
      out += QStringLiteral("<p class=\"semantics\">%1</p>\n").arg(escaped(semantics));
    }
    return out;
  }

  QString usesHtml(ItemKind kind, const std::string& name) const {
    const QList<ModelUse>& uses = uses_.of(kind, text(name));
    if (uses.isEmpty()) return QStringLiteral("<p class=\"hint\">Nothing uses it.</p>\n");
    QString out = QStringLiteral("<table>\n<tr><th>Used by</th><th>As</th></tr>\n");
    for (const ModelUse& use : uses) {
      out += QStringLiteral("<tr><td>%1</td><td>%2</td></tr>\n")
                 .arg(link(use.item, use.what), escaped(use.as));
    }
    return out + QStringLiteral("</table>\n");
  }

  template <typename Class>
  QString tree(const std::vector<Class>& classes, const Class& c, ItemKind kind) const {
    QString out = QStringLiteral("<li>%1").arg(link({kind, c.handle}, text(c.name)));
    if (!c.subclasses.empty()) {
      out += QStringLiteral("\n<ul>\n");
      for (const std::uint32_t sub : c.subclasses) out += tree(classes, classes[sub - 1], kind);
      out += QStringLiteral("</ul>\n");
    }
    return out + QStringLiteral("</li>\n");
  }

  void addIndex() {
    QString body = QStringLiteral(
        "<h2>Modules</h2>\n<table>\n<tr><th>Module</th><th>Name</th>"
        "<th>Version</th><th>Edition</th></tr>\n");
    for (std::size_t i = 0; i < model_.modules().size(); ++i) {
      const omt::ModuleInfo& m = model_.modules()[i];
      body += QStringLiteral("<tr><td>%1</td><td>%2</td><td>%3</td><td>%4</td></tr>\n")
                  .arg(link({ItemKind::Module, static_cast<std::uint32_t>(i + 1)},
                            QFileInfo(text(m.file)).fileName()),
                       escaped(m.identification.name), escaped(m.identification.version),
                       escaped(text(omt::toText(m.edition))));
    }
    body += QStringLiteral("</table>\n<h2>Object classes</h2>\n<ul class=\"tree\">\n");
    if (!model_.objectClasses().empty()) {
      body += tree(model_.objectClasses(), model_.objectClasses().front(), ItemKind::ObjectClass);
    }
    body += QStringLiteral("</ul>\n<h2>Interaction classes</h2>\n<ul class=\"tree\">\n");
    if (!model_.interactionClasses().empty()) {
      body += tree(model_.interactionClasses(), model_.interactionClasses().front(),
                   ItemKind::InteractionClass);
    }
    body += QStringLiteral("</ul>\n");
    addPage(QStringLiteral("index.html"), title_, body);
  }

  void addDataTypes() {
    QString body = QStringLiteral(
        "<table>\n<tr><th>Datatype</th><th>Kind</th><th>Used by</th>"
        "<th>Defined in</th></tr>\n");
    for (std::size_t i = 0; i < model_.dataTypes().size(); ++i) {
      const omt::DataType& t = model_.dataTypes()[i];
      body += QStringLiteral("<tr><td>%1</td><td>%2</td><td>%3</td><td>%4</td></tr>\n")
                  .arg(link({ItemKind::DataType, static_cast<std::uint32_t>(i + 1)}, text(t.name)),
                       escaped(describe(model_, t)),
                       QString::number(uses_.of(ItemKind::DataType, text(t.name)).size()),
                       place(t.where));
    }
    addPage(QStringLiteral("datatypes.html"), QStringLiteral("Datatypes"),
            body + QStringLiteral("</table>\n"));
  }

  void addTables() {
    QString body;
    const auto section = [&](ItemKind kind) {
      const Item item{kind, 0};
      body += QStringLiteral("<h2>%1</h2>\n").arg(escaped(itemName(model_, item)));
      body += html(tableOf(model_, item));
    };
    const auto each = [&](ItemKind kind, const auto& rows) {
      for (const auto& row : rows) {
        const QString id = names_.of({kind, row.handle}).section(u'#', 1);
        body += QStringLiteral("<h3 id=\"%1\">%2</h3>\n").arg(escaped(id), escaped(row.name));
        body += usesHtml(kind, row.name);
      }
    };
    section(ItemKind::Dimensions);
    each(ItemKind::Dimension, model_.dimensions());
    section(ItemKind::Transportations);
    each(ItemKind::Transportation, model_.transportations());
    for (const ItemKind kind : {ItemKind::UpdateRates, ItemKind::SynchronizationPoints,
                                ItemKind::Tags, ItemKind::Switches}) {
      section(kind);
    }
    addPage(QStringLiteral("tables.html"), QStringLiteral("Other tables"), body);
  }

  template <typename Class>
  void addClass(const Item& item, const Class& c, const std::vector<Class>& classes) {
    QString above;
    for (std::uint32_t handle = c.parent; handle != 0; handle = classes[handle - 1].parent) {
      const QString one = link({item.kind, handle}, text(classes[handle - 1].name));
      above = above.isEmpty() ? one : one + QStringLiteral(" &rsaquo; ") + above;
    }
    QString body;
    if (!above.isEmpty()) body += QStringLiteral("<p class=\"hint\">%1</p>\n").arg(above);
    body += facts(item, c.where);
    const bool isObject = item.kind == ItemKind::ObjectClass;
    body += isObject ? QStringLiteral("<h2>Attributes</h2>\n")
                     : QStringLiteral("<h2>Parameters</h2>\n");
    body += html(tableOf(model_, item));
    body += meanings(c);
    if (!c.subclasses.empty()) {
      body += QStringLiteral("<h2>Subclasses</h2>\n<ul class=\"tree\">\n");
      for (const std::uint32_t sub : c.subclasses) {
        body += QStringLiteral("<li>%1</li>\n")
                    .arg(link({item.kind, sub}, text(classes[sub - 1].name)));
      }
      body += QStringLiteral("</ul>\n");
    }
    addPage(names_.of(item), text(c.name), body);
  }

  /// Semantics of its own attributes, which have no column in the table of the window.
  QString meanings(const omt::ObjectClass& c) const {
    QString rows;
    for (const omt::AttributeHandle handle : c.attributes) {
      const omt::Attribute& a = *model_.attribute(handle);
      if (a.semantics.empty()) continue;
      rows += QStringLiteral("<tr><td>%1</td><td class=\"semantics\">%2</td></tr>\n")
                  .arg(escaped(a.name), escaped(a.semantics));
    }
    if (rows.isEmpty()) return {};
    return QStringLiteral(
               "<h2>Semantics</h2>\n<table>\n<tr><th>Attribute</th><th>Semantics</th>"
               "</tr>\n%1</table>\n")
        .arg(rows);
  }
  QString meanings(const omt::InteractionClass&) const { return {}; }

  void addDataType(std::size_t index) {
    const omt::DataType& t = model_.dataTypes()[index];
    const Item item{ItemKind::DataType, static_cast<std::uint32_t>(index + 1)};
    QString body = facts(item, t.where);
    body += html(tableOf(model_, item)) + layoutHtml(t);
    body += QStringLiteral("<h2>Used by</h2>\n") + usesHtml(ItemKind::DataType, t.name);
    addPage(names_.of(item), text(t.name), body);
  }

  QString layoutHtml(const omt::DataType& t) const {
    const DataLayout layout = layoutOf(model_, text(t.name));
    QString out = QStringLiteral("<h2>Layout</h2>\n");
    if (!layout.problem.isEmpty()) {
      return out + QStringLiteral("<p class=\"hint\">%1</p>\n").arg(escaped(layout.problem));
    }
    out += QStringLiteral("<p class=\"hint\">%1, at offsets that are multiples of %2.</p>\n")
               .arg(layout.size ? QStringLiteral("%1 octets").arg(*layout.size)
                                : QStringLiteral("Variable size"))
               .arg(layout.boundary);
    if (layout.leaves.isEmpty()) return out;
    out += QStringLiteral(
        "<table>\n<tr><th>Part</th><th>Datatype</th><th class=\"number\">Offset</th>"
        "<th class=\"number\">Octets</th><th>Byte order</th><th>Units</th></tr>\n");
    for (const LayoutPart& part : layout.leaves) {
      const auto number = [](const std::optional<int>& n) {
        return n ? QString::number(*n) : QStringLiteral("varies");
      };
      const bool isNumber = part.leaf != LeafKind::None && part.leaf != LeafKind::Octets;
      out += QStringLiteral(
                 "<tr><td>%1</td><td>%2</td><td class=\"number\">%3</td>"
                 "<td class=\"number\">%4</td><td>%5</td><td>%6</td></tr>\n")
                 .arg(escaped(part.name), link(typeItem(part.typeName), part.typeName),
                      number(part.offset), number(part.size),
                      !isNumber        ? QString()
                      : part.bigEndian ? QStringLiteral("big endian")
                                       : QStringLiteral("little endian"),
                      escaped(part.unit));
    }
    return out + QStringLiteral("</table>\n");
  }

  void addModule(std::size_t index) {
    const Item item{ItemKind::Module, static_cast<std::uint32_t>(index + 1)};
    // The path of the author's disk is nobody else's business.
    Table table = tableOf(model_, item);
    const omt::ModuleInfo& info = model_.modules()[index];
    const QString name = QFileInfo(text(info.file)).fileName();
    for (TableRow& row : table.rows) {
      for (QString& cell : row.cells) {
        if (cell == text(info.file)) cell = name;
      }
    }
    QString body = html(table);
    const auto list = [&](const QString& heading, ItemKind kind, const auto& rows, const auto& id) {
      QString items;
      for (const auto& row : rows) {
        if (row.where.module != index) continue;
        items += QStringLiteral("<li>%1</li>\n").arg(link({kind, id(row)}, nameOf(row)));
      }
      if (items.isEmpty()) return;
      body += QStringLiteral("<h2>%1</h2>\n<ul class=\"tree\">\n%2</ul>\n").arg(heading, items);
    };
    const auto handle = [](const auto& row) { return row.handle; };
    list(QStringLiteral("Object classes"), ItemKind::ObjectClass, model_.objectClasses(), handle);
    list(QStringLiteral("Interaction classes"), ItemKind::InteractionClass,
         model_.interactionClasses(), handle);
    list(QStringLiteral("Datatypes"), ItemKind::DataType, model_.dataTypes(),
         [&](const omt::DataType& t) {
           return static_cast<std::uint32_t>(&t - model_.dataTypes().data() + 1);
         });
    list(QStringLiteral("Dimensions"), ItemKind::Dimension, model_.dimensions(), handle);
    addPage(names_.of(item), name, body);
  }

  static QString nameOf(const omt::ObjectClass& c) { return text(c.fullName); }
  static QString nameOf(const omt::InteractionClass& c) { return text(c.fullName); }
  template <typename Row>
  static QString nameOf(const Row& row) {
    return text(row.name);
  }

  void addSearch() {
    QJsonArray entries;
    const auto add = [&](const QString& name, const QString& kind, const Item& item) {
      entries.append(QJsonArray{name, kind, names_.of(item)});
    };
    for (const omt::ObjectClass& c : model_.objectClasses()) {
      const Item item{ItemKind::ObjectClass, c.handle};
      add(text(c.fullName), QStringLiteral("object class"), item);
      for (const omt::AttributeHandle a : c.attributes) {
        add(text(c.name) + u'.' + text(model_.attribute(a)->name), QStringLiteral("attribute"),
            item);
      }
    }
    for (const omt::InteractionClass& c : model_.interactionClasses()) {
      const Item item{ItemKind::InteractionClass, c.handle};
      add(text(c.fullName), QStringLiteral("interaction class"), item);
      for (const omt::ParameterHandle p : c.parameters) {
        add(text(c.name) + u'.' + text(model_.parameter(p)->name), QStringLiteral("parameter"),
            item);
      }
    }
    for (std::size_t i = 0; i < model_.dataTypes().size(); ++i) {
      add(text(model_.dataTypes()[i].name), QStringLiteral("datatype"),
          {ItemKind::DataType, static_cast<std::uint32_t>(i + 1)});
    }
    for (const omt::Dimension& d : model_.dimensions()) {
      add(text(d.name), QStringLiteral("dimension"), {ItemKind::Dimension, d.handle});
    }
    addFile(
        QStringLiteral("search.js"),
        "var entries = " + QJsonDocument(entries).toJson(QJsonDocument::Compact) + ";\n" + kSearch);
  }

  const LoadedModel& loaded_;
  const omt::ObjectModel& model_;
  PageNames names_;
  ModelUses uses_;
  QString title_;
  QList<ModelPage> pages_;
  qint64 bytes_ = 0;
};

}  // namespace

tl::expected<QList<ModelPage>, QString> modelPages(const LoadedModel& loaded) {
  return Pages(loaded).run();
}

}  // namespace tutti::fomedit
