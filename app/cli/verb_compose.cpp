// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include "app/cli/verb.h"
#include "composer/model/catalog.h"
#include "composer/model/document.h"
#include "composer/model/proposal.h"

namespace {

using namespace tutti::app;
using namespace tutti::composer;

constexpr double kRow = 144;  // px between boxes below each other

/// Why an action could not be done, in one sentence.
struct Fault {
  ExitCode code;
  QString message;
};
using Outcome = tl::expected<QStringList, Fault>;  // lines that say what was done

QString unknownComponent(const Catalog& catalog, const QString& wanted) {
  constexpr qsizetype shown = 8;
  QStringList known;
  for (const auto& component : catalog.components()) {
    if (!known.contains(component->id)) known << component->id;
  }
  const bool more = known.size() > shown;
  return QStringLiteral("no catalog has a component \"%1\"; there are %2%3")
      .arg(wanted, known.mid(0, shown).join(QStringLiteral(", ")),
           more ? QStringLiteral(" and more: tutti catalog") : QString());
}

tl::unexpected<Fault> wrong(const QString& message) {
  return tl::unexpected(Fault{Usage, message});
}

/// Sets "name=value" on a federate, checked against its manifest.
tl::expected<void, Fault> setValue(Document& document, const QString& id,
                                   const QString& assignment) {
  const auto equals = assignment.indexOf(u'=');
  if (equals < 1) return wrong(QStringLiteral("\"%1\" is not PARAMETER=VALUE").arg(assignment));
  const QString name = assignment.left(equals);
  const Manifest* manifest = document.manifestOf(id);
  const Parameter* parameter = manifest ? manifest->parameter(name) : nullptr;
  if (!parameter) {
    QStringList known;
    if (manifest) {
      for (const Parameter& each : manifest->parameters) known.append(each.name);
    }
    return wrong(
        QStringLiteral("%1 has no parameter \"%2\"; it has %3")
            .arg(document.federate(id)->name, name,
                 known.isEmpty() ? QStringLiteral("none") : known.join(QStringLiteral(", "))));
  }
  const auto value = parameter->parse(assignment.mid(equals + 1));
  if (!value) return wrong(QStringLiteral("%1: %2").arg(assignment, value.error()));
  document.setParameter(id, name, *value);
  return {};
}

/// A place below everything.
QPointF freePlace(const Composition& composition) {
  double y = -kRow;
  for (const auto& [id, federate] : composition.federates) y = std::max(y, federate.position.y());
  return {0, y + kRow};
}

Outcome add(Document& document, Invocation& invocation) {
  const auto name = invocation.takeOption(QStringLiteral("--name"));
  const auto count = invocation.takeOption(QStringLiteral("--count"));
  QStringList assignments;
  while (const auto assignment = invocation.takeOption(QStringLiteral("--set")))
    assignments.append(*assignment);
  if (invocation.arguments.size() != 1) return wrong(QStringLiteral("add needs one component"));
  const QString component = invocation.arguments.front();
  if (!document.catalog().find(component)) return wrong(unknownComponent(document.catalog(), component));
  if (name && document.composition().freeName(*name) != *name)
    return wrong(QStringLiteral("a federate is called \"%1\" already").arg(*name));
  const QString id =
      document.addFederate(component, freePlace(document.composition()), name.value_or(QString{}));
  if (count) {
    bool ok = false;
    const int number = count->toInt(&ok);
    if (!ok || number < 1 || number > 1000)
      return wrong(QStringLiteral("--count needs a number from 1 to 1000"));
    document.setCount(id, number);
  }
  for (const QString& assignment : std::as_const(assignments)) {
    if (const auto done = setValue(document, id, assignment); !done)
      return tl::unexpected(done.error());
  }
  return QStringList{QStringLiteral("added %1").arg(document.federate(id)->name)};
}

Outcome need(Document& document, Invocation& invocation) {
  std::vector<Need> needs;
  for (const QString& className : std::as_const(invocation.arguments)) needs.push_back({className});
  const Proposal proposal = propose(document.composition(), document.catalog(), needs);
  QStringList lines;
  const QStringList ids = document.addProposed(proposal);
  for (std::size_t i = 0; i < proposal.items.size(); ++i) {
    const auto& item = proposal.items[i];
    QString line = QStringLiteral("added %1: it %2")
                       .arg(document.federate(ids[static_cast<qsizetype>(i)])->name, item.why);
    if (!item.alternatives.isEmpty())
      line += QStringLiteral(" (so would %1)").arg(item.alternatives.join(QStringLiteral(", ")));
    lines.append(line);
  }
  if (!proposal.unmet.empty()) {
    const auto& unmet = proposal.unmet.front();
    return tl::unexpected(Fault{
        Findings, QStringLiteral("no component of the catalog publishes %1%2")
                      .arg(unmet.className.section(u'.', -1),
                           unmet.neededBy.isEmpty()
                               ? QString{}
                               : QStringLiteral(", which %1 subscribes to").arg(unmet.neededBy))});
  }
  if (lines.isEmpty())
    lines.append(QStringLiteral("nothing to add: everything needed is published"));
  return lines;
}

tl::expected<void, Fault> setRestart(Document& document, const QString& id, const QString& word,
                                     const std::optional<QString>& limit,
                                     const std::optional<QString>& backoff) {
  Restart restart;
  const auto when = Restart::whenOf(word);
  if (!when) return wrong(QStringLiteral("restart is never, on-failure or always"));
  restart.when = *when;
  if (limit) {
    bool ok = false;
    restart.limit = limit->toInt(&ok);
    if (!ok || restart.limit < 1 || restart.limit > 1000)
      return wrong(QStringLiteral("--limit needs a number of restarts from 1 to 1000"));
  }
  if (backoff) {
    bool ok = false;
    restart.backoff = backoff->toDouble(&ok);
    if (!ok || !(restart.backoff >= 0 && restart.backoff <= 60))
      return wrong(QStringLiteral("--backoff needs seconds from 0 to 60"));
  }
  document.setRestart(id, restart);
  return {};
}

Outcome change(Document& document, const QString& action, Invocation& invocation) {
  if (action == QStringLiteral("add")) return add(document, invocation);
  if (action == QStringLiteral("need")) return need(document, invocation);
  QStringList& words = invocation.arguments;
  if (words.isEmpty()) return wrong(QStringLiteral("%1 needs the name of a federate").arg(action));
  if (action == QStringLiteral("module")) {
    // As a shell completes it, or as the composition spells it.
    const QDir folder{document.folder()};
    QString module = QFileInfo{words.front()}.absoluteFilePath();
    if (!QFileInfo{module}.isFile()) module = folder.absoluteFilePath(words.front());
    if (!QFileInfo{module}.isFile()) return wrong(QStringLiteral("there is no file %1").arg(words.front()));
    module = folder.relativeFilePath(module);
    document.addModule(module);
    return QStringList{QStringLiteral("added module %1").arg(module)};
  }
  std::optional<QString> limit;
  std::optional<QString> backoff;
  if (action == QStringLiteral("restart")) {
    limit = invocation.takeOption(QStringLiteral("--limit"));
    backoff = invocation.takeOption(QStringLiteral("--backoff"));
    if (words.isEmpty()) return wrong(QStringLiteral("restart needs the name of a federate"));
  }
  const QString name = words.takeFirst();
  const Federate* federate = document.composition().findByName(name);
  if (!federate) return wrong(QStringLiteral("no federate is called \"%1\"").arg(name));
  const QString id = federate->id;
  if (action == QStringLiteral("remove") && words.isEmpty()) {
    document.removeFederates({id});
    return QStringList{QStringLiteral("removed %1").arg(name)};
  }
  if ((action == QStringLiteral("enable") || action == QStringLiteral("disable")) &&
      words.isEmpty()) {
    document.setEnabled({id}, action == QStringLiteral("enable"));
    return QStringList{QStringLiteral("%1d %2").arg(action, name)};
  }
  if (action == QStringLiteral("rename") && words.size() == 1) {
    if (document.composition().freeName(words.front()) != words.front())
      return wrong(QStringLiteral("a federate is called \"%1\" already").arg(words.front()));
    document.renameFederate(id, words.front());
    return QStringList{QStringLiteral("renamed %1 to %2").arg(name, words.front())};
  }
  if (action == QStringLiteral("set") && !words.isEmpty()) {
    for (const QString& assignment : std::as_const(words)) {
      if (const auto done = setValue(document, id, assignment); !done)
        return tl::unexpected(done.error());
    }
    return QStringList{QStringLiteral("set %1 of %2").arg(words.join(QStringLiteral(", ")), name)};
  }
  if (action == QStringLiteral("restart") && words.size() == 1) {
    if (const auto done = setRestart(document, id, words.front(), limit, backoff); !done)
      return tl::unexpected(done.error());
    return QStringList{QStringLiteral("restart of %1: %2").arg(name, words.front())};
  }
  return wrong(QStringLiteral("\"%1\" is not understood")
                   .arg((QStringList{action, name} + words).join(u' ')));
}

int run(Invocation& invocation) {
  const QString verb = QStringLiteral("compose");
  if (invocation.arguments.size() < 2)
    return invocation.usage(verb, QStringLiteral("name a file and an action"));
  const QString file = invocation.arguments.takeFirst();
  const QString action = invocation.arguments.takeFirst();
  static const QStringList actions{QStringLiteral("new"),     QStringLiteral("add"),
                                   QStringLiteral("need"),    QStringLiteral("set"),
                                   QStringLiteral("rename"),  QStringLiteral("enable"),
                                   QStringLiteral("disable"), QStringLiteral("remove"),
                                   QStringLiteral("module"),  QStringLiteral("restart")};
  if (!actions.contains(action))
    return invocation.usage(verb, QStringLiteral("there is no action \"%1\"; there are %2")
                                      .arg(action, actions.join(QStringLiteral(", "))));

  Document document{Catalog::readDefault()};
  const auto fail = [&](const Error& error, ExitCode code = Usage) {
    if (invocation.json) {
      invocation.print({{"error", error.message().toStdString()}});
    } else {
      invocation.err << error.message() << Qt::endl;
    }
    return code;
  };
  Outcome outcome;
  if (action == QStringLiteral("new")) {
    if (invocation.arguments.size() > 1)
      return invocation.usage(verb, QStringLiteral("new takes one federation name"));
    if (QFileInfo::exists(file))
      return invocation.usage(verb, QStringLiteral("%1 exists already").arg(file));
    const QString name = invocation.arguments.value(0, QFileInfo{file}.baseName());
    document.reset(name);
    outcome = QStringList{QStringLiteral("made federation %1").arg(name)};
    if (const auto saved = document.saveAs(file); !saved) return fail(saved.error());
  } else {
    if (const auto loaded = document.load(file); !loaded) return fail(loaded.error());
    outcome = change(document, action, invocation);
    if (!outcome) {
      if (outcome.error().code == Usage) return invocation.usage(verb, outcome.error().message);
      return fail(Error{{}, 0, {}, outcome.error().message + u'.', {}}, outcome.error().code);
    }
    if (const auto saved = document.save(); !saved) return fail(saved.error());
  }
  if (invocation.json) {
    nlohmann::json done = nlohmann::json::array();
    for (const QString& line : *outcome) done.push_back(line.toStdString());
    invocation.print({{"file", document.path().toStdString()}, {"done", done}});
  } else {
    for (const QString& line : *outcome) invocation.out << line << '\n';
    invocation.out.flush();
  }
  return Ok;
}

const RegisterVerb registered{
    {QStringLiteral("compose"), QStringLiteral("FILE ACTION ..."),
     QStringLiteral("Make or change a composition"),
     QStringLiteral(
         "Actions:\n"
         "  new [NAME]                                   make the file, with that federation name\n"
         "  add COMPONENT [--name N] [--count N] [--set PARAMETER=VALUE ...]\n"
         "  need CLASS ...                               add what publishes these classes, and "
         "what that needs in turn\n"
         "  set FEDERATE PARAMETER=VALUE ...\n"
         "  rename FEDERATE NAME | enable FEDERATE | disable FEDERATE | remove FEDERATE\n"
         "  restart FEDERATE never|on-failure|always [--limit N] [--backoff SECONDS]\n"
         "                                               start it again when it ends by itself, N "
         "times in a row\n"
         "                                               (5), after SECONDS (1), then twice as "
         "long "
         "each time\n"
         "  module FILE                                  add a FOM module\n"
         "Nothing is written unless the whole action is possible.\n"
         "Exit code 1: no component publishes what is needed; 2: the action or the file is not "
         "understood."),
     &run}};

}  // namespace
