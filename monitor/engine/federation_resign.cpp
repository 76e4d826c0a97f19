// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/engine/federation_resign.h"

#include <cstdint>
#include <thread>
#include <utility>

#include "observe/node_client.h"

namespace tutti::monitor {

namespace {

using fabric::ResignState;
using observe::NodeClient;

constexpr std::chrono::milliseconds pollInterval{20};
constexpr qsizetype mostNamed = 5;

tl::unexpected<QString> failed(const std::string& why) {
  return tl::unexpected(QString::fromStdString(why));
}

QString named(const QStringList& names) {
  const auto first = names.mid(0, mostNamed).join(QStringLiteral(", "));
  return names.size() <= mostNamed
             ? first
             : QStringLiteral("%1 and %2 more").arg(first).arg(names.size() - mostNamed);
}

ResignProgress progressOf(const std::vector<fabric::ResignPart>& parts) {
  ResignProgress result;
  for (const fabric::ResignPart& part : parts) {
    const auto name = QString::fromStdString(part.name);
    switch (part.state) {
      case ResignState::Awaited:
        result.awaited << name;
        break;
      case ResignState::Resigned:
        result.resigned << name;
        break;
      case ResignState::Lost:
        result.lost << name;
        break;
      case ResignState::Refused:
        result.refused.push_back({name, QString::fromStdString(part.why)});
        break;
    }
  }
  return result;
}

}  // namespace

QStringList resignActions() {
  return {QStringLiteral("UnconditionallyDivestAttributes"),
          QStringLiteral("DeleteObjects"),
          QStringLiteral("CancelPendingOwnershipAcquisitions"),
          QStringLiteral("DeleteObjectsThenDivest"),
          QStringLiteral("CancelThenDeleteThenDivest"),
          QStringLiteral("NoAction")};
}

std::optional<int> resignActionOf(const QString& name) {
  const auto plain = [](QString text) {
    return text.remove(QLatin1Char('-')).remove(QLatin1Char('_')).toLower();
  };
  const QStringList all = resignActions();
  for (qsizetype i = 0; i < all.size(); ++i) {
    if (plain(all[i]) == plain(name)) return static_cast<int>(i);
  }
  return std::nullopt;
}

QString ResignProgress::whyNotAll() const {
  QStringList sentences;
  if (!awaited.isEmpty())
    sentences
        << (awaited.size() == 1
                ? QStringLiteral(
                      "1 of %1 federates has not resigned: %2. It has been told, and does it as "
                      "soon as it evokes callbacks; if it hangs, kill it.")
                      .arg(federates())
                      .arg(awaited.front())
                : QStringLiteral(
                      "%1 of %2 federates have not resigned: %3. They have been told, and do it "
                      "as soon as they evoke callbacks; kill those that hang.")
                      .arg(awaited.size())
                      .arg(federates())
                      .arg(named(awaited)));
  for (const Refusal& one : refused)
    sentences << QStringLiteral(
                     "%1 cannot resign with this action and goes on: %2 Choose another action, for "
                     "example CancelThenDeleteThenDivest.")
                     .arg(one.federate, one.why);
  return sentences.join(QLatin1Char(' '));
}

tl::expected<ResignProgress, QString> operateResign(
    const QString& node, const QString& federation, const QStringList& names,
    std::optional<int> action, std::chrono::milliseconds patience,
    const std::function<void(const ResignProgress&)>& progress, const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  auto client = NodeClient::connect(node.toStdString());
  if (!client) return failed(client.error());
  if (auto greeted = client->hello("operator"); !greeted) return failed(greeted.error());
  fabric::OperateResignRequest request;
  request.federation = federation.toStdString();
  for (const QString& name : names) request.federates.push_back(name.toStdString());
  request.hasAction = action.has_value();
  request.action = static_cast<std::uint32_t>(action.value_or(0));
  if (const auto told = client->operateResign(request); !told) return failed(told.error());
  const auto start = Clock::now();
  std::optional<ResignProgress> last;
  std::uint64_t number = 0;
  for (;;) {
    const auto reply = client->resigns(request.federation);
    if (!reply && last) {
      last->left = std::exchange(last->awaited, {});
      return *last;
    }
    if (!reply) return failed(reply.error());
    // Another operator has asked meanwhile, and the node tells of that.
    if (number != 0 && reply->number != number && last) return *last;
    number = reply->number;
    ResignProgress now = progressOf(reply->parts);
    const auto passed = Clock::now() - start;
    now.elapsed = std::chrono::duration<double>(passed).count();
    const bool news = !last || last->awaited != now.awaited || last->refused != now.refused ||
                      now.elapsed - last->elapsed >= 1;
    if (news) {
      if (progress) progress(now);
      last = now;
    }
    if (now.awaited.isEmpty() || passed >= patience || stop.stop_requested()) return now;
    std::this_thread::sleep_for(pollInterval);
  }
}

}  // namespace tutti::monitor
