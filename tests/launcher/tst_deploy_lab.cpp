// SPDX-License-Identifier: GPL-3.0-or-later
// The Deploy page with real hosts: practice hosts answer over SSH, one that was cut says so, and
// what they lack is copied.
#include <unistd.h>

#include <QAction>
#include <QCheckBox>
#include <QLabel>
#include <QMainWindow>
#include <QPushButton>
#include <QScopeGuard>
#include <QSpinBox>
#include <QTest>

#include "composer/model/document.h"
#include "launcher/ui/deploy_workspace.h"
#include "launcher/ui/host_sources.h"
#include "launcher/ui/host_watch.h"
#include "resources/theme/theme.h"
#include "tests/launcher/lab.h"

using namespace tutti;
using namespace tutti::launcher;
using launcher::test::Lab;

class TestDeployLab : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(home_.isValid());
    for (const char* name : {"XDG_STATE_HOME", "XDG_CONFIG_HOME"})
      qputenv(name, home_.filePath(QString::fromLatin1(name)).toUtf8());
    qputenv("TUTTI_BIN", TUTTI_BINARY_DIR "/bin");
    qputenv("TUTTI_CATALOG", TUTTI_SOURCE_DIR "/resources/components");
    theme_ = new theme::Theme(this);
    theme_->apply(theme::Appearance::Light);
  }

  void hostsAnswerAndOneIsCut() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QString file = lab.sampleWith({{"radar-west", 1}, {"detector", 2}});
    composer::Document document(composer::Catalog::readDefault());
    QVERIFY(document.load(file));
    QMainWindow frame;
    auto* page = new DeployWorkspace(&document, &frame);
    frame.setCentralWidget(page);
    frame.resize(1368, 804);
    frame.show();
    QVERIFY(QTest::qWaitForWindowExposed(&frame, 20000));
    // The only hosts file of the folder is the lab's.
    QCOMPARE(page->hostsFile(), lab.hostsFile());
    page->setActive(true);
    const auto condition = [&](int host) {
      return page->hostWatch().find(lab.host(host))->condition;
    };
    QTRY_COMPARE_WITH_TIMEOUT(condition(1), HostView::Condition::Reachable, 30000);
    QTRY_COMPARE_WITH_TIMEOUT(condition(2), HostView::Condition::Reachable, 30000);
    QCOMPARE(page->hostWatch().find(lab.host(1))->report.cores,
             lab.ask(1, QStringLiteral("nproc")).trimmed().toInt());
    QTRY_VERIFY_WITH_TIMEOUT(check(*page, "hosts") && page->mayRun(), 60000);

    QVERIFY(lab.call({"cut", lab.host(2)}));
    page->checkAgain();
    const QString lost = QStringLiteral("host-") + lab.host(2);
    QTRY_VERIFY_WITH_TIMEOUT(check(*page, lost), 60000);
    QVERIFY(!page->mayRun());
    QVERIFY2(page->whyNotRun().contains(lab.host(2)), qPrintable(page->whyNotRun()));
    QCOMPARE(condition(2), HostView::Condition::Silent);
    QVERIFY(lab.call({"mend", lab.host(2)}));
    page->checkAgain();
    QTRY_VERIFY_WITH_TIMEOUT(page->mayRun(), 60000);
  }

  /// The button on a page without hosts, and the way back.
  void aPracticeClusterOfTheButton_data() {
    QTest::addColumn<bool>("slurm");
    QTest::newRow("hosts alone") << false;
    QTest::newRow("with a Slurm") << true;
  }
  void aPracticeClusterOfTheButton() {
    QFETCH(bool, slurm);
    const bool mustRun = qEnvironmentVariableIsSet("TUTTI_NO_SKIP");
    if (::geteuid() != 0 && !mustRun) QSKIP("practice hosts need root");
    if (QFile::exists(QStringLiteral("/run/netns/lab1"))) {
      QVERIFY2(!mustRun, "there is a practice cluster, which this would take for its own");
      QSKIP("there is a practice cluster");
    }
    if (slurm && !HostSources::hasSlurm() && !mustRun) QSKIP("Slurm is not installed");
    QTemporaryDir folder;
    qputenv("TUTTI_LAB_DIR", folder.path().toUtf8());
    const auto restore = qScopeGuard([&] {
      QProcess down;
      down.start(QStringLiteral(TUTTI_SOURCE_DIR "/launcher/lab/tutti-lab"), {"down"});
      down.waitForFinished(60000);
      qunsetenv("TUTTI_LAB_DIR");
    });
    composer::Document document(composer::Catalog::readDefault());
    QMainWindow frame;
    auto* page = new DeployWorkspace(&document, &frame);
    frame.setCentralWidget(page);
    frame.resize(1368, 804);
    frame.show();
    QVERIFY(QTest::qWaitForWindowExposed(&frame, 20000));
    page->setActive(true);
    QVERIFY(page->hostsFile().isEmpty());
    auto* button = page->findChild<QPushButton*>(QStringLiteral("makeLabButton"));
    QVERIFY(button && button->isVisible() && button->isEnabled());
    QTest::mouseClick(button, Qt::LeftButton);
    auto* question = page->findChild<QFrame*>(QStringLiteral("hostQuestion"));
    auto* number = page->findChild<QSpinBox*>(QStringLiteral("hostQuestionNumber"));
    auto* offer = page->findChild<QCheckBox*>(QStringLiteral("hostQuestionOffer"));
    QVERIFY(question && question->isVisible() && number && offer);
    QCOMPARE(offer->isVisible(), HostSources::hasSlurm());
    QCOMPARE(number->value(), 4);
    number->setValue(2);
    if (offer->isVisible()) {
      QVERIFY(offer->isChecked());
      shot(frame, "practice-question");
      if (!slurm) QTest::keyClick(offer, Qt::Key_Space);
    }
    QTest::keyClick(number, Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(page->hostsFile(), folder.filePath("lab/lab.hosts.json"), 60000);
    QTRY_COMPARE_WITH_TIMEOUT(page->hostWatch().hosts().size(), 3u, 30000);  // this machine too
    for (const QString& host : {QStringLiteral("lab1"), QStringLiteral("lab2")})
      QTRY_COMPARE_WITH_TIMEOUT(page->hostWatch().find(host)->condition,
                                HostView::Condition::Reachable, 30000);
    QCOMPARE(page->hostWatch().deployment().clusters.size(), slurm ? 1u : 0u);
    QCOMPARE(QFile::exists(folder.filePath("lab/slurm/slurm.conf")), slurm);
    shot(frame, slurm ? "practice-slurm" : "practice-hosts");

    auto* remove = page->findChild<QAction*>(QStringLiteral("removeLab"));
    QVERIFY(remove);
    remove->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(page->hostsFile().isEmpty(), 60000);
    QVERIFY(!QFile::exists(folder.filePath("lab")));
    QVERIFY(!QFile::exists(QStringLiteral("/run/netns/lab1")));
    QTRY_VERIFY(button->isVisible() && button->isEnabled());
  }

  /// One who is not root is asked for a password by pkexec, which passes no environment on.
  void whoIsNotRoot() {
    using Command = HostSources::Command;
    const QStringList up{"up", "4", "--slurm"};
    QCOMPARE(HostSources::labCommand("/t/tutti-lab", up, {}, "/labs"),
             (Command{"/t/tutti-lab", up}));
    QCOMPARE(HostSources::labCommand("/t/tutti-lab", up, "/usr/bin/pkexec", {}),
             (Command{"/usr/bin/pkexec", {"/t/tutti-lab", "up", "4", "--slurm"}}));
    QCOMPARE(
        HostSources::labCommand("/t/tutti-lab", up, "/usr/bin/pkexec", "/labs"),
        (Command{"/usr/bin/pkexec",
                 {"/usr/bin/env", "TUTTI_LAB_DIR=/labs", "/t/tutti-lab", "up", "4", "--slurm"}}));
  }

 private:
  static void shot(QWidget& frame, const char* name) {
    const QString folder = qEnvironmentVariable("TUTTI_SCREENSHOTS");
    if (!folder.isEmpty()) frame.grab().save(folder + '/' + QLatin1String(name) + ".png");
  }
  static const PreflightCheck* check(const DeployWorkspace& page, const QString& id) {
    for (const auto& one : page.preflightChecks()) {
      if (one.id == id) return &one;
    }
    return nullptr;
  }

  QTemporaryDir home_;
  theme::Theme* theme_ = nullptr;
};

QTEST_MAIN(TestDeployLab)
#include "tst_deploy_lab.moc"
