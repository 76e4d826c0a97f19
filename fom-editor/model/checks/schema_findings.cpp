// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/checks/schema_findings.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "fom-editor/model/checks/schema_validation.h"
#include "fom-editor/model/element_order.h"
#include "fom-editor/model/module_edits.h"
#include "omt/text.h"

namespace tutti::fomedit {

namespace {

constexpr int mostNames = 5;

QString listed(const std::vector<std::string>& words) {
  QStringList tags;
  for (const std::string& word : words) tags << tag(word);
  if (tags.size() < 2) return tags.join(QString());
  const QString last = tags.takeLast();
  return tags.join(QStringLiteral(", ")) + QStringLiteral(" or ") + last;
}

/// Cells that are filled in with NA where there is nothing to say (IEEE 1516.2-2010, 4.1.2).
bool mayBeNotApplicable(std::string_view cell) {
  constexpr std::array<std::string_view, 5> cells{"updateCondition", "units", "resolution",
                                                  "accuracy", "capability"};
  return std::find(cells.begin(), cells.end(), cell) != cells.end();
}

/// Cells without which a row means nothing.
bool isNeeded(std::string_view cell) {
  constexpr std::array<std::string_view, 6> cells{"name",       "label",        "dataType",
                                                  "enumerator", "discriminant", "representation"};
  return std::find(cells.begin(), cells.end(), cell) != cells.end();
}

bool isEmptyElement(const ModuleSource& source, ElementId id) {
  return source.at(id).firstChild == noElement && omt::collapsed(source.rawText(id)).empty();
}

/// Moves a child behind another one; noElement: before all.
Splices moveBehind(const ModuleSource& source, ElementId id, ElementId after) {
  Splices splices = removeElement(source, id);
  const Splices added =
      addChildren(source, source.at(id).parent,
                  {{after, std::string(source.nameOf(id)), source.at(id).firstChild == noElement,
                    [&](const std::optional<std::string>& indent) {
                      return copyOf(source, id, source, indent);
                    }}});
  splices.insert(splices.end(), added.begin(), added.end());
  return splices;
}

/// Puts children into the order of the schema where that is all that is wrong at `id`.
Fix orderFix(const ModuleSource& source, ElementId id, const std::vector<std::string>& expected) {
  // It should have come before what stands above it.
  const std::string_view parent = source.nameOf(source.at(id).parent);
  const std::size_t rank = rankIn(parent, source.nameOf(id));
  ElementId after = source.at(id).previous;
  while (after != noElement && rankIn(parent, source.nameOf(after)) > rank) {
    after = source.at(after).previous;
  }
  if (isKnownIn(parent, source.nameOf(id)) && after != source.at(id).previous) {
    const QString label =
        after == noElement
            ? QStringLiteral("Move %1 to the front of %2").arg(tag(source.nameOf(id)), tag(parent))
            : QStringLiteral("Move %1 behind %2")
                  .arg(tag(source.nameOf(id)), tag(source.nameOf(after)));
    return makeFix(label, moveBehind(source, id, after), true);
  }
  // What has to come here stands further below.
  for (ElementId c = source.at(id).next; c != noElement; c = source.at(c).next) {
    const std::string name(source.nameOf(c));
    if (std::find(expected.begin(), expected.end(), name) == expected.end()) continue;
    return makeFix(QStringLiteral("Move %1 before %2").arg(tag(name), tag(source.nameOf(id))),
                   moveBehind(source, c, source.at(id).previous), true);
  }
  return {};
}

class SchemaFindings {
 public:
  SchemaFindings(const CheckedModule& module, const QSet<QString>& defined)
      : module_(module), source_(module.source), defined_(defined) {}

  QList<Finding> run() {
    const auto dif = schemaOf(module_.edition, false);
    const auto omt = schemaOf(module_.edition, true);
    if (!dif || !omt) return {};
    checkNamespace(*dif);
    add(*dif, Level::Complete, QStringLiteral("dif/schema"));
    add(*omt, Level::Described, QStringLiteral("omt/schema"));
    addElsewhere();
    return findings_;
  }

 private:
  void checkNamespace(Schema schema) {
    const ElementId root = ModuleSource::root();
    std::string prefix = prefixOf(source_, root);
    if (!prefix.empty()) prefix.pop_back();
    const std::string declaration = prefix.empty() ? "xmlns" : "xmlns:" + prefix;
    std::string found;
    for (const SourceAttribute& a : source_.attributes(root)) {
      if (source_.text(a.name) == declaration) found = source_.resolved(a.value);
    }
    const std::string_view wanted = namespaceOf(schema);
    if (found == wanted) return;
    const QString address = text(wanted);
    Finding f = findingAt(
        module_, root, Level::Complete, QStringLiteral("dif/namespace"),
        found.empty()
            ? QStringLiteral("The module has no namespace; that of its edition is %1.").arg(address)
            : QStringLiteral("The namespace is %1; that of the edition is %2.")
                  .arg(text(omt::shortened(found)), address),
        QStringLiteral("Write %1=\"%2\" in <objectModel>.").arg(text(declaration), address));
    f.fix = makeFix(QStringLiteral("Set the namespace of the edition"),
                    withDeclaration(root, declaration, wanted), true);
    findings_ << f;
  }

  Splices withDeclaration(ElementId root, std::string_view name, std::string_view value) const {
    for (const SourceAttribute& a : source_.attributes(root)) {
      if (source_.text(a.name) == name) {
        return {{a.value.begin, a.value.size(), std::string(value)}};
      }
    }
    return {
        {source_.at(root).name.end, 0, ' ' + std::string(name) + "=\"" + std::string(value) + '"'}};
  }

  void add(Schema schema, Level level, const QString& rule) {
    const auto errors = validate(source_, schema);
    if (!errors) {
      findings_ << findingAt(module_, ModuleSource::root(), level, rule, text(errors.error()),
                             QStringLiteral("Split it into modules."));
      return;
    }
    const QString by = text(schemaName(schema));
    for (const SchemaError& error : *errors) {
      const ElementId id = error.element == noElement ? ModuleSource::root() : error.element;
      if (error.kind == SchemaError::Kind::Reference && omt::meansNothing(error.key)) {
        if (firstNothing_ == noElement) firstNothing_ = id;
        continue;
      }
      if (error.kind == SchemaError::Kind::Reference && defined_.contains(text(error.key))) {
        const QString name = text(error.key);
        if (!elsewhere_.contains(name)) elsewhere_ << name;
        if (firstElsewhere_ == noElement) firstElsewhere_ = id;
        continue;
      }
      Finding f = findingAt(module_, id, level, rule, {}, {});
      describe(error, id, f);
      f.source = by;
      const bool known = std::any_of(findings_.begin(), findings_.end(), [&](const Finding& other) {
        return other.line == f.line && other.column == f.column && other.text == f.text;
      });
      if (!known) findings_ << f;
    }
    if (errors->size() == maxSchemaErrors) {
      findings_ << findingAt(
          module_, ModuleSource::root(), level, rule,
          QStringLiteral("There are more than %1 such findings.").arg(maxSchemaErrors),
          QStringLiteral("Correct these first."));
    }
  }

  void describe(const SchemaError& error, ElementId id, Finding& f) const {
    switch (error.kind) {
      case SchemaError::Kind::Content:
        return describeContent(error, id, f);
      case SchemaError::Kind::Text:
        f.text = QStringLiteral("%1 has text between its elements, where none may be.")
                     .arg(tag(source_.nameOf(id)));
        f.hint = QStringLiteral("Delete it, or make a comment of it.");
        return;
      case SchemaError::Kind::Value:
        return describeValue(error, id, f);
      case SchemaError::Kind::Attribute:
        f.text = QStringLiteral("%1 in %2 may not have the XML attribute %3 as it is.")
                     .arg(tag(source_.nameOf(id)), subjectOf(source_, id), text(error.key));
        f.hint = QStringLiteral("Delete the attribute.");
        f.fix = makeFix(QStringLiteral("Delete the attribute %1").arg(text(error.key)),
                        removeAttribute(source_, id, error.key), false);
        return;
      case SchemaError::Kind::Reference:
        f.text = QStringLiteral("%1 names %2, which no module defines.")
                     .arg(subjectOf(source_, id), text(error.key));
        f.hint = QStringLiteral("Add the module that defines it.");
        return;
      case SchemaError::Kind::Duplicate:
        f.text = QStringLiteral("%1 is defined twice in this module.").arg(text(error.key));
        f.hint = QStringLiteral("Delete or rename one.");
        return;
      case SchemaError::Kind::Other:
        f.text = text(error.message);
        return;
    }
  }

  void describeContent(const SchemaError& error, ElementId id, Finding& f) const {
    const std::string_view name = source_.nameOf(id);
    const QString subject = subjectOf(source_, id);
    const QString in = subject == tag(name) ? QString() : QStringLiteral(" of ") + subject;
    if (error.missing) {
      f.text = QStringLiteral("%1%2 lacks %3.").arg(tag(name), in, listed(error.expected));
      const ElementId parent = source_.at(id).parent;
      const bool table = parent != noElement &&
                         (parent == ModuleSource::root() || source_.nameOf(parent) == "dataTypes");
      if (table && isEmptyElement(source_, id)) {
        f.text = QStringLiteral("The table %1 is empty.").arg(tag(name));
        f.hint = QStringLiteral("Delete it: a module without it says the same.");
        f.fix = deletionOf(source_, id, tag(name));
        return;
      }
      f.hint = QStringLiteral("Add it.");
      f.fix = fillFix(error, id);
      return;
    }
    const ElementId parent = source_.at(id).parent;
    const QString above = parent == noElement ? QString() : tag(source_.nameOf(parent));
    if (error.expected.empty()) {
      f.text = QStringLiteral("%1 does not belong in %2 here.").arg(tag(name), above);
    } else if (isClassElement(name) && error.expected.front() == "sharing") {
      f.text = QStringLiteral("%1 is only named here; a complete model defines it.")
                   .arg(parent == noElement ? subject : subjectOf(source_, parent));
      f.hint = QStringLiteral(
          "Of a module that extends another one this is right, and the schema cannot know it.");
      return;
    } else {
      f.text = QStringLiteral("%1 in %2%3 stands where %4 is expected.")
                   .arg(tag(name), above, in, listed(error.expected));
    }
    if (parent == noElement) return;
    f.fix = orderFix(source_, id, error.expected);
    if (f.fix.isNull()) f.fix = fillFix(error, parent);
    f.hint = f.fix.isNull() ? QStringLiteral("Write what is missing, or delete this.")
                            : QStringLiteral("The schema has a fixed order.");
  }

  /// NA in the first missing cell, where that is what the tables have for nothing.
  Fix fillFix(const SchemaError& error, ElementId parent) const {
    for (const std::string& cell : error.expected) {
      if (!mayBeNotApplicable(cell) || source_.child(parent, cell) != noElement) continue;
      return makeFix(QStringLiteral("Add <%1>NA</%1>").arg(text(cell)),
                     addElement(source_, parent, {cell, "NA", {}, {}}), true);
    }
    return {};
  }

  void describeValue(const SchemaError& error, ElementId id, Finding& f) const {
    const std::string_view name = source_.nameOf(id);
    const std::string value = omt::collapsed(source_.rawText(id));
    const QString subject = subjectOf(source_, id);
    const QString what =
        subject == tag(name) ? tag(name) : QStringLiteral("%1 of %2").arg(tag(name), subject);
    if (value.empty()) {
      f.text = QStringLiteral("%1 is empty.").arg(what);
      if (mayBeNotApplicable(name)) {
        f.hint = QStringLiteral("Write NA where there is nothing to say.");
        f.fix = makeFix(QStringLiteral("Write NA"), replaceContent(source_, id, "NA"), true);
      } else if (isNeeded(name) || source_.at(id).firstChild != noElement) {
        f.hint = QStringLiteral("Write it.");
      } else {
        f.hint = QStringLiteral("Write it, or delete the empty element.");
        f.fix = deletionOf(source_, id, tag(name));
      }
      return;
    }
    const QString shown = text(omt::shortened(value));
    if (!error.expected.empty()) {
      QStringList allowed;
      for (const std::string& word : error.expected) allowed << text(word);
      f.text = QStringLiteral("%1 is \"%2\".").arg(what, shown);
      f.hint = QStringLiteral("The schema allows %1.").arg(allowed.join(QStringLiteral(", ")));
      for (const std::string& word : error.expected) {
        if (!omt::sameIgnoringCase(word, value)) continue;
        f.fix =
            makeFix(QStringLiteral("Write %1").arg(text(word)), exactly(id, word), isTextOnly(id));
      }
      return;
    }
    QString fault = QStringLiteral("which the schema does not allow");
    if (error.type == "xs:NCName") {
      fault =
          QStringLiteral("which is no name: letters, digits, - and _, the first no digit and no -");
    } else if (error.type == "xs:anyURI") {
      fault = QStringLiteral("which is no URI");
    } else if (error.type == "xs:date") {
      fault = QStringLiteral("which is no date such as 2026-11-26");
    } else if (error.type.starts_with("xs:")) {
      fault = QStringLiteral("which is no value of the type %1").arg(text(error.type));
    }
    f.text = QStringLiteral("%1 is \"%2\", %3.").arg(what, shown, fault);
    f.hint = QStringLiteral("Correct it.");
  }

  /// Without elements, comments and instructions between which the text would stand.
  bool isTextOnly(ElementId id) const {
    const std::vector<SourceRun> runs = source_.runs(id);
    return source_.at(id).firstChild == noElement &&
           std::none_of(runs.begin(), runs.end(),
                        [](const SourceRun& run) { return run.kind == SourceRun::Kind::Other; });
  }

  /// Blanks around a value of a fixed list are part of it. Comments stay.
  Splices exactly(ElementId id, const std::string& value) const {
    Splices splices;
    for (const SourceRun& run : source_.runs(id)) {
      if (run.kind == SourceRun::Kind::Other) continue;
      splices.push_back(
          {run.range.begin, run.range.size(), splices.empty() ? escapedText(value) : ""});
    }
    return splices;
  }

  void addElsewhere() {
    if (firstNothing_ != noElement) {
      Finding f =
          findingAt(module_, firstNothing_, Level::Described, QStringLiteral("omt/no-datatype"),
                    QStringLiteral(
                        "A row has NA in the place of a datatype, which the OMT schema takes for a "
                        "name that is not defined."),
                    QStringLiteral("Leave such rows out where the module has to pass the schema."));
      f.source = text(schemaName(*schemaOf(module_.edition, true)));
      findings_ << f;
    }
    if (elsewhere_.isEmpty()) return;
    QStringList some = elsewhere_.mid(0, mostNames);
    QString names = some.join(QStringLiteral(", "));
    if (elsewhere_.size() > mostNames) {
      names += QStringLiteral(" and %1 more").arg(elsewhere_.size() - mostNames);
    }
    Finding f = findingAt(
        module_, firstElsewhere_, Level::Described, QStringLiteral("omt/elsewhere"),
        QStringLiteral("The module uses names that it does not define itself: %1.").arg(names),
        QStringLiteral("The OMT schema looks for them in the same file. With the MIM and the other "
                       "modules nothing is missing."));
    f.item.clear();
    f.source = text(schemaName(*schemaOf(module_.edition, true)));
    findings_ << f;
  }

  const CheckedModule& module_;
  const ModuleSource& source_;
  const QSet<QString>& defined_;
  QStringList elsewhere_;
  ElementId firstElsewhere_ = noElement;
  ElementId firstNothing_ = noElement;
  QList<Finding> findings_;
};

}  // namespace

QList<Finding> schemaFindings(const CheckedModule& module, const QSet<QString>& definedElsewhere) {
  return SchemaFindings(module, definedElsewhere).run();
}

}  // namespace tutti::fomedit
