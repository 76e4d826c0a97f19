// SPDX-License-Identifier: GPL-3.0-or-later
// How long the Object model page and what it works with take for large models. What it finds is
// printed, not judged: scripts/object-model-times shows it, docs/performance.md has the figures.
// Without that script it is short and works on a small model, so that it does not rust.
#include <fcntl.h>
#include <libxml/parser.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <QAbstractItemView>
#include <QAction>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <QTreeView>
#include <QWheelEvent>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "app/console.h"
#include "app/main_window.h"
#include "fom-editor/model/checks/checks.h"
#include "fom-editor/model/loaded_model.h"
#include "fom-editor/model/model_comparer.h"
#include "fom-editor/model/module_edits.h"
#include "fom-editor/model/module_merge.h"
#include "fom-editor/ui/module_editing.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "fom-editor/ui/source_view.h"
#include "resources/theme/widgets.h"
#include "tests/app/event_loop_probe.h"
#include "tests/app/test_home.h"

using namespace tutti;
using namespace tutti::fomedit;
using Gap = test::EventLoopProbe::Gap;

namespace {

/// How long a disk takes for what has to be on it: that of this test may be slow.
std::atomic<int> diskMilliseconds = 0;
std::atomic<int> syncs = 0;

int waitForDisk(int descriptor, long call) {
  ++syncs;
  if (const int milliseconds = diskMilliseconds; milliseconds > 0) ::usleep(milliseconds * 1000);
  return static_cast<int>(::syscall(call, descriptor));
}

}  // namespace

// In the place of the C library's, also for Qt.
extern "C" int fsync(int descriptor) { return waitForDisk(descriptor, SYS_fsync); }
extern "C" int fdatasync(int descriptor) { return waitForDisk(descriptor, SYS_fdatasync); }

namespace {

constexpr int kLong = 120000;

double cpuMilliseconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// User time of the whole process.
double userMilliseconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) * 1e3 +
         static_cast<double>(usage.ru_utime.tv_usec) / 1e3;
}

/// Milliseconds by the clock, and of a processor.
struct Times {
  std::vector<double> wall;
  std::vector<double> cpu;

  static double percentile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1,
                           static_cast<std::size_t>(share * static_cast<double>(values.size())))];
  }
};

Times measured(int rounds, const std::function<bool()>& work) {
  Times times;
  for (int i = 0; i < rounds; ++i) {
    QElapsedTimer clock;
    const double user = userMilliseconds();
    clock.start();
    if (!work()) return {};
    times.wall.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
    times.cpu.push_back(userMilliseconds() - user);
  }
  return times;
}

/// A module of IEEE 1516-2010 of about that many bytes: classes with attributes four levels deep,
/// interactions, enumerations and records. Every fiftieth attribute has a datatype that no module
/// defines, and every twentieth class no semantics, so that there are findings.
QByteArray largeModule(int bytes) {
  // Of the parts, about 4700 bytes a round.
  const int rounds = std::max(4, bytes / 4700);
  QByteArray objects, interactions, enumerations, records;
  const auto cell = [](const char* name, const QByteArray& value) {
    return QByteArray("<") + name + ">" + value + "</" + name + ">\n";
  };
  const QByteArray words =
      "What this part of the model means to a federate that reads it, in which unit, and when it "
      "is given anew: as soon as it differs from what was given before by more than the limit.";
  const auto numbered = [](const char* name, int i) { return name + QByteArray::number(i); };
  int attributes = 0;
  for (int i = 0; i < rounds; ++i) {
    QByteArray members;
    for (int a = 0; a < 6; ++a) {
      const bool isLost = ++attributes % 50 == 0;
      members += "<attribute>\n" + cell("name", numbered("Attribute", 6 * (i % 4) + a)) +
                 cell("dataType", isLost       ? numbered("Missing", i)
                                  : a % 2 == 0 ? numbered("Enumeration", i)
                                               : numbered("Record", i)) +
                 cell("updateType", "Conditional") + cell("updateCondition", "On change") +
                 cell("ownership", "DivestAcquire") + cell("sharing", "PublishSubscribe") +
                 cell("transportation", "HLAbestEffort") + cell("order", "Receive") +
                 cell("semantics", words.left(90 + 7 * a)) + "</attribute>\n";
    }
    objects += "<objectClass>\n" + cell("name", numbered("Vehicle", i)) +
               cell("sharing", "PublishSubscribe") +
               (i % 20 == 0 ? QByteArray() : cell("semantics", words)) + members;
    // Four levels: the next ones are subclasses until the fourth.
    if (i % 4 == 3 || i == rounds - 1) {
      for (int open = i % 4; open >= 0; --open) objects += "</objectClass>\n";
    }
    QByteArray parameters;
    for (int p = 0; p < 2; ++p) {
      parameters += "<parameter>\n" + cell("name", numbered("Parameter", p)) +
                    cell("dataType", numbered("Record", i)) + cell("semantics", words.left(60)) +
                    "</parameter>\n";
    }
    if (i % 2 == 0) {
      interactions += "<interactionClass>\n" + cell("name", numbered("Order", i)) +
                      cell("sharing", "PublishSubscribe") + cell("transportation", "HLAreliable") +
                      cell("order", "Receive") + cell("semantics", words) + parameters +
                      "</interactionClass>\n";
    }
    enumerations += "<enumeratedData>\n" + cell("name", numbered("Enumeration", i)) +
                    cell("representation", "HLAinteger32BE") + cell("semantics", words.left(50));
    for (int e = 0; e < 8; ++e) {
      enumerations += "<enumerator>\n" + cell("name", numbered("Value", e)) +
                      cell("value", QByteArray::number(e)) + "</enumerator>\n";
    }
    enumerations += "</enumeratedData>\n";
    records += "<fixedRecordData>\n" + cell("name", numbered("Record", i)) +
               cell("encoding", "HLAfixedRecord") + cell("semantics", words.left(40));
    for (int f = 0; f < 3; ++f) {
      records += "<field>\n" + cell("name", numbered("Field", f)) +
                 cell("dataType", f == 0 ? numbered("Enumeration", i) : "HLAfloat64BE") +
                 cell("semantics", words.left(30)) + "</field>\n";
    }
    records += "</fixedRecordData>\n";
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\">\n"
         "<modelIdentification>\n<name>Large</name><type>FOM</type><version>1</version>"
         "<modificationDate>2026-01-01</modificationDate>"
         "<securityClassification>Unclassified</securityClassification>"
         "<description>A large object model</description></modelIdentification>\n"
         "<objects>\n<objectClass>\n<name>HLAobjectRoot</name>\n" +
         objects + "</objectClass>\n</objects>\n<interactions>\n<interactionClass>\n" +
         "<name>HLAinteractionRoot</name>\n" + interactions +
         "</interactionClass>\n</interactions>\n<dataTypes>\n<enumeratedDataTypes>\n" +
         enumerations + "</enumeratedDataTypes>\n<fixedRecordDataTypes>\n" + records +
         "</fixedRecordDataTypes>\n</dataTypes>\n</objectModel>\n";
}

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Classes below the root, from the first or the last.
ElementId classOf(const ModuleSource& source, bool last) {
  const ElementId root = findClass(source, true, "HLAobjectRoot");
  ElementId found = noElement;
  for (const ElementId id : source.children(root)) {
    if (source.nameOf(id) != "objectClass" || (found != noElement && !last)) continue;
    found = id;
  }
  return found;
}

/// The module with other semantics of its first class below the root, `round` of them.
tl::expected<ModuleSource, omt::Error> edited(const QByteArray& bytes, int round) {
  auto source = ModuleSource::parse(bytes.toStdString(), "module");
  if (!source) return source;
  const auto done = source->apply(setCell(*source, classOf(*source, false), "semantics",
                                          "Edited " + std::to_string(round) + " times."));
  return done ? std::move(source) : tl::unexpected(done.error());
}

}  // namespace

class ObjectModelTimes : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(home_.prepare());
    const bool isFull = qEnvironmentVariableIsSet("TUTTI_MODEL_TIMES");
    rounds_ = isFull ? std::max(1, qEnvironmentVariableIntValue("TUTTI_MODEL_TIMES")) : 2;
    frames_ = isFull ? 60 : 8;
    large_ = home_.path(QStringLiteral("large.xml"));
    write(large_, largeModule(isFull ? 3 << 20 : 100 << 10));
    merged_ = qEnvironmentVariable("TUTTI_MODEL_FILE", large_);
    other_ = qEnvironmentVariable("TUTTI_MODEL_OTHER");
    if (other_.isEmpty()) {
      const auto changed = edited(contentOf(merged_), 1);
      QVERIFY(changed.has_value());
      other_ = home_.path(QStringLiteral("other.xml"));
      write(other_, QByteArray::fromStdString(changed->bytes()));
    }
  }

  /// What the page does in its workers, without a window.
  void readCheckCompareMerge() {
    std::printf(
        "| what | of | median ms | p95 ms | user CPU ms | times libxml2's parse |\n"
        "| --- | --- | ---: | ---: | ---: | ---: |\n");
    for (const QString& path : {merged_, large_}) {
      const QByteArray bytes = contentOf(path);
      const Times parse = measured(rounds_ * 3, [&] {
        xmlDoc* document = xmlReadMemory(bytes.constData(), static_cast<int>(bytes.size()), nullptr,
                                         nullptr, XML_PARSE_NONET);
        xmlFreeDoc(document);
        return document != nullptr;
      });
      const double yardstick = Times::percentile(parse.wall, 0.5);
      const auto row = [&](const char* what, const Times& times) {
        QVERIFY2(!times.wall.empty(), what);
        printRow(what, path, times, yardstick);
      };
      row("libxml2 parses it", parse);
      row("read, merge and check it", measured(rounds_, [&] {
            LoadedModel model = loadModel({path}, {});
            check(model, {});
            return !model.modules.isEmpty() && model.modules.last().merged;
          }));
      int edits = 0;
      row("the same after an edit", measured(rounds_ * 3, [&] {
            const auto now = edited(bytes, ++edits);
            if (!now) return false;
            const ModuleTexts texts{{path, std::make_shared<const std::string>(now->bytes())}};
            LoadedModel model = loadModel({path}, texts);
            check(model, texts);
            return model.modules.last().merged;
          }));
      const auto base = ModuleSource::parse(bytes.toStdString(), "base");
      const auto ours = edited(bytes, 1);
      QVERIFY(base && ours);
      auto theirs = *base;
      const ElementId last = classOf(theirs, true);
      QVERIFY(theirs.apply(setCell(theirs, last, "semantics", "Of theirs.")));
      row("merge three versions", measured(rounds_, [&] {
            const auto done = mergeModules(*base, *ours, theirs);
            return done && done->conflicts.empty() && done->taken == 1;
          }));
      const QString version = path == merged_ ? other_ : merged_;
      row(path == merged_ ? "compare it with another version" : "compare it with another model",
          measured(rounds_, [&] {
            ComparisonRequest request;
            request.before = {path};
            request.after = {version};
            return compareModels(request).fault.isEmpty();
          }));
    }
    std::fflush(stdout);
  }

  /// Times of frames: from a key or a turn of the wheel until all it changes is painted.
  void frames() {
    app::Console console({home_.settings(), false});
    ObjectModelWorkspace& page = shown(console);
    QVERIFY(open(page, large_));
    std::printf(
        "| view | action | frames | median ms | p95 ms | longest ms | own p95 ms | over 33 ms "
        "|\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    auto* outline = page.findChild<QTreeView*>(QStringLiteral("outlineTree"));
    auto* table = page.findChild<QTreeView*>(QStringLiteral("itemTable"));
    auto* findings = page.findChild<QTreeView*>(QStringLiteral("findingList"));
    auto* search = page.findChild<QLineEdit*>(QStringLiteral("outlineSearch"));
    auto* source = page.findChild<SourceView*>(QStringLiteral("itemSource"));
    auto* views = page.findChild<theme::SegmentedControl*>(QStringLiteral("itemViews"));
    QVERIFY(outline && table && findings && search && source && views);
    page.showItem(QStringLiteral("Vehicle0"));
    const auto keys = [&](const char* view, QWidget* widget, const char* action, int key) {
      widget->setFocus();
      repeat(view, action, frames_,
             [=](int) { QTest::keyClick(widget, static_cast<Qt::Key>(key)); });
    };
    const auto wheel = [&](const char* view, QAbstractScrollArea* area) {
      repeat(view, "turn the wheel", frames_,
             [=, this](int i) { turnWheel(area, i < frames_ / 2 ? -1 : 1); });
    };
    keys("Classes", outline, "choose the next class", Qt::Key_Down);
    keys("Classes", outline, "expand or go in", Qt::Key_Right);
    keys("Classes", outline, "a page down", Qt::Key_PageDown);
    wheel("Classes", outline);
    search->setFocus();
    const QString words = QStringLiteral("Vehicle12 Attribute3 Record");
    repeat("Classes", "type in the filter", 20,
           [&](int i) { QTest::keyClick(search, words.at(i % words.size()).toLatin1()); });
    repeat("Classes", "delete in the filter", 20,
           [&](int) { QTest::keyClick(search, Qt::Key_Backspace); });
    search->clear();
    page.showItem(QStringLiteral("Vehicle3"));
    QCoreApplication::processEvents();
    keys("Attributes", table, "choose the next row", Qt::Key_Down);
    wheel("Attributes", table);
    page.showItem(QStringLiteral("Vehicle3"));
    table->setFocus();
    const QModelIndex semantics = lastCellOf(*table);
    QVERIFY(semantics.isValid());
    repeat("Attributes", "open a cell", 5, [&](int) {
      table->edit(semantics);
      // The next one opens anew.
      if (QWidget* editor = QApplication::focusWidget(); editor != table)
        QTest::keyClick(editor, Qt::Key_Escape);
    });
    table->edit(semantics);
    QWidget* editor = QApplication::focusWidget();
    QVERIFY(editor != nullptr && editor != table);
    repeat("Attributes", "type in a cell", 20,
           [&](int i) { QTest::keyClick(editor, static_cast<char>('a' + i)); });
    QTest::keyClick(editor, Qt::Key_Escape);
    keys("Checks", findings, "choose the next finding", Qt::Key_Down);
    wheel("Checks", findings);
    repeat("Used by", "show it, and the attributes again", 10,
           [&](int i) { views->setCurrentIndex(i % 2 == 0 ? 1 : 0); });
    repeat("Source", "show it, and the attributes again", 10,
           [&](int i) { views->setCurrentIndex(i % 2 == 0 ? 2 : 0); });
    views->setCurrentIndex(2);
    QCoreApplication::processEvents();
    keys("Source", source, "a page down", Qt::Key_PageDown);
    wheel("Source", source);
    views->setCurrentIndex(0);
    repeat("Datatype", "show another datatype", 20,
           [&](int i) { page.showItem(QStringLiteral("datatype:Record%1").arg(i)); });
    page.showItem(QStringLiteral("Vehicle3"));
    OpenModules& modules = page.editing().modules();
    repeat("All", "make an edit", 5, [&](int i) { QVERIFY(edit(modules, i)); });
    repeat("All", "undo it", 5, [&](int) { modules.undo(); });
    QVERIFY(until([&] { return !page.isLoading(); }));
    QSignalSpy compared(&page, &ObjectModelWorkspace::comparisonShown);
    page.compareWith({merged_ == large_ ? other_ : merged_});
    QVERIFY(until([&] { return !compared.isEmpty(); }));
    auto* tree = page.findChild<QTreeView*>(QStringLiteral("comparisonTree"));
    auto* find = page.findChild<QLineEdit*>(QStringLiteral("comparisonSearch"));
    QVERIFY(tree && find);
    keys("Comparison", tree, "choose the next row", Qt::Key_Down);
    keys("Comparison", tree, "a page down", Qt::Key_PageDown);
    wheel("Comparison", tree);
    find->setFocus();
    repeat("Comparison", "type in the filter", 10,
           [&](int i) { QTest::keyClick(find, words.at(i % words.size()).toLatin1()); });
    std::fflush(stdout);
    QVERIFY(painted_ > 100);
  }

  /// How long the window stays away while a worker reads, checks and saves, and how long those
  /// take.
  void gaps() {
    app::Console console({home_.settings(), false});
    ObjectModelWorkspace& page = shown(console);
    OpenModules& modules = page.editing().modules();
    test::EventLoopProbe probe(qEnvironmentVariable("TUTTI_GAPS_TRACE").toDouble());
    std::vector<double> took{0};
    const auto phase = [&](const char* name, const std::function<bool()>& work) {
      probe.begin(name);
      QElapsedTimer clock;
      clock.start();
      const bool done = work();
      took.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
      probe.begin("start");
      took.push_back(0);
      goOn(300);
      return done;
    };
    const auto openAndEdit = [&](const QString& path, const char* opening, const char* editing) {
      if (!phase(opening, [&] { return open(page, path); })) return false;
      for (int i = 0; i < 5; ++i) {
        const bool done = phase(editing, [&] {
          QSignalSpy read(&page, &ObjectModelWorkspace::modelShown);
          return edit(modules, i) && until([&] { return !read.isEmpty() && !page.isLoading(); });
        });
        if (!done) return false;
      }
      return true;
    };
    QVERIFY(openAndEdit(merged_, "open the merged model", "edit it and check it again"));
    modules.discard(modules.modified());
    QVERIFY(until([&] { return !page.isLoading(); }));
    QVERIFY(openAndEdit(large_, "open the large model", "edit the large one, check it again"));
    const auto save = [&] {
      if (!page.hasUnsavedEdits()) return false;
      page.saveEdits();
      return until([&] { return !page.hasUnsavedEdits(); });
    };
    QVERIFY(phase("save it", save));
    QVERIFY(edit(modules, 1000));
    QVERIFY(until([&] { return !page.isLoading(); }));
    diskMilliseconds = 1000;
    const int before = syncs;
    const bool saved = phase("save it on a disk that takes a second", save);
    diskMilliseconds = 0;
    QVERIFY(saved);
    QVERIFY2(syncs > before, "the disk was not asked to be slow");
    std::printf(
        "| while | took ms | asked | p99 ms | longest ms | of it its own | over 16 / 50 / 100 ms "
        "|\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    const auto reports = probe.reports();
    QCOMPARE(reports.size(), took.size());
    for (std::size_t i = 0; i < reports.size(); ++i) {
      const auto& report = reports[i];
      if (report.phase == "start") continue;
      std::printf("| %s | %.0f | %zu | %.1f | %.0f | %.0f | %d / %d / %d |\n", report.phase.c_str(),
                  took[i], report.gaps.size(), report.percentile(0.99, &Gap::all),
                  report.largest(&Gap::all), report.largest(&Gap::own), report.over(16, &Gap::own),
                  report.over(50, &Gap::own), report.over(100, &Gap::own));
    }
    std::fflush(stdout);
  }

 private:
  static void write(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    QVERIFY2(file.open(QIODevice::WriteOnly), qPrintable(file.errorString()));
    QCOMPARE(file.write(bytes), bytes.size());
  }

  static void check(LoadedModel& model, const ModuleTexts& texts) {
    checkModules(model, [&](const QString& path) -> std::optional<std::string> {
      if (const ModuleBytes edited = texts.value(path)) return *edited;
      return moduleBytes(path);
    });
  }

  static void printRow(const char* what, const QString& path, const Times& times,
                       double yardstick) {
    const double median = Times::percentile(times.wall, 0.5);
    std::printf("| %s | %.2f MB | %.1f | %.1f | %.1f | %.1f |\n", what,
                static_cast<double>(QFileInfo(path).size()) / 1e6, median,
                Times::percentile(times.wall, 0.95), Times::percentile(times.cpu, 0.5),
                median / yardstick);
  }

  /// The page in the whole window, on a screen of the usual size.
  static ObjectModelWorkspace& shown(app::Console& console) {
    app::MainWindow& window = console.window();
    window.setWindowState(Qt::WindowNoState);
    window.resize(1920, 1080);
    window.show();
    if (!QTest::qWaitForWindowActive(&window)) qFatal("the window does not come");
    if (!window.showPage(QStringLiteral("object-model"))) qFatal("there is no such page");
    goOn(500);
    return console.objectModel();
  }

  static bool open(ObjectModelWorkspace& page, const QString& path) {
    QSignalSpy shown(&page, &ObjectModelWorkspace::modelShown);
    page.openModules({path});
    return until([&] { return !shown.isEmpty() && !page.isLoading(); }) &&
           !page.loadedModel().modules.isEmpty() && page.loadedModel().modules.last().merged;
  }

  static bool edit(OpenModules& modules, int round) {
    const ModuleSource* source = modules.source(0);
    if (source == nullptr) return false;
    return modules
        .apply({"describe a class",
                {{0, setCell(*source, classOf(*source, false), "semantics",
                             "Edited " + std::to_string(round) + " times.")}},
                {}})
        .has_value();
  }

  static QModelIndex lastCellOf(const QTreeView& table) {
    const QAbstractItemModel& model = *table.model();
    for (int row = model.rowCount() - 1; row >= 0; --row) {
      for (int column = model.columnCount() - 1; column > 0; --column) {
        const QModelIndex cell = model.index(row, column);
        if ((cell.flags() & Qt::ItemIsEditable) != 0) return cell;
      }
    }
    return {};
  }

  static void turnWheel(QAbstractScrollArea* area, int direction) {
    const QPointF at = area->viewport()->rect().center();
    QWheelEvent event(at, area->viewport()->mapToGlobal(at), {}, QPoint(0, 120 * direction),
                      Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(area->viewport(), &event);
  }

  /// Counts what is painted.
  struct Painting : QObject {
    int count = 0;
    bool eventFilter(QObject*, QEvent* event) override {
      count += event->type() == QEvent::Paint ? 1 : 0;
      return false;
    }
  };

  void repeat(const char* view, const char* action, int times,
              const std::function<void(int)>& act) {
    for (int i = 0; i < 3; ++i) goOn(30);
    Painting painting;
    qApp->installEventFilter(&painting);
    Times frames;
    for (int i = 0; i < times; ++i) {
      painting.count = 0;
      QElapsedTimer clock;
      const double cpu = cpuMilliseconds(CLOCK_THREAD_CPUTIME_ID);
      clock.start();
      act(i);
      // What is at the end of its range paints nothing, and what is painted later has another
      // cause.
      const qint64 acted = clock.elapsed();
      while (painting.count == 0 && clock.elapsed() < acted + 10) QCoreApplication::processEvents();
      QCoreApplication::processEvents();
      if (painting.count == 0) continue;
      frames.wall.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
      frames.cpu.push_back(cpuMilliseconds(CLOCK_THREAD_CPUTIME_ID) - cpu);
    }
    qApp->removeEventFilter(&painting);
    painted_ += static_cast<int>(frames.wall.size());
    std::printf("| %s | %s | %zu | %.1f | %.1f | %.1f | %.1f | %d |\n", view, action,
                frames.wall.size(), Times::percentile(frames.wall, 0.5),
                Times::percentile(frames.wall, 0.95), Times::percentile(frames.wall, 1),
                Times::percentile(frames.cpu, 0.95),
                static_cast<int>(std::count_if(frames.wall.begin(), frames.wall.end(),
                                               [](double each) { return each > 33; })));
  }

  /// Waits as the program itself does, in the event loop: QTest::qWait() sleeps 10 ms in between.
  static bool until(const std::function<bool()>& done, int limitMilliseconds = kLong) {
    QEventLoop loop;
    QTimer limit, look;
    limit.setSingleShot(true);
    QObject::connect(&limit, &QTimer::timeout, &loop, &QEventLoop::quit);
    QObject::connect(&look, &QTimer::timeout, &loop, [&] {
      if (done()) loop.quit();
    });
    limit.start(limitMilliseconds);
    look.start(2);
    loop.exec();
    return done();
  }
  static void goOn(int milliseconds) {
    until([] { return false; }, milliseconds);
  }

  test::TestHome home_;
  QString large_, merged_, other_;
  int rounds_ = 2;
  int frames_ = 8;
  int painted_ = 0;
};

QTEST_MAIN(ObjectModelTimes)
#include "tst_object_model_times.moc"
