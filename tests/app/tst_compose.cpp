// SPDX-License-Identifier: GPL-3.0-or-later
// The Compose page over a real document: what a person does with mouse and keyboard, checked
// against the document and the file, and back.
#include <QAbstractItemView>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QCompleter>
#include <QDialogButtonBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QGraphicsView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QProcess>
#include <QPushButton>
#include <QRandomGenerator>
#include <QScrollBar>
#include <QSet>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QTreeView>
#include <QVariantAnimation>
#include <memory>
#include <nlohmann/json.hpp>

#include "composer/model/document.h"
#include "composer/ui/canvas_export.h"
#include "composer/ui/canvas_scene.h"
#include "composer/ui/canvas_view.h"
#include "composer/ui/catalog_pane.h"
#include "composer/ui/compose_workspace.h"
#include "composer/ui/outline_pane.h"
#include "composer/ui/problems_pane.h"
#include "composer/ui/property_panel.h"
#include "resources/theme/delegates.h"
#include "resources/theme/theme.h"

using namespace tutti;
using namespace tutti::composer;

namespace {

QString airTraffic() {
  return QStringLiteral(TUTTI_SOURCE_DIR "/resources/federations/air-traffic.federation.json");
}

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The page on its own, as wide as in the window.
struct Page {
  QTemporaryDir folder;
  theme::Theme theme;
  Document document{Catalog::read({QStringLiteral(TUTTI_SOURCE_DIR "/resources/components")})};
  std::unique_ptr<ComposeWorkspace> page;

  explicit Page(const QString& file = airTraffic()) {
    theme.apply(theme::Appearance::Light);
    theme::setReducedMotion(true);
    if (!file.isEmpty()) {
      const auto loaded = document.load(file);
      if (!loaded) qFatal("%s", qPrintable(loaded.error().message()));
    }
    page = std::make_unique<ComposeWorkspace>(document);
    page->resize(1368, 780);
    page->show();
    page->activateWindow();
    if (!QTest::qWaitForWindowActive(page.get())) qWarning("the page did not get active");
    settle();
  }
  void settle() {
    QTest::qWait(0);
    page->scene()->sync();
    QTest::qWait(0);
  }
  CanvasScene& scene() { return *page->scene(); }
  CanvasView& canvas() { return *page->canvas(); }
  NodeItem* node(const char* id) { return scene().node(QString::fromLatin1(id)); }
  /// Where the header of a box is, in the viewport.
  QPoint at(const char* id) {
    return canvas().mapFromScene(node(id)->frame().topLeft() + QPointF(60, 12));
  }
  void click(const char* id, Qt::KeyboardModifiers modifiers = {}) {
    QTest::mouseClick(canvas().viewport(), Qt::LeftButton, modifiers, at(id));
  }
  void drag(const QPoint& from, const QPoint& by) {
    QWidget* target = canvas().viewport();
    QTest::mousePress(target, Qt::LeftButton, {}, from);
    for (int step = 1; step <= 10; ++step) QTest::mouseMove(target, from + by * step / 10);
    QTest::mouseRelease(target, Qt::LeftButton, {}, from + by);
  }
  bool hasEdge(const QString& className, const char* from, const char* to) {
    for (EdgeItem* edge : scene().edges())
      if (edge->flow().className.endsWith(className) && edge->flow().from == QLatin1String(from) &&
          edge->flow().to == QLatin1String(to))
        return true;
    return false;
  }
  void key(int key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(&canvas(), static_cast<Qt::Key>(key), modifiers);
  }
  void shot(const char* name) {
    const QString path = QStringLiteral(TUTTI_BINARY_DIR "/screenshots");
    QDir().mkpath(path);
    page->grab().save(QStringLiteral("%1/compose-%2.png").arg(path, QLatin1String(name)));
  }
};

}  // namespace

class ComposeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void composesFromNeeds() {
    Page page{QString()};
    QVERIFY(page.document.composition().federates.empty());
    auto* begin = page.page->findChild<QPushButton*>(QStringLiteral("composeFromNeeds"));
    auto* classes = page.page->findChild<QListWidget*>(QStringLiteral("neededClasses"));
    auto* add = page.page->findChild<QPushButton*>(QStringLiteral("needsAdd"));
    auto* proposal = page.page->findChild<QLabel*>(QStringLiteral("needsProposal"));
    QVERIFY(begin && classes && add && proposal);
    QTest::mouseClick(begin, Qt::LeftButton);
    QVERIFY(classes->isVisible());
    QVERIFY(!add->isEnabled());
    const auto plots = classes->findItems(QStringLiteral("RadarPlot"), Qt::MatchExactly);
    QCOMPARE(plots.size(), 1);
    plots.front()->setCheckState(Qt::Checked);
    // A radar publishes plots, and needs flights, which somebody has to publish.
    QCOMPARE(add->text(), QStringLiteral("Add 2 federates"));
    QVERIFY2(proposal->text().contains(QStringLiteral("aircraft-flow")),
             qPrintable(proposal->text()));
    page.shot("needs");
    QTest::mouseClick(add, Qt::LeftButton);
    page.settle();
    QStringList components;
    for (const auto& [id, federate] : page.document.composition().federates)
      components << federate.component;
    components.sort();
    QCOMPARE(components, QStringList({QStringLiteral("aircraft-flow"), QStringLiteral("radar")}));
    QVERIFY(page.hasEdge(QStringLiteral("Flight"), "aircraft-flow", "radar"));
    QVERIFY(!classes->isVisible());
    // One step, and nothing is proposed twice.
    page.document.undoStack().undo();
    QVERIFY(page.document.composition().federates.empty());
    page.document.undoStack().redo();
    QTest::mouseClick(begin, Qt::LeftButton);
    classes->findItems(QStringLiteral("RadarPlot"), Qt::MatchExactly)
        .front()
        ->setCheckState(Qt::Checked);
    QVERIFY(!add->isEnabled());
    auto* cancel = page.page->findChild<QPushButton*>(QStringLiteral("needsCancel"));
    QTest::mouseClick(cancel, Qt::LeftButton);
    QVERIFY(begin->isVisible());
    QVERIFY(page.page->catalog()->view()->isVisible());
  }

  void showsTheSample() {
    Page page;
    QCOMPARE(page.scene().nodes().size(), 6);
    QVERIFY(page.scene().hub(QStringLiteral("HLAobjectRoot.Flight")));
    QVERIFY(page.hasEdge(QStringLiteral("Flight"), "flow-north", ""));
    QVERIFY(page.hasEdge(QStringLiteral("Flight"), "", "radar-west"));
    QTRY_VERIFY(!page.document.isChecking());
    page.shot("sample");
    page.theme.apply(theme::Appearance::Dark);
    QTest::qWait(0);
    page.shot("sample-dark");
    page.theme.apply(theme::Appearance::Light);
  }

  void clickSelectsEverywhere() {
    Page page;
    page.click("radar-west");
    QCOMPARE(page.page->selection().single(), QStringLiteral("radar-west"));
    QTRY_COMPARE(page.page->findChild<QLabel*>(QStringLiteral("propertyTitle"))->text(),
                 QStringLiteral("radar-west"));
    const QModelIndexList rows = page.page->outline()->selectionModel()->selectedIndexes();
    QCOMPARE(rows.size(), 1);
    QCOMPARE(rows.first().data().toString(), QStringLiteral("radar-west"));
    page.shot("selected");
    // What does not concern it steps back, what it receives does not.
    for (EdgeItem* edge : page.scene().edges())
      QCOMPARE(edge->isDimmed(), !(edge->flow().from == QStringLiteral("radar-west") ||
                                   edge->flow().to == QStringLiteral("radar-west") ||
                                   (edge->flow().to.isEmpty() &&
                                    edge->flow().className.endsWith(QStringLiteral("Flight")))));
  }

  // The mouse path: press on a catalog row, move over to the canvas, let go.
  void dragFromCatalogAddsABox() {
    Page page;
    QTreeView* catalog = page.page->catalog()->view();
    CatalogModel* model = page.page->catalog()->model();
    const QModelIndexList found =
        model->match(model->index(0, 0), CatalogModel::ComponentRole, QStringLiteral("radar"), 1,
                     Qt::MatchExactly | Qt::MatchRecursive);
    QCOMPARE(found.size(), 1);
    QVERIFY(found.first().flags().testFlag(Qt::ItemIsDragEnabled));
    const QPoint from =
        catalog->viewport()->mapToGlobal(catalog->visualRect(found.first()).center());
    const QPoint to = page.canvas().viewport()->mapToGlobal(QPoint(500, 60));
    // A drag runs its own event loop and grabs the pointer, so the hand must be another process.
    QProcess hand;
    QStringList moves{QStringLiteral("mousemove"), QString::number(from.x()),
                      QString::number(from.y()),   QStringLiteral("sleep"),
                      QStringLiteral("0.2"),       QStringLiteral("mousedown"),
                      QStringLiteral("1")};
    for (int step = 1; step <= 30; ++step)
      moves << QStringLiteral("mousemove")
            << QString::number(from.x() + (to.x() - from.x()) * step / 30)
            << QString::number(from.y() + (to.y() - from.y()) * step / 30)
            << QStringLiteral("sleep") << QStringLiteral("0.02");
    moves << QStringLiteral("sleep") << QStringLiteral("0.1") << QStringLiteral("mouseup")
          << QStringLiteral("1");
    hand.start(QStringLiteral("xdotool"), moves);
    QTRY_COMPARE_WITH_TIMEOUT(page.document.composition().federates.size(), std::size_t(7), 15000);
    QTRY_COMPARE(hand.state(), QProcess::NotRunning);
    page.settle();
    const QString added = page.page->selection().single();
    QVERIFY(!added.isEmpty());
    QCOMPARE(page.document.federate(added)->component, QStringLiteral("radar"));
    QVERIFY(page.canvas().viewport()->rect().contains(
        page.canvas().mapFromScene(page.document.federate(added)->position)));
    // It is connected by what it publishes and subscribes, not by hand.
    QVERIFY(page.hasEdge(QStringLiteral("Flight"), "", qPrintable(added)));
    QVERIFY(page.hasEdge(QStringLiteral("RadarPlot"), qPrintable(added), "log"));
    page.shot("dropped");
    page.document.undoStack().undo();
    page.settle();
    QCOMPARE(page.scene().nodes().size(), 6);
    QVERIFY(!page.hasEdge(QStringLiteral("Flight"), "", qPrintable(added)));
  }

  void aDragOnTheCanvasIsOneUndoStep() {
    Page page;
    const QPointF before = page.document.federate(QStringLiteral("detector"))->position;
    const int steps = page.document.undoStack().count();
    page.drag(page.at("detector"), QPoint(96, 48));
    page.settle();
    QCOMPARE(page.document.federate(QStringLiteral("detector"))->position,
             before + QPointF(96, 48));
    QCOMPARE(page.document.undoStack().count(), steps + 1);
    QCOMPARE(page.document.undoStack().undoText(), QStringLiteral("move detector"));
    page.document.undoStack().undo();
    page.settle();
    QCOMPARE(page.node("detector")->pos(), before);
  }

  void severalMoveTogetherInOneStep() {
    Page page;
    page.click("flow-north");
    page.click("flow-south", Qt::ControlModifier);
    QCOMPARE(page.page->selection().federates().size(), 2);
    const QPointF north = page.node("flow-north")->pos();
    const QPointF south = page.node("flow-south")->pos();
    page.drag(page.at("flow-south"), QPoint(0, 80));
    page.settle();
    QCOMPARE(page.node("flow-north")->pos(), north + QPointF(0, 80));
    QCOMPARE(page.node("flow-south")->pos(), south + QPointF(0, 80));
    QCOMPARE(page.document.undoStack().count(), 1);
    QCOMPARE(page.document.undoStack().undoText(), QStringLiteral("move 2 federates"));
  }

  void aGroupMovesByItsTitle() {
    Page page;
    const QPointF east = page.node("radar-east")->pos();
    const QPointF west = page.node("radar-west")->pos();
    GroupItem* frame = page.scene().groupFrame(QStringLiteral("radar-site"));
    QVERIFY(frame);
    page.drag(page.canvas().mapFromScene(frame->headerRect().center()), QPoint(40, -16));
    page.settle();
    QCOMPARE(page.node("radar-east")->pos(), east + QPointF(40, -16));
    QCOMPARE(page.node("radar-west")->pos(), west + QPointF(40, -16));
    QCOMPARE(page.document.undoStack().count(), 1);
  }

  // A changed subscription removes its edge: the same composition with a catalog whose traffic-log
  // no longer subscribes Conflict.
  void aChangedSubscriptionRemovesItsEdge() {
    Page page;
    QVERIFY(page.hasEdge(QStringLiteral("Conflict"), "detector", "log"));
    QTemporaryDir changed;
    const QString source = QStringLiteral(TUTTI_SOURCE_DIR "/resources/components");
    QCOMPARE(
        QProcess::execute(QStringLiteral("cp"), {QStringLiteral("-r"), source, changed.path()}), 0);
    const QString manifest =
        changed.filePath(QStringLiteral("components/traffic-log/component.json"));
    QByteArray text = contentOf(manifest);
    const QByteArray subscribed = R"("interactions": ["RadarPlot", "Conflict"])";
    QVERIFY(text.contains(subscribed));
    text.replace(subscribed, R"("interactions": ["RadarPlot"])");
    QFile file(manifest);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(text);
    file.close();
    page.document.setCatalog(Catalog::read({changed.filePath(QStringLiteral("components"))}));
    page.settle();
    QVERIFY(!page.hasEdge(QStringLiteral("Conflict"), "detector", "log"));
    QVERIFY(page.hasEdge(QStringLiteral("RadarPlot"), "radar-east", "log"));
  }

  void disablingTakesItsEdgesAway() {
    Page page;
    page.click("radar-west");
    page.key(Qt::Key_E, Qt::ControlModifier);
    page.settle();
    QVERIFY(!page.document.federate(QStringLiteral("radar-west"))->enabled);
    QVERIFY(!page.hasEdge(QStringLiteral("Flight"), "", "radar-west"));
    QCOMPARE(page.node("radar-west")->state(), theme::State::Disabled);
    QCOMPARE(page.page->findChild<QAction*>(QStringLiteral("composeEnable"))->text(),
             QStringLiteral("&Enable"));
    page.shot("disabled");
    page.document.undoStack().undo();
    page.settle();
    QVERIFY(page.hasEdge(QStringLiteral("Flight"), "", "radar-west"));
  }

  void aMissingRangeIsShownWhereItIsAndFixed() {
    Page page;
    page.document.setParameter(QStringLiteral("radar-west"), QStringLiteral("range"), std::nullopt);
    page.click("radar-west");
    QTRY_VERIFY(page.page->properties()->parameterEdit(QStringLiteral("range")));
    ParameterEdit* range = page.page->properties()->parameterEdit(QStringLiteral("range"));
    QTRY_VERIFY(range->isInvalid());
    QCOMPARE(range->fault(), QStringLiteral("Needs 1 to 500 km"));
    QTRY_VERIFY(!page.document.isChecking());
    page.settle();
    QCOMPARE(page.node("radar-west")->state(), theme::State::Error);
    page.shot("invalid");

    // F8 leads to it and puts the cursor into the field.
    page.page->selection().clear();
    ProblemsModel* problems = page.page->problems()->model();
    int row = -1;
    for (int i = 0; i < problems->rowCount(); ++i)
      if (problems->finding(i)->where.parameter == QStringLiteral("range")) row = i;
    QVERIFY(row >= 0);
    for (int i = 0; i <= row; ++i) page.page->showNextProblem(1);
    QCOMPARE(page.page->selection().single(), QStringLiteral("radar-west"));
    range = page.page->properties()->parameterEdit(QStringLiteral("range"));
    QTRY_COMPARE(QApplication::focusWidget(), range->field());

    // What is typed is checked while it is typed, and kept only when it fits.
    QTest::keyClicks(range->field(), QStringLiteral("900"));
    QVERIFY(range->isInvalid());
    QTest::keyClick(range->field(), Qt::Key_Return);
    QVERIFY(!page.document.federate(QStringLiteral("radar-west"))
                 ->parameters.contains(QStringLiteral("range")));

    // The Fix button of the row.
    QTreeView* view = page.page->problems()->view();
    const QModelIndex fix = problems->index(row, ProblemsModel::FixColumn);
    QCOMPARE(fix.data(theme::FixRole).toString(), QStringLiteral("Use 250 km"));
    view->scrollTo(fix);
    const QRect cell = view->visualRect(fix);
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                      QPoint(cell.left() + 30, cell.center().y()));
    QCOMPARE(page.document.federate(QStringLiteral("radar-west"))
                 ->parameters.at(QStringLiteral("range")),
             composer::Json(250));
    QTRY_VERIFY(!range->isInvalid());
  }

  void longTextsOfThePropertiesAreNotCut() {
    Page page;
    page.document.setEnabled({QStringLiteral("flow-north"), QStringLiteral("flow-south")}, false);
    page.click("radar-west");
    QTRY_VERIFY(page.page->properties()->parameterEdit(QStringLiteral("range")));
    page.settle();
    const QScrollArea* panel = page.page->properties();
    QTRY_VERIFY2(panel->widget()->width() <= panel->viewport()->width(),
                 qPrintable(QString::number(panel->widget()->width())));
    QVERIFY(panel->widget()->minimumSizeHint().width() <= panel->viewport()->width());
  }

  void choicesAreOfferedWhileTypingAndAllOfThemByAButton() {
    Page page;
    page.click("radar-west");
    QTRY_VERIFY(page.page->properties()->parameterEdit(QStringLiteral("site")));
    ParameterEdit* site = page.page->properties()->parameterEdit(QStringLiteral("site"));
    auto* field = qobject_cast<QLineEdit*>(site->field());
    QVERIFY(field && field->completer());
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("egl"));
    auto* offered = field->completer()->popup();
    QTRY_VERIFY(offered->isVisible());
    QCOMPARE(field->completer()->completionCount(), 1);
    QTest::keyClick(offered, Qt::Key_Down);
    QTest::keyClick(offered, Qt::Key_Return);
    QTRY_COMPARE(field->text(), QStringLiteral("EGLL"));
    const auto& parameters = page.document.federate(QStringLiteral("radar-west"))->parameters;
    QCOMPARE(parameters.at(QStringLiteral("site")), composer::Json("EGLL"));
    // All of them.
    QVERIFY(!field->actions().isEmpty());
    field->actions().constLast()->trigger();
    QTRY_VERIFY(offered->isVisible());
    QVERIFY(field->completer()->completionCount() > 30);
    page.shot("choices");
    QTest::keyClick(offered, Qt::Key_Escape);
    // What is none of them is answered with some that are like it.
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("EDXX"));
    QVERIFY2(site->fault().contains("such as EDDB, EDDF"), qPrintable(site->fault()));
  }

  void aManifestThatCannotBeReadIsInTheCatalogAndInProblems() {
    QTemporaryDir broken;
    QVERIFY(QDir(broken.path()).mkdir(QStringLiteral("torn")));
    QFile file(broken.filePath(QStringLiteral("torn/component.json")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{\n  \"id\": \"torn\",\n");
    file.close();
    Page page;
    page.document.setCatalog(
        Catalog::read({QStringLiteral(TUTTI_SOURCE_DIR "/resources/components"), broken.path()}));
    const QAbstractItemModel* catalog = page.page->catalog()->model();
    const QModelIndex heading = catalog->index(catalog->rowCount() - 1, 0);
    QCOMPARE(heading.data().toString(), QStringLiteral("Cannot be read"));
    QCOMPARE(catalog->rowCount(heading), 1);
    const QModelIndex row = catalog->index(0, 0, heading);
    QCOMPARE(row.data().toString(), QStringLiteral("torn"));
    QCOMPARE(row.data(theme::StateRole).value<theme::State>(), theme::State::Warning);
    QVERIFY(!(row.flags() & Qt::ItemIsDragEnabled));
    QVERIFY(row.data(Qt::ToolTipRole).toString().contains(file.fileName()));
    QTRY_VERIFY(!page.document.isChecking());
    ProblemsModel* problems = page.page->problems()->model();
    QTRY_VERIFY(problems->rowCount() > 0);
    int found = 0;
    for (int i = 0; i < problems->rowCount(); ++i)
      found += problems->finding(i)->where.file == file.fileName() ? 1 : 0;
    QCOMPARE(found, 1);
    page.shot("broken-manifest");
  }

  void parametersCommitAndUndo() {
    Page page;
    page.click("radar-west");
    QTRY_VERIFY(page.page->properties()->parameterEdit(QStringLiteral("range")));
    auto* field = qobject_cast<QLineEdit*>(
        page.page->properties()->parameterEdit(QStringLiteral("range"))->field());
    QVERIFY(field);
    QCOMPARE(field->text(), QStringLiteral("250"));
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("120"));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(page.document.undoStack().undoText(), QStringLiteral("set range of radar-west"));
    QCOMPARE(page.document.federate(QStringLiteral("radar-west"))
                 ->parameters.at(QStringLiteral("range")),
             composer::Json(120));
    page.document.undoStack().undo();
    QTRY_COMPARE(field->text(), QStringLiteral("250"));
  }

  void whatAFederateNeedsIsTypedAndUndone() {
    Page page;
    page.click("radar-west");
    page.settle();
    auto* cores = page.page->findChild<QLineEdit*>(QStringLiteral("field-needs-cores"));
    auto* memory = page.page->findChild<QLineEdit*>(QStringLiteral("field-needs-memory"));
    QVERIFY(cores && memory);
    const auto own = [&] { return page.document.federate("radar-west")->resources; };
    const Manifest* radar = page.document.manifestOf("radar-west");
    QVERIFY(own().isEmpty());
    QCOMPARE(cores->text(), QString::number(radar->resources.cores));
    QCOMPARE(memory->text(), QString::number(radar->resources.memory));
    const int steps = page.document.undoStack().count();
    const auto type = [&](QLineEdit* field, const QString& text) {
      field->setFocus();
      field->selectAll();
      if (text.isEmpty())
        QTest::keyClick(field, Qt::Key_Delete);
      else
        QTest::keyClicks(field, text);
      QTest::keyClick(field, Qt::Key_Return);
    };
    type(cores, QStringLiteral("2.5"));
    QCOMPARE(own(), (OwnResources{2.5, std::nullopt, {}}));
    type(memory, QStringLiteral("-4"));
    QVERIFY(!own().memory);
    page.settle();
    auto* fault = page.page->findChild<QLabel*>(QStringLiteral("fault-needs-memory"));
    QVERIFY(fault && fault->isVisibleTo(page.page.get()));
    type(memory, QStringLiteral("500"));
    QCOMPARE(own(), (OwnResources{2.5, 500, {}}));
    QCOMPARE(page.document.undoStack().count(), steps + 2);
    QCOMPARE(page.document.undoStack().undoText(), QStringLiteral("set what radar-west needs"));
    page.settle();
    QCOMPARE(memory->text(), QStringLiteral("500"));
    page.shot("own-needs");
    // An empty field is the component's value again.
    type(cores, QString());
    QCOMPARE(own(), (OwnResources{std::nullopt, 500, {}}));
    QTRY_COMPARE(cores->text(), QString::number(radar->resources.cores));
    page.document.undoStack().undo();
    QTRY_COMPARE(cores->text(), QStringLiteral("2.5"));
    while (page.document.undoStack().canUndo()) page.document.undoStack().undo();
    QTRY_COMPARE(cores->text(), QString::number(radar->resources.cores));
    QVERIFY(own().isEmpty());
  }

  /// The limit and the pause of a restart are set where its kind is, and shown only when it is
  /// used.
  void restartsAreSetAndUndone() {
    Page page;
    page.click("radar-west");
    page.settle();
    auto* when = page.page->findChild<QComboBox*>(QStringLiteral("field-restart"));
    auto* limit = page.page->findChild<QSpinBox*>(QStringLiteral("field-restart-limit"));
    auto* pause = page.page->findChild<QDoubleSpinBox*>(QStringLiteral("field-restart-backoff"));
    QVERIFY(when && limit && pause);
    QVERIFY(!limit->isVisibleTo(page.page.get()) && !pause->isVisibleTo(page.page.get()));
    const auto restart = [&] { return page.document.federate("radar-west")->restart; };
    const Restart never = restart();
    for (const int kind : {1, 2}) {
      when->setCurrentIndex(kind);
      Q_EMIT when->activated(kind);
      QVERIFY(limit->isVisibleTo(page.page.get()) && pause->isVisibleTo(page.page.get()));
    }
    page.document.undoStack().undo();
    QCOMPARE(restart(), never);
    page.settle();
    when->setCurrentIndex(1);
    Q_EMIT when->activated(1);
    limit->setValue(3);
    pause->setValue(2.5);
    QCOMPARE(restart(), (Restart{Restart::When::OnFailure, 3, 2.5}));
    QVERIFY2(limit->text().contains("3") && pause->text().endsWith(" s"),
             qPrintable(pause->text()));
    page.shot("restart");
    while (page.document.undoStack().canUndo()) page.document.undoStack().undo();
    page.settle();
    QTRY_COMPARE(limit->value(), Restart{}.limit);
    QTRY_VERIFY(!limit->isVisibleTo(page.page.get()));
  }

  void theArchitectureIsChosenByKeyAndUndone() {
    Page page;
    const auto field = [&] {
      return page.page->properties()->findChild<QComboBox*>(QStringLiteral("field-architecture"));
    };
    QTRY_VERIFY(field());
    QCOMPARE(field()->currentText(), QStringLiteral("decentralized"));
    field()->setFocus();
    QTest::keyClick(field(), Qt::Key_Down);
    QTRY_COMPARE(page.document.composition().settings.architecture, QStringLiteral("federated"));
    QTRY_COMPARE(field()->currentText(), QStringLiteral("federated"));
    page.document.undoStack().undo();
    QVERIFY(page.document.composition().settings.architecture.isEmpty());
    QTRY_COMPARE(field()->currentText(), QStringLiteral("decentralized"));
  }

  void catalogSearchFindsByClassAndSaysWhenNothingDoes() {
    Page page;
    page.page->focusFilter();
    auto* search = page.page->catalog()->search();
    QTRY_COMPARE(QApplication::focusWidget(), static_cast<QWidget*>(search));
    QTest::keyClicks(search, QStringLiteral("conflict"));
    QVERIFY(page.page->catalog()->model()->shown() >= 1);
    search->clear();
    QTest::keyClicks(search, QStringLiteral("submarine"));
    QCOMPARE(page.page->catalog()->model()->shown(), 0);
    page.shot("no-component");
    auto* clear = page.page->catalog()->findChild<QPushButton*>(QStringLiteral("emptyViewButton"));
    QVERIFY(clear && clear->isVisible());
    QTest::mouseClick(clear, Qt::LeftButton);
    QVERIFY(page.page->catalog()->model()->shown() > 3);
  }

  // From an empty canvas to two connected federates without the mouse.
  void keyboardOnlyJourney() {
    Page page{QString()};
    QVERIFY(page.page->findChild<QWidget*>(QStringLiteral("emptyCanvas"))->isVisible());
    page.shot("empty");
    const auto type = [](Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
      QTest::keyClick(QApplication::focusWidget(), key, modifiers);
    };
    page.page->focusFilter();
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("ping"));
    type(Qt::Key_Down);
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(page.page->catalog()->view()));
    type(Qt::Key_Return);
    QTRY_COMPARE(page.document.composition().federates.size(), std::size_t(1));
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(&page.canvas()));
    const QString ping = page.page->selection().single();
    QCOMPARE(page.document.federate(ping)->component, QStringLiteral("ping"));
    page.page->focusFilter();
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("pong"));
    page.settle();
    type(Qt::Key_Down);
    QTreeView* catalog = page.page->catalog()->view();
    while (catalog->currentIndex().data(CatalogModel::ComponentRole).toString() !=
           QStringLiteral("pong"))
      type(Qt::Key_Down);
    type(Qt::Key_Return);
    QTRY_COMPARE(page.document.composition().federates.size(), std::size_t(2));
    page.settle();
    const QString pong = page.page->selection().single();
    QVERIFY(page.hasEdge(QStringLiteral("Ping"), qPrintable(ping), qPrintable(pong)));
    QVERIFY(page.hasEdge(QStringLiteral("Pong"), qPrintable(pong), qPrintable(ping)));

    // Tab goes along the data flow, arrows to the nearest box, Shift+arrows move it.
    page.key(Qt::Key_Escape);
    page.scene().setFocusNode(ping);
    page.canvas().setFocus();
    page.key(Qt::Key_Tab);
    QCOMPARE(page.page->selection().single(), pong);
    const QPointF before = page.document.federate(pong)->position;
    page.key(Qt::Key_Right, Qt::ShiftModifier);
    page.key(Qt::Key_Down, Qt::ShiftModifier | Qt::ControlModifier);
    QCOMPARE(page.document.federate(pong)->position, before + QPointF(16, 1));
    page.key(Qt::Key_F2);
    page.settle();
    QTRY_COMPARE(QApplication::focusWidget()->objectName(), QStringLiteral("field-name"));
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("echo"));
    type(Qt::Key_Return);
    QCOMPARE(page.document.federate(pong)->name, QStringLiteral("echo"));
    page.canvas().setFocus();
    page.key(Qt::Key_Delete);
    page.settle();
    QCOMPARE(page.document.composition().federates.size(), std::size_t(1));
    while (page.document.undoStack().canUndo()) page.document.undoStack().undo();
    QVERIFY(page.document.composition().federates.empty());
  }

  void arrowsGoToTheNearestBox() {
    Page page;
    page.canvas().setFocus();
    page.click("flow-north");
    page.key(Qt::Key_Right);
    QCOMPARE(page.page->selection().single(), QStringLiteral("radar-east"));
    page.key(Qt::Key_Down);
    QCOMPARE(page.page->selection().single(), QStringLiteral("radar-west"));
    page.key(Qt::Key_Down);
    QCOMPARE(page.page->selection().single(), QStringLiteral("detector"));
    page.key(Qt::Key_Left);
    QCOMPARE(page.page->selection().single(), QStringLiteral("flow-south"));
  }

  void canvasAndDataFlowAreExported() {
    Page page;
    page.click("radar-east");  // what is selected on the screen is not in the file
    QTemporaryDir folder;
    auto* action = page.page->findChild<QAction*>(QStringLiteral("composeExport"));
    QVERIFY(action);
    QSettings().setValue(QStringLiteral("export/folder"), folder.path());
    QSignalSpy done(page.page.get(), &theme::Workspace::done);
    QSignalSpy failed(page.page.get(), &theme::Workspace::failed);
    const auto exportTo = [&](const QString& name) {
      QTimer answer;
      connect(&answer, &QTimer::timeout, &answer, [&] {
        auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        if (!dialog) return;
        auto* field = dialog->findChild<QLineEdit*>();
        field->setText(name);
        dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save)->click();
      });
      answer.start(20);
      action->trigger();
    };
    exportTo(QStringLiteral("a.svg"));
    exportTo(QStringLiteral("a.png"));
    exportTo(QStringLiteral("a.csv"));
    QCOMPARE(done.size(), 3);
    const QString svg = QString::fromUtf8(contentOf(folder.filePath(QStringLiteral("a.svg"))));
    QVERIFY2(svg.contains(QStringLiteral("<title>air-traffic, data flow, width of a line: "
                                         "expected messages per second, 2")),
             qPrintable(svg.left(600)));
    for (const auto& [id, federate] : page.document.composition().federates)
      QVERIFY2(svg.contains(u'>' + federate.name + u'<'), qPrintable(federate.name));
    const QColor accent = theme::Palette(theme::Mode::Light)[theme::Token::Accent];
    QVERIFY(!svg.contains(accent.name()));
    const QImage png(folder.filePath(QStringLiteral("a.png")));
    QVERIFY(png.width() >= 2 * static_cast<int>(page.scene().contentRect().width()));
    const QStringList lines = QString::fromUtf8(contentOf(folder.filePath(QStringLiteral("a.csv"))))
                                  .split(u'\n', Qt::SkipEmptyParts);
    qsizetype ends = 0;
    for (const ClassFlow& flow : page.document.dataFlow().flows)
      ends += static_cast<qsizetype>(flow.publishers.size() + flow.subscribers.size());
    QCOMPARE(lines.size(),
             2 + ends + static_cast<qsizetype>(page.document.dataFlow().unmet.size()));
    QVERIFY(lines[0].startsWith(QStringLiteral("# air-traffic, data flow, ")));
    QVERIFY(lines[1].endsWith(QStringLiteral("Messages in 1/s")));
    QVERIFY(std::any_of(lines.begin(), lines.end(), [](const QString& line) {
      return line.startsWith(QStringLiteral("HLAobjectRoot.Flight,object class,flow-north,")) &&
             line.contains(QStringLiteral(",publishes,"));
    }));
    QCOMPARE(failed.size(), 0);
  }

  // A dark console writes the same picture as a light one.
  void aPictureOfTheCanvasIsLight() {
    Page page;
    QTemporaryDir folder;
    const auto picture = [&](const char* name) {
      const QString path = folder.filePath(QString::fromLatin1(name));
      if (!exportCanvas(page.scene(), path)) return QImage();
      // Below the title, which says when.
      const QImage whole(path);
      return whole.copy(0, 80, whole.width(), whole.height() - 80);
    };
    const QImage light = picture("light.png");
    page.theme.apply(theme::Appearance::Dark);
    page.settle();
    QVERIFY(!light.isNull());
    QCOMPARE(picture("dark.png"), light);
    const auto written = exportCanvas(page.scene(), QStringLiteral("/nowhere/a.png"));
    QVERIFY(!written);
    QVERIFY2(written.error().contains(QStringLiteral("/nowhere/a.png cannot be written")),
             qPrintable(written.error()));
  }

  void groupsCollapseAndOpen() {
    Page page;
    page.click("radar-west");
    page.key(Qt::Key_Minus);
    page.settle();
    QCOMPARE(page.scene().nodes().size(), 5);
    NodeItem* box = page.scene().node(NodeItem::keyOf(QStringLiteral("radar-site"), true));
    QVERIFY(box);
    QCOMPARE(box->name(), QStringLiteral("Radar site"));
    // Its members' lines now meet the one box.
    QVERIFY(!page.scene().edgesOf(box->key()).isEmpty());
    page.shot("collapsed");
    page.key(Qt::Key_Plus);
    page.settle();
    QCOMPARE(page.scene().nodes().size(), 6);
  }

  void allGroupsCollapseAndOpenInOneStep() {
    Page page;
    auto* collapse = page.page->findChild<QAction*>(QStringLiteral("composeCollapseAll"));
    auto* expand = page.page->findChild<QAction*>(QStringLiteral("composeExpandAll"));
    QVERIFY(collapse && expand);
    QVERIFY(collapse->isEnabled() && !expand->isEnabled());
    collapse->trigger();
    page.settle();
    QCOMPARE(page.scene().nodes().size(), 4);  // two groups and two federates in none
    QCOMPARE(page.document.undoStack().count(), 1);
    QVERIFY(!collapse->isEnabled() && expand->isEnabled());
    expand->trigger();
    page.settle();
    QCOMPARE(page.scene().nodes().size(), 6);
    page.document.undoStack().undo();
    page.document.undoStack().undo();
    page.settle();
    QCOMPARE(page.scene().nodes().size(), 6);
    QVERIFY(collapse->isEnabled() && !expand->isEnabled());
  }

  void aBoxThatSlidesMayBeRemoved() {
    Page page;
    theme::setReducedMotion(false);
    const QString id = QStringLiteral("detector");
    const QPointF target = page.document.federate(id)->position + QPointF(401, 301);
    page.document.moveFederates({{id, target}});
    page.scene().sync();
    const auto slides = [&] {
      int running = 0;
      for (const auto* one : page.scene().findChildren<QVariantAnimation*>())
        running += one->state() == QAbstractAnimation::Running && one->endValue() == target ? 1 : 0;
      return running;
    };
    QCOMPARE(slides(), 1);
    page.document.removeFederates({id});
    page.scene().sync();
    // Going on it would move a box that is gone.
    QCOMPARE(slides(), 0);
    theme::setReducedMotion(true);
  }

  void groupingNamesAndUngrouping() {
    Page page;
    page.click("detector");
    page.click("log", Qt::ControlModifier);
    page.page->findChild<QAction*>(QStringLiteral("composeGroup"))->trigger();
    page.settle();
    const QString id = page.page->selection().group();
    QVERIFY(!id.isEmpty());
    QCOMPARE(page.document.federate(QStringLiteral("log"))->group, id);
    QVERIFY(page.scene().groupFrame(id));
    page.page->findChild<QAction*>(QStringLiteral("composeUngroup"))->trigger();
    page.settle();
    QVERIFY(page.document.federate(QStringLiteral("log"))->group.isEmpty());
    QVERIFY(!page.scene().groupFrame(id));
  }

  void outlineAndCanvasStayInStep() {
    Page page;
    OutlinePane* outline = page.page->outline();
    const auto indexOf = [outline](const char* name) {
      const QModelIndexList found =
          outline->model()->match(outline->model()->index(0, 0), Qt::DisplayRole,
                                  QLatin1String(name), 1, Qt::MatchExactly | Qt::MatchRecursive);
      return found.value(0);
    };
    QVERIFY(indexOf("radar-east").isValid());
    outline->setCurrentIndex(indexOf("radar-east"));
    QCOMPARE(page.page->selection().single(), QStringLiteral("radar-east"));
    QVERIFY(page.node("radar-east")->isSelected());
    // What a screen reader says holds the state.
    page.document.setEnabled({QStringLiteral("radar-east")}, false);
    page.settle();
    outline->sync();
    QVERIFY(indexOf("radar-east")
                .data(Qt::AccessibleTextRole)
                .toString()
                .contains(QStringLiteral("disabled")));
    page.document.renameFederate(QStringLiteral("radar-east"), QStringLiteral("radar-muc"));
    outline->sync();
    QVERIFY(indexOf("radar-muc").isValid());
    page.document.removeFederates({QStringLiteral("radar-east")});
    page.settle();
    outline->sync();
    QVERIFY(!indexOf("radar-muc").isValid());
    QVERIFY(page.page->selection().isEmpty());
  }

  void outlineRenamesInPlace() {
    Page page;
    page.page->selection().setGroup(QStringLiteral("flows"));
    page.page->findChild<QAction*>(QStringLiteral("composeRename"))->trigger();
    auto* editor = page.page->outline()->findChild<QLineEdit*>();
    QTRY_VERIFY(editor = page.page->outline()->findChild<QLineEdit*>());
    editor->selectAll();
    QTest::keyClicks(editor, QStringLiteral("Traffic"));
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_COMPARE(page.document.composition().groups.at(QStringLiteral("flows")).name,
                 QStringLiteral("Traffic"));
  }

  void saveReopenSaveGivesIdenticalBytes() {
    Page page;
    const QString file = page.folder.filePath(QStringLiteral("copy.federation.json"));
    QVERIFY(page.document.saveAs(file));
    const QByteArray first = contentOf(file);
    QVERIFY(page.document.load(file));
    page.settle();
    QVERIFY(page.document.save());
    QCOMPARE(contentOf(file), first);
    // Moving one box changes only its own lines.
    page.drag(page.at("detector"), QPoint(64, 32));
    page.settle();
    QVERIFY(page.document.save());
    const QList<QByteArray> before = first.split('\n');
    const QList<QByteArray> after = contentOf(file).split('\n');
    QCOMPARE(after.size(), before.size());
    int changed = 0;
    for (qsizetype i = 0; i < before.size(); ++i) changed += before[i] != after[i];
    QCOMPARE(changed, 2);
  }

  // 100 random edits through the page and 100 undos give an identical file.
  void hundredEditsAndUndosLeaveNothing() {
    Page page;
    const QByteArray before = page.document.composition().toBytes();
    QRandomGenerator random(1207);
    const auto pick = [&]() -> QString {
      const auto& all = page.document.composition().federates;
      if (all.empty()) return {};
      return std::next(all.begin(), random.bounded(static_cast<int>(all.size())))->first;
    };
    const QStringList components{QStringLiteral("radar"), QStringLiteral("ping"),
                                 QStringLiteral("aircraft-flow")};
    for (int i = 0; i < 100; ++i) {
      const QString id = pick();
      switch (random.bounded(7)) {
        case 0:
          page.page->addComponent(components[random.bounded(3)]);
          break;
        case 1:
          page.page->selection().setFederates({id});
          page.canvas().setFocus();
          page.key(Qt::Key_Right, Qt::ShiftModifier);
          break;
        case 2:
          page.document.renameFederate(id, QStringLiteral("name-%1").arg(i));
          break;
        case 3:
          page.page->selection().setFederates({id});
          page.page->findChild<QAction*>(QStringLiteral("composeEnable"))->trigger();
          break;
        case 4:
          page.page->selection().setFederates({id, pick()});
          page.page->findChild<QAction*>(QStringLiteral("composeGroup"))->trigger();
          break;
        case 5:
          if (page.document.composition().federates.size() < 4) break;
          page.page->selection().setFederates({id});
          page.key(Qt::Key_Delete);
          break;
        default:
          page.page->selection().setFederates({id});
          page.page->findChild<QAction*>(QStringLiteral("composeDuplicate"))->trigger();
      }
      if (i % 10 == 0) page.settle();
    }
    QVERIFY(page.document.undoStack().count() > 40);
    while (page.document.undoStack().canUndo()) page.document.undoStack().undo();
    page.settle();
    QCOMPARE(page.document.composition().toBytes(), before);
    QCOMPARE(page.scene().nodes().size(), 6);
    QCOMPARE(page.scene().edges().size(),
             static_cast<qsizetype>(page.document.dataFlow().edges().size()));
  }

  void tidyUpPlacesWithoutOverlapInOneStep() {
    Page page;
    QHash<QString, QPointF> heap;
    for (const auto& [id, federate] : page.document.composition().federates)
      heap.insert(id, QPointF(10, 10));
    page.document.moveFederates(heap);
    page.settle();
    QSignalSpy finished(&page.page->layouter(), &AutoLayout::finished);
    const int steps = page.document.undoStack().count();
    page.page->tidyUp();
    QVERIFY(finished.wait(5000));
    page.settle();
    const QList<NodeItem*> nodes = page.scene().nodes();
    for (NodeItem* a : nodes)
      for (NodeItem* b : nodes)
        if (a != b)
          QVERIFY2(!a->frame().intersects(b->frame()), qPrintable(a->name() + u' ' + b->name()));
    QCOMPARE(page.document.undoStack().count(), steps + 1);
    QCOMPARE(page.document.undoStack().undoText(), QStringLiteral("tidy up"));
    // Data flows to the right.
    QVERIFY(page.node("flow-north")->pos().x() < page.node("radar-east")->pos().x());
    QVERIFY(page.node("radar-east")->pos().x() < page.node("log")->pos().x());
    page.shot("tidy");
  }

  void aLayoutThatHangsIsEnded() {
    Page page;
    const QString slow = page.folder.filePath(QStringLiteral("slow"));
    QFile file(slow);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("#!/bin/sh\nexec sleep 60\n");
    file.close();
    QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    QSignalSpy failed(page.page.get(), &theme::Workspace::failed);
    page.page->layouter().setProgram(slow);
    page.page->layouter().setTimeout(200);
    page.page->tidyUp();
    QVERIFY(failed.wait(5000));
    QVERIFY(failed.first().first().toString().contains(QStringLiteral("took over")));
    page.page->layouter().setProgram(QStringLiteral("no-such-layouter"));
    page.page->tidyUp();
    QTRY_COMPARE(failed.count(), 2);
    QVERIFY(failed.last().first().toString().contains(QStringLiteral("is not installed")));
    QVERIFY(failed.last().last().toString().contains(QStringLiteral("apt install graphviz")));
  }

  void aLongLayoutShowsItsTimeAndIsCancelled() {
    Page page;
    const QString slow = page.folder.filePath(QStringLiteral("slow"));
    QFile file(slow);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("#!/bin/sh\nexec sleep 60\n");
    file.close();
    QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    QSignalSpy failed(page.page.get(), &theme::Workspace::failed);
    page.page->layouter().setProgram(slow);
    page.page->layouter().setTimeout(60'000);
    const auto before = page.document.composition();
    auto* text = page.page->findChild<QLabel*>(QStringLiteral("tidying"));
    auto* cancel = page.page->findChild<QPushButton*>(QStringLiteral("tidyingCancel"));
    QVERIFY(text && cancel);
    page.page->tidyUp();
    QTRY_VERIFY_WITH_TIMEOUT(
        text->isVisible() && text->text().startsWith(QStringLiteral("Placing 7 boxes, 1")), 30'000);
    page.shot("tidying");
    QTest::mouseClick(cancel, Qt::LeftButton);
    QVERIFY(!text->isVisible());
    QVERIFY(!page.page->layouter().isRunning());
    QCOMPARE(failed.count(), 0);
    QVERIFY(page.document.composition() == before);
  }

  // What is tidied up is seen: also while boxes slide to their places the view waits for them.
  void tidyUpShowsAllItHasPlaced() {
    Page page;
    theme::setReducedMotion(false);
    QHash<QString, QPointF> apart;
    double x = 0;
    for (const auto& [id, federate] : page.document.composition().federates)
      apart.insert(id, QPointF(x += 1600, 40));
    page.document.moveFederates(apart);
    page.settle();
    QTRY_VERIFY(!page.scene().isSliding());
    page.canvas().setZoom(1);
    QSignalSpy finished(&page.page->layouter(), &AutoLayout::finished);
    page.page->tidyUp();
    QVERIFY(finished.wait(5000));
    QTRY_VERIFY(!page.scene().isSliding());
    theme::setReducedMotion(true);
    page.settle();
    const QRect shown = page.canvas().viewport()->rect();
    for (NodeItem* node : page.scene().nodes())
      QVERIFY2(shown.contains(page.canvas().mapFromScene(node->frame()).boundingRect()),
               qPrintable(node->name()));
    // As large as it can be: what was apart is together.
    QVERIFY2(page.canvas().zoom() > 0.6, qPrintable(QString::number(page.canvas().zoom())));
  }

  // On an empty canvas as on any other a box is where the hand let it go.
  void theFirstBoxStaysWhereItIsDropped() {
    Page page{QString()};
    page.document.load(airTraffic());
    page.settle();
    page.document.reset();
    page.settle();
    QVERIFY(page.scene().nodes().isEmpty());
    QWidget* target = page.canvas().viewport();
    QMimeData component;
    component.setData(CanvasView::componentMimeType(), "radar\n1.4");
    const QPoint hand(220, 130);
    QDragEnterEvent enter(hand, Qt::CopyAction, &component, Qt::LeftButton, {});
    QApplication::sendEvent(target, &enter);
    QDropEvent drop(hand, Qt::CopyAction, &component, Qt::LeftButton, {});
    QApplication::sendEvent(target, &drop);
    page.settle();
    QCOMPARE(page.scene().nodes().size(), 1);
    NodeItem* node = page.scene().nodes().first();
    const auto shown = [&] { return page.canvas().mapFromScene(node->frame()).boundingRect(); };
    QVERIFY2(shown().contains(hand),
             qPrintable(QStringLiteral("%1, %2").arg(shown().x()).arg(shown().y())));
    // The second one moves neither itself nor the first.
    const QRect before = shown();
    const QPoint below(420, 330);
    QDragEnterEvent again(below, Qt::CopyAction, &component, Qt::LeftButton, {});
    QApplication::sendEvent(target, &again);
    QDropEvent second(below, Qt::CopyAction, &component, Qt::LeftButton, {});
    QApplication::sendEvent(target, &second);
    page.settle();
    QCOMPARE(shown(), before);
    QCOMPARE(page.scene().nodes().size(), 2);
  }

  // An empty composition is a beginning: no badge, no count, and its one finding is no error.
  void anEmptyCompositionIsCalm() {
    Page page;
    page.document.reset();
    page.settle();
    QTRY_VERIFY(!page.document.isChecking());
    QTRY_COMPARE(page.document.findings().size(), std::size_t(1));
    QCOMPARE(page.page->badge().count, 0);
    ProblemsModel* model = page.page->problems()->model();
    QTRY_COMPARE(model->rowCount(), 1);
    QCOMPARE(model->index(0, 0).data(theme::StateRole).value<theme::State>(), theme::State::Info);
    // With a federate a fault is a fault.
    page.page->addComponent(QStringLiteral("radar"));
    page.document.setParameter(QStringLiteral("radar"), QStringLiteral("range"), -1);
    QTRY_VERIFY(page.page->badge().count > 0);
  }

  // What would be undone is told without moving the buttons beside it.
  void theToolbarStandsStill() {
    Page page;
    auto* tidy = page.page->findChild<QWidget*>(QStringLiteral("composeTidyButton"));
    auto* undo = page.page->findChild<QWidget*>(QStringLiteral("composeUndoButton"));
    QVERIFY(tidy && undo);
    const QPoint before = tidy->pos();
    page.document.renameFederate(QStringLiteral("radar-west"),
                                 QStringLiteral("a-radar-with-a-very-long-name-indeed"));
    page.settle();
    QCOMPARE(tidy->pos(), before);
    QVERIFY2(undo->toolTip().contains(page.document.undoStack().undoText()),
             qPrintable(undo->toolTip()));
    QVERIFY(undo->toolTip().contains(QStringLiteral("Ctrl+Z")));
    QCOMPARE(undo->accessibleName(),
             QStringLiteral("Undo: ") + page.document.undoStack().undoText());
    page.document.undoStack().undo();
    page.settle();
    QCOMPARE(undo->toolTip(), QStringLiteral("Undo (Ctrl+Z)"));
    QCOMPARE(tidy->pos(), before);
  }

  void linesGoAroundBoxes_data() {
    QTest::addColumn<QPointF>("detector");  // which sends to log at (0, 0)
    QTest::newRow("receiver to the left") << QPointF(600, 0);
    QTest::newRow("receiver to the left and above") << QPointF(600, 300);
    QTest::newRow("receiver above") << QPointF(0, 300);
    QTest::newRow("receiver below") << QPointF(0, -300);
    QTest::newRow("receiver a little to the right") << QPointF(-170, 200);
  }
  // A line against the flow is made of level and upright pieces, and crosses no box, the two at its
  // ends included.
  void linesGoAroundBoxes() {
    QFETCH(QPointF, detector);
    Page page;
    QHash<QString, QPointF> places;
    double y = 2000;
    for (const auto& [id, federate] : page.document.composition().federates)
      places.insert(id, QPointF(3000, y += 200));
    places.insert(QStringLiteral("log"), QPointF(0, 0));
    places.insert(QStringLiteral("detector"), detector);
    places.insert(QStringLiteral("radar-east"), QPointF(300, 10));  // in between
    page.document.moveFederates(places);
    page.settle();
    EdgeItem* found = nullptr;
    for (EdgeItem* edge : page.scene().edges())
      if (edge->flow().from == QStringLiteral("detector") &&
          edge->flow().to == QStringLiteral("log"))
        found = edge;
    QVERIFY(found);
    const QPainterPath path = found->path();
    constexpr int points = 400;
    int slanted = 0;
    for (int i = 0; i <= points; ++i) {
      const QPointF at = path.pointAtPercent(static_cast<double>(i) / points);
      for (NodeItem* node : page.scene().nodes())
        QVERIFY2(!node->frame().adjusted(2, 2, -2, -2).contains(at),
                 qPrintable(QStringLiteral("%1 at %2").arg(node->name()).arg(i)));
      if (i == 0) continue;
      const QPointF by = at - path.pointAtPercent(static_cast<double>(i - 1) / points);
      slanted += std::abs(by.x()) > 0.2 && std::abs(by.y()) > 0.2 ? 1 : 0;
    }
    QVERIFY2(slanted < points / 5, qPrintable(QString::number(slanted)));
    // Out to the right, in from the left.
    QCOMPARE(path.pointAtPercent(0), page.node("detector")->outputPoint(found->flow().className));
    QVERIFY(path.pointAtPercent(0.01).x() > path.pointAtPercent(0).x());
    QVERIFY(path.pointAtPercent(0.99).x() < path.pointAtPercent(1).x());
    page.canvas().fit();
    page.canvas().setZoom(0.8);
    page.canvas().centerOn(page.node("radar-east"));
    page.shot(qPrintable(QStringLiteral("around-") +
                         QString::fromLatin1(QTest::currentDataTag()).replace(u' ', u'-')));
  }

  // A class keeps its colour whatever else is added, removed or undone.
  void classesKeepTheirColours() {
    Page page;
    const auto colours = [&] {
      QMap<QString, int> result;
      for (const ClassFlow& flow : page.document.dataFlow().flows)
        result.insert(flow.className, flow.series);
      return result;
    };
    const QMap<QString, int> before = colours();
    QVERIFY(before.size() >= 3);
    const auto values = before.values();
    QCOMPARE(QSet<int>(values.begin(), values.end()).size(), before.size());
    // Each component of the catalog, and each of the sample disabled.
    for (const auto& manifest : page.document.catalog().components()) {
      page.page->addComponent(manifest->id);
      const QMap<QString, int> now = colours();
      for (auto one = before.cbegin(); one != before.cend(); ++one)
        QCOMPARE(now.value(one.key(), -1), one.value());
    }
    for (const char* id : {"flow-north", "flow-south", "radar-east", "radar-west"}) {
      page.document.setEnabled({QString::fromLatin1(id)}, false);
      const QMap<QString, int> now = colours();
      for (auto one = now.cbegin(); one != now.cend(); ++one)
        if (before.contains(one.key())) QCOMPARE(one.value(), before.value(one.key()));
    }
    while (page.document.undoStack().canUndo()) page.document.undoStack().undo();
    QCOMPARE(colours(), before);
    // Opened again they are the same.
    QVERIFY(page.document.load(airTraffic()));
    QCOMPARE(colours(), before);
  }

  void zoomKeepsWhatIsUnderThePointer() {
    Page page;
    const QPoint anchor(300, 200);
    const QPointF under = page.canvas().mapToScene(anchor);
    page.canvas().zoomBy(1.5, anchor);
    const QPointF now = page.canvas().mapToScene(anchor);
    QVERIFY(QLineF(under, now).length() < 2);
    page.page->findChild<QAction*>(QStringLiteral("composeActualSize"))->trigger();
    QCOMPARE(page.page->findChild<QLabel*>(QStringLiteral("zoomText"))->text(),
             QStringLiteral(u"100\u202F%"));
    page.canvas().setZoom(0.5);
    page.settle();
    page.shot("half");
    page.canvas().setZoom(0.2);
    page.shot("far");
    page.page->findChild<QAction*>(QStringLiteral("composeFit"))->trigger();
    QVERIFY(page.canvas().viewport()->rect().contains(
        page.canvas().mapFromScene(page.scene().contentRect()).boundingRect()));
  }

  void copyAndPasteOnTheCanvas() {
    Page page;
    page.click("detector");
    page.page->findChild<QAction*>(QStringLiteral("composeCopy"))->trigger();
    page.page->findChild<QAction*>(QStringLiteral("composePaste"))->trigger();
    page.settle();
    QCOMPARE(page.scene().nodes().size(), 7);
    QCOMPARE(page.document.federate(page.page->selection().single())->component,
             QStringLiteral("conflict-detector"));
  }

  void everythingIsFoundByItsName() {
    Page page;
    QList<theme::FindEntry> entries;
    page.page->provideFinds(entries);
    QStringList titles;
    for (const theme::FindEntry& entry : entries) titles << entry.title;
    QVERIFY(titles.contains(QStringLiteral("radar-west")));
    QVERIFY(titles.contains(QStringLiteral("Flight")));
    QVERIFY(titles.contains(QStringLiteral("Add ping")));
    for (const theme::FindEntry& entry : entries)
      if (entry.title == QStringLiteral("radar-west")) entry.activate();
    QCOMPARE(page.page->selection().single(), QStringLiteral("radar-west"));
  }

  // 300 federates: every box is there, edges are n + m, and moving one is still one small step.
  void threeHundredFederates() {
    Page page{QString()};
    page.document.edit(QStringLiteral("fill"), [](Composition& composition) {
      for (int i = 0; i < 300; ++i) {
        Federate federate;
        federate.id = QStringLiteral("f%1").arg(i);
        federate.name = QStringLiteral("vehicle-%1").arg(i);
        federate.component = i % 3 == 0 ? QStringLiteral("aircraft-flow") : QStringLiteral("radar");
        federate.position = QPointF((i / 20) * 260, (i % 20) * 100);
        composition.federates.emplace(federate.id, federate);
      }
    });
    page.settle();
    QCOMPARE(page.scene().nodes().size(), 300);
    const ClassFlow* flight =
        page.document.dataFlow().find(QStringLiteral("HLAobjectRoot.Flight"), true);
    QVERIFY(flight && flight->hub);
    QCOMPARE(page.scene().edges().size(), 300);  // 100 publishers and 200 subscribers, no product
    page.canvas().fit();
    page.shot("300");
    page.drag(page.canvas().mapFromScene(page.node("f7")->frame().center()), QPoint(30, 0));
    page.settle();
    QCOMPARE(page.document.undoStack().undoText(), QStringLiteral("move vehicle-7"));
  }
};

QTEST_MAIN(ComposeTest)
#include "tst_compose.moc"
