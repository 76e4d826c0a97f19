// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/engine/federation_saves.h"

#include <RTI/Enums.h>

#include <thread>

#include "observe/node_client.h"

namespace tutti::monitor {

namespace {

using fabric::SaveAction;
using fabric::SaveActivity;
using fabric::SaveOutcome;
using fabric::SavesReply;
using observe::NodeClient;

constexpr std::chrono::milliseconds pollInterval{50};
constexpr qsizetype longestLabel = 200;
constexpr qsizetype mostNamed = 5;

tl::unexpected<QString> failed(const std::string& why) {
  return tl::unexpected(QString::fromStdString(why));
}

tl::expected<NodeClient, std::string> connectTo(const QString& node) {
  auto client = NodeClient::connect(node.toStdString());
  if (!client) return client;
  if (auto greeted = client->hello("operator"); !greeted) return tl::unexpected(greeted.error());
  return client;
}

bool hasDoneItsPart(SaveActivity activity, std::uint32_t status) {
  return activity == SaveActivity::Saving
             ? status == rti1516e::FEDERATE_WAITING_FOR_FEDERATION_TO_SAVE
             : status == rti1516e::FEDERATE_WAITING_FOR_FEDERATION_TO_RESTORE;
}

QString named(const QStringList& names) {
  const auto first = names.mid(0, mostNamed).join(QStringLiteral(", "));
  return names.size() <= mostNamed
             ? first
             : QStringLiteral("%1 and %2 more").arg(first).arg(names.size() - mostNamed);
}

/// What ended it, and what to do about it.
QString reasonOf(const SaveOutcome& outcome, const QString& node) {
  const QString federate = QString::fromStdString(outcome.federate);
  const auto verb = outcome.restore ? QStringLiteral("restore") : QStringLiteral("save");
  const auto is = [&](int save, int restore) {
    return outcome.reason == static_cast<std::uint32_t>(outcome.restore ? restore : save);
  };
  if (is(rti1516e::FEDERATE_REPORTED_FAILURE_DURING_SAVE,
         rti1516e::FEDERATE_REPORTED_FAILURE_DURING_RESTORE))
    return QStringLiteral("%1 reported that it could not %2 its state. Read its log.")
        .arg(federate, verb);
  if (is(rti1516e::FEDERATE_RESIGNED_DURING_SAVE, rti1516e::FEDERATE_RESIGNED_DURING_RESTORE))
    return QStringLiteral("%1 resigned or died meanwhile. Try again without it.").arg(federate);
  if (is(rti1516e::SAVE_ABORTED, rti1516e::RESTORE_ABORTED))
    return QStringLiteral("a federate or another operator aborted it.");
  return QStringLiteral("the RTI node '%1' could not %2 it. Its log says why: is the disk full?")
      .arg(node, verb);
}

}  // namespace

QString faultOfLabel(const QString& label) {
  if (label.trimmed().isEmpty()) return QStringLiteral("A save needs a label.");
  if (label.size() > longestLabel)
    return QStringLiteral("A label has at most %1 characters.").arg(longestLabel);
  for (const QChar c : label) {
    if (!c.isPrint()) return QStringLiteral("A label has no control characters.");
  }
  return {};
}

tl::expected<std::vector<KeptSave>, QString> keptSaves(const QString& node,
                                                       const QString& federation) {
  auto client = connectTo(node);
  if (!client) return failed(client.error());
  const auto reply = client->saves(federation.toStdString());
  if (!reply) return failed(reply.error());
  std::vector<KeptSave> kept;
  for (const auto& save : reply->saves) {
    kept.push_back({QString::fromStdString(save.label), static_cast<qint64>(save.bytes),
                    QDateTime::fromSecsSinceEpoch(save.savedAt)});
  }
  return kept;
}

tl::expected<void, QString> operateSave(const QString& node, const QString& federation,
                                        SaveVerb verb, const QString& label,
                                        std::chrono::milliseconds patience,
                                        const std::function<void(const SaveProgress&)>& progress,
                                        const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  const bool restore = verb == SaveVerb::Restore;
  const std::string name = federation.toStdString();
  auto client = connectTo(node);
  if (!client) return failed(client.error());
  auto now = client->saves(name);
  if (!now) return failed(now.error());
  const std::uint64_t before = now->last.number;
  const auto begun = client->operateSave(name, restore ? SaveAction::Restore : SaveAction::Save,
                                         label.toStdString());
  if (!begun) return failed(begun.error());
  const auto start = Clock::now();
  std::optional<SaveProgress> told;
  QStringList awaited;
  std::size_t federates = 0;
  for (;;) {
    now = client->saves(name);
    if (!now) return failed(now.error());
    if (now->last.number != before) {
      if (now->last.successfully) return {};
      return tl::unexpected(
          QStringLiteral("'%1' was not %2 '%3': %4")
              .arg(federation,
                   restore ? QStringLiteral("restored from") : QStringLiteral("saved as"), label,
                   reasonOf(now->last, node)));
    }
    if (now->activity == SaveActivity::None)
      return tl::unexpected(QStringLiteral("'%1' has ended meanwhile.").arg(federation));
    awaited.clear();
    for (const auto& part : now->parts) {
      if (!hasDoneItsPart(now->activity, part.status))
        awaited << QString::fromStdString(part.federate);
    }
    federates = now->parts.size();
    const auto passed = Clock::now() - start;
    const SaveProgress current{std::chrono::duration<double>(passed).count(), awaited,
                               static_cast<int>(federates)};
    if (progress &&
        (!told || told->awaited != current.awaited || current.elapsed - told->elapsed >= 1)) {
      progress(current);
      told = current;
    }
    if (passed >= patience || stop.stop_requested()) break;
    std::this_thread::sleep_for(pollInterval);
  }
  const auto aborted =
      client->operateSave(name, restore ? SaveAction::AbortRestore : SaveAction::AbortSave);
  // It may have come to its end between the two requests.
  if (!aborted) {
    now = client->saves(name);
    if (now && now->last.number != before && now->last.successfully) return {};
  }
  if (stop.stop_requested()) return tl::unexpected(QStringLiteral("It was aborted as asked."));
  return tl::unexpected(
      QStringLiteral("'%1' was not %2 '%3' within %4 s, and it was aborted: %5 of %6 federates had "
                     "not done their part: %7. Only federates that answer %8 can take part; "
                     "--timeout gives them longer.")
          .arg(federation, restore ? QStringLiteral("restored from") : QStringLiteral("saved as"),
               label)
          .arg(std::chrono::duration<double>(patience).count())
          .arg(awaited.size())
          .arg(federates)
          .arg(named(awaited), restore ? QStringLiteral("initiateFederateRestore")
                                       : QStringLiteral("initiateFederateSave")));
}

}  // namespace tutti::monitor
