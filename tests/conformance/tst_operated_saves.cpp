// SPDX-License-Identifier: GPL-3.0-or-later
// An operator, who has joined nothing, has a federation execution saved and restored.
#include <QDir>
#include <QDirIterator>

#include "observe/node_client.h"
#include "saver.h"

using namespace rti1516e;
using tutti::fabric::SaveAction;
using tutti::fabric::SaveActivity;
using tutti::fabric::SavesReply;
using tutti::observe::NodeClient;

namespace {

/// Takes no part by itself in a save or restore.
constexpr bool unwilling = false;

}  // namespace

class tst_operated_saves : public QObject {
  Q_OBJECT

  OwnSaves saves_;
  OwnNode node_;
  QString federation_;
  std::unique_ptr<Member> elsewhere_;  ///< keeps the node there
  std::optional<NodeClient> operator_;

  /// Empty: it has begun; else why not.
  QString operate(SaveAction action, const std::string& label = {}) {
    const auto done = operator_->operateSave(federation_.toStdString(), action, label);
    return done ? QString() : QString::fromStdString(done.error());
  }
  SavesReply saves() {
    auto reply = operator_->saves(federation_.toStdString());
    if (!reply) qCritical() << reply.error().c_str();
    return reply.value_or(SavesReply{});
  }

 private slots:
  void init() {
    federation_ = uniqueName("federation");
    elsewhere_ = std::make_unique<Member>("elsewhere");
    elsewhere_->enter(uniqueName("elsewhere"));
    auto connected = NodeClient::connect(node_.name().toStdString());
    QVERIFY2(connected, connected ? "" : connected.error().c_str());
    operator_.emplace(std::move(*connected));
    QVERIFY(operator_->hello("operator"));
  }

  void cleanup() {
    operator_.reset();
    elsewhere_.reset();
  }

  void savesAndRestores() {
    Saver a("a"), b("b");
    a.willing = b.willing = true;
    a.enter(federation_);
    b.enter(federation_);
    a.publish("Vehicle", {"position"});
    const auto kept = a.registerInstance("Vehicle");
    QCOMPARE(saves().last.number, 0u);
    QCOMPARE(operate(SaveAction::Save, "first"), QString());
    QVERIFY(all({&a, &b}, "saved"));
    SavesReply now = saves();
    QCOMPARE(now.activity, SaveActivity::None);
    QCOMPARE(now.saves.size(), std::size_t{1});
    QCOMPARE(now.saves[0].label, std::string("first"));
    QVERIFY(now.saves[0].bytes > 0);
    QVERIFY(std::abs(now.saves[0].savedAt - QDateTime::currentSecsSinceEpoch()) < 3600);
    QCOMPARE(now.last.number, 1u);
    QVERIFY(now.last.successfully && !now.last.restore);
    QCOMPARE(now.last.label, std::string("first"));

    const auto later = a.registerInstance("Vehicle");
    QCOMPARE(operate(SaveAction::Restore, "first"), QString());
    QVERIFY(all({&a, &b}, "restored"));
    QVERIFY(!a.rti().getObjectInstanceName(kept).empty());
    REFUSES(a.rti().getObjectInstanceName(later), ObjectInstanceNotKnown);
    // The confirmation of 4.25 is for a federate that asked.
    QCOMPARE(a.count("restore accepted") + b.count("restore accepted"), 0);
    now = saves();
    QCOMPARE(now.last.number, 2u);
    QVERIFY(now.last.successfully && now.last.restore);
  }

  void tellsWhoIsAwaitedAndAborts() {
    Saver a("a"), b("b");
    a.willing = true;
    b.willing = unwilling;
    a.enter(federation_);
    b.enter(federation_);
    QCOMPARE(operate(SaveAction::Save, "one"), QString());
    QVERIFY(all({&a, &b}, "initiate save one"));
    const SavesReply now = saves();
    QCOMPARE(now.activity, SaveActivity::Saving);
    QCOMPARE(now.label, std::string("one"));
    QCOMPARE(now.parts.size(), std::size_t{2});
    for (const auto& part : now.parts) {
      const bool begun = part.status != static_cast<std::uint32_t>(FEDERATE_INSTRUCTED_TO_SAVE);
      QCOMPARE(begun, part.federate == "a");
    }
    QVERIFY(operate(SaveAction::Save, "two").contains("saved as 'one'"));
    QVERIFY(operate(SaveAction::Restore, "one").contains("saved as 'one'"));
    QCOMPARE(operate(SaveAction::AbortSave), QString());
    QVERIFY(all({&a, &b}, "not saved " + QString::number(SAVE_ABORTED)));
    QCOMPARE(saves().last.reason, static_cast<std::uint32_t>(SAVE_ABORTED));
    QVERIFY(!saves().last.successfully);
    QVERIFY(saves().saves.empty());
    QVERIFY(operate(SaveAction::AbortSave).contains("not being saved"));
    QVERIFY(operate(SaveAction::AbortRestore).contains("not being restored"));
  }

  void namesTheFederateThatEndedASave() {
    Saver a("a"), b("b");
    a.willing = true;
    b.willing = unwilling;
    a.enter(federation_);
    b.enter(federation_);
    QCOMPARE(operate(SaveAction::Save, "one"), QString());
    QVERIFY(b.expect("initiate save one"));
    b.rti().federateSaveBegun();
    b.rti().federateSaveNotComplete();
    QVERIFY(all({&a, &b}, "not saved"));
    QCOMPARE(saves().last.federate, std::string("b"));
    QCOMPARE(saves().last.reason,
             static_cast<std::uint32_t>(FEDERATE_REPORTED_FAILURE_DURING_SAVE));

    QCOMPARE(operate(SaveAction::Save, "two"), QString());
    QVERIFY(a.expect("initiate save two"));
    b.rti().resignFederationExecution(NO_ACTION);
    QVERIFY(turns({&a}, [&] { return a.count("not saved") == 2; }));
    QCOMPARE(saves().last.federate, std::string("b"));
    QCOMPARE(saves().last.label, std::string("two"));
    QCOMPARE(saves().last.number, 2u);
  }

  void aRestoreThatAFederateRefusesChangesNothing() {
    Saver a("a"), b("b");
    a.enter(federation_);
    b.enter(federation_);
    QVERIFY(save({&a, &b}, L"kept"));
    b.willing = unwilling;
    QCOMPARE(operate(SaveAction::Restore, "kept"), QString());
    QVERIFY(all({&a, &b}, "initiate restore kept"));
    QCOMPARE(saves().activity, SaveActivity::Restoring);
    QCOMPARE(saves().parts.size(), std::size_t{2});
    b.rti().federateRestoreNotComplete();
    QVERIFY(all({&a, &b}, "not restored"));
    QVERIFY(saves().last.restore && !saves().last.successfully);
    QCOMPARE(saves().last.federate, std::string("b"));
  }

  void refusesWhatCannotBe() {
    QVERIFY(operate(SaveAction::Save, "x").contains("does not exist"));
    QVERIFY(saves().saves.empty());
    Saver a("a");
    a.willing = true;
    a.enter(federation_);
    QVERIFY(operate(SaveAction::Restore, "never").contains("nothing was saved under that label"));
    QCOMPARE(operate(SaveAction::Save, "alone"), QString());
    QVERIFY(all({&a}, "saved"));
    Saver b("b");
    b.willing = true;
    b.enter(federation_);
    const QString why = operate(SaveAction::Restore, "alone");
    QVERIFY2(why.contains("not as many of each type") && why.contains("a ("), qPrintable(why));
    QCOMPARE(a.count("restore begun"), 0);
    a.rti().resignFederationExecution(NO_ACTION);
    b.rti().resignFederationExecution(NO_ACTION);
    QVERIFY(operate(SaveAction::Save, "empty").contains("no federate is joined"));
  }

  void listsWhatIsKeptWhateverItsLabel() {
    const std::string longLabel(300, 'l');
    const std::vector<std::string> labels{"plain", "with / and ../ and \xc3\xa4", longLabel};
    {
      Saver a("a");
      a.willing = true;
      a.enter(federation_);
      for (const std::string& label : labels) {
        QCOMPARE(operate(SaveAction::Save, label), QString());
        QVERIFY(turns({&a}, [&] { return saves().last.label == label; }));
      }
    }
    // The execution has gone; its saves have not.
    std::vector<std::string> listed;
    for (const auto& save : saves().saves) listed.push_back(save.label);
    std::sort(listed.begin(), listed.end());
    auto sorted = labels;
    std::sort(sorted.begin(), sorted.end());
    QCOMPARE(listed, sorted);

    QStringList files;
    for (QDirIterator all(saves_.path(), {"plain.save"}, QDir::Files, QDirIterator::Subdirectories);
         all.hasNext();)
      files << all.next();
    for (const QString& file : std::as_const(files)) {
      QFile damaged(file);
      QVERIFY(damaged.open(QIODevice::WriteOnly | QIODevice::Truncate));
      damaged.write("not a save");
    }
    QVERIFY(!files.isEmpty());
    QCOMPARE(saves().saves.size(), labels.size() - 1);
  }
};

CONFORMANCE_MAIN(tst_operated_saves)
#include "tst_operated_saves.moc"
