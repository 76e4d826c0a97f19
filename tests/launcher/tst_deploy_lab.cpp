// SPDX-License-Identifier: GPL-3.0-or-later
// The Deploy page with real hosts: practice hosts answer over SSH, one that was cut says so, and
// what they lack is copied.
#include <QLabel>
#include <QMainWindow>
#include <QPushButton>
#include <QTest>

#include "composer/model/document.h"
#include "launcher/ui/deploy_workspace.h"
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

 private:
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
