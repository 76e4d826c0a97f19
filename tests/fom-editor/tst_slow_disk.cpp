// SPDX-License-Identifier: GPL-3.0-or-later
// What the Object model page does while a disk takes its time, and when it fails then: fsync() and
// fdatasync() of this program end when a test wants them to.
#include <sys/syscall.h>
#include <unistd.h>

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMainWindow>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "fom-editor/model/module_edits.h"
#include "fom-editor/ui/extract_dialog.h"
#include "fom-editor/ui/join_dialog.h"
#include "fom-editor/ui/module_editing.h"
#include "fom-editor/ui/object_model_workspace.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"
#include "test_models.h"

using namespace tutti;
using namespace tutti::fomedit;

namespace {

constexpr int kLong = 30000;

/// What fsync() does; all of it guarded by `mutex`.
struct Disk {
  std::mutex mutex;
  std::condition_variable changed;
  bool isHeld = false;
  int waiting = 0;      ///< calls that are held
  int onGuiThread = 0;  ///< calls that would have kept the window waiting
  int error = 0;        ///< of the next calls; 0: they succeed
  std::string only;     ///< calls for files whose path has it; empty: for all

  void hold(const char* onlyThese = "") {
    const std::lock_guard lock(mutex);
    isHeld = true;
    only = onlyThese;
  }
  void release(int withError = 0) {
    const std::lock_guard lock(mutex);
    isHeld = false;
    only.clear();
    error = withError;
    changed.notify_all();
  }
  void reset() {
    const std::lock_guard lock(mutex);
    onGuiThread = 0;
  }
  bool isAsked() {
    const std::lock_guard lock(mutex);
    return waiting > 0;
  }
  int count(int Disk::*what) {
    const std::lock_guard lock(mutex);
    return this->*what;
  }
};
Disk disk;

std::string pathOf(int descriptor) {
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  return {path.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

int waitForDisk(int descriptor, long call) {
  const std::string path = pathOf(descriptor);
  std::unique_lock lock(disk.mutex);
  if (path.find(disk.only) == std::string::npos)
    return static_cast<int>(::syscall(call, descriptor));
  if (::gettid() == ::getpid()) ++disk.onGuiThread;
  ++disk.waiting;
  // The window's own thread would wait for itself.
  if (::gettid() != ::getpid())
    disk.changed.wait_for(lock, std::chrono::milliseconds(kLong), [] { return !disk.isHeld; });
  --disk.waiting;
  if (disk.error != 0) {
    errno = disk.error;
    return -1;
  }
  return static_cast<int>(::syscall(call, descriptor));
}

}  // namespace

// In the place of the C library's, also for Qt.
extern "C" int fsync(int descriptor) { return waitForDisk(descriptor, SYS_fsync); }
extern "C" int fdatasync(int descriptor) { return waitForDisk(descriptor, SYS_fdatasync); }

namespace {

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
}

void putThere(const QString& path, const QByteArray& bytes) {
  QFile file(path);
  QVERIFY2(file.open(QIODevice::WriteOnly), qPrintable(file.errorString()));
  QCOMPARE(file.write(bytes), bytes.size());
}

struct Window {
  Window() {
    page = new ObjectModelWorkspace(&frame);
    page->editing().watch().setInterval(50);
    page->editing().autosave().setDelay(10 * kLong);
    frame.setCentralWidget(page);
    frame.resize(1368, 804);
    frame.show();
    QObject::connect(page, &theme::Workspace::failed, page,
                     [this](const QString& title, const QString& detail) {
                       failures << title + QStringLiteral(": ") + detail;
                     });
  }
  bool load(const QStringList& paths) {
    QSignalSpy spy(page, &ObjectModelWorkspace::modelShown);
    page->setModules(paths);
    return spy.wait(kLong);
  }
  OpenModules& modules() { return page->editing().modules(); }
  bool describe(const char* value) {
    const ModuleSource& source = *modules().source(2);
    const ElementId id = findClass(source, true, "HLAobjectRoot.WeatherCell");
    return modules().apply({value, {{2, setCell(source, id, "semantics", value)}}, {}}).has_value();
  }
  bool describeTrack(int module, const char* value) {
    const ModuleSource& source = *modules().source(module);
    const ElementId id = findClass(source, true, "HLAobjectRoot.Track");
    return modules()
        .apply({value, {{module, setCell(source, id, "semantics", value)}}, {}})
        .has_value();
  }
  QString saveText() const {
    return page->findChild<QPushButton*>(QStringLiteral("saveButton"))->text();
  }

  QMainWindow frame;
  ObjectModelWorkspace* page = nullptr;
  QStringList failures;
};

/// Does something as soon as a box is open, and keeps what the box says.
class WhileAsked : public QObject {
 public:
  WhileAsked(const char* box, std::function<void(QMessageBox&)> act) : act_(std::move(act)) {
    connect(&timer_, &QTimer::timeout, this, [this, name = QString::fromLatin1(box)] {
      auto* open = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      if (open == nullptr || open->objectName() != name || !act_) return;
      text = open->text() + u' ' + open->informativeText();
      std::exchange(act_, nullptr)(*open);
    });
    timer_.start(20);
  }
  QString text;

 private:
  QTimer timer_;
  std::function<void(QMessageBox&)> act_;
};

void press(QMessageBox& box, const char* button) {
  for (QAbstractButton* each : box.buttons()) {
    if (each->objectName() == QLatin1String(button)) return each->click();
  }
  qWarning("no button %s", button);
}

}  // namespace

class TestSlowDisk : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    theme_.apply(theme::Appearance::Light);
    folder_ = std::make_unique<QTemporaryDir>();
    qputenv("XDG_DATA_HOME", folder_->filePath("data").toUtf8());
    QVERIFY(QDir(folder_->path()).mkpath("models"));
    for (const char* name : {"AirTraffic-Base.xml", "AirTraffic-Radar.xml", "Weather.xml"}) {
      const QString path = folder_->filePath("models/") + name;
      QVERIFY(QFile::copy(testmodels::data(name), path));
      QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner));
      paths_ << path;
    }
    before_ = contentOf(paths_[2]);
    disk.release();
    // QFile::copy() asked the disk.
    disk.reset();
  }
  void cleanup() {
    disk.release();
    paths_.clear();
    folder_.reset();
  }

  void aModuleIsEditedWhileItIsSaved() {
    Window window;
    QVERIFY(window.load(paths_));
    QVERIFY(window.describe("first"));
    disk.hold();
    QVERIFY(window.page->saveEdits());
    QTRY_VERIFY_WITH_TIMEOUT(disk.isAsked(), kLong);
    QCOMPARE(window.saveText(), QString("Saving Weather.xml…"));
    QVERIFY(window.page->hasUnsavedEdits());
    QCOMPARE(contentOf(paths_[2]), before_);
    QVERIFY(window.describe("second"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.page->isLoading(), kLong);
    QVERIFY(window.page->saveEdits());
    QVERIFY(window.describe("third"));
    disk.release();
    // Both that were asked for, in that order, and what came behind is unsaved.
    QTRY_VERIFY_WITH_TIMEOUT(!window.page->editing().isSaving(), kLong);
    // The second one takes what the module has when the first is written.
    QVERIFY(contentOf(paths_[2]).contains("<semantics>third</semantics>"));
    QVERIFY(!window.page->hasUnsavedEdits());
    QVERIFY(window.describe("fourth"));
    QVERIFY(window.page->hasUnsavedEdits());
    QCOMPARE(window.modules().edits(2), 1);
    QCOMPARE(window.saveText(), QString("Save Weather.xml"));
    QVERIFY(window.failures.isEmpty());
    QVERIFY(window.page->notices().isEmpty());
    QCOMPARE(disk.count(&Disk::onGuiThread), 0);
  }

  void whatIsEditedWhileItIsSavedStaysUnsaved() {
    Window window;
    QVERIFY(window.load(paths_));
    QVERIFY(window.describe("first"));
    disk.hold();
    QVERIFY(window.page->saveEdits());
    QTRY_VERIFY_WITH_TIMEOUT(disk.isAsked(), kLong);
    QVERIFY(window.describe("second"));
    QVERIFY(window.describe("third"));
    disk.release();
    QTRY_VERIFY_WITH_TIMEOUT(!window.page->editing().isSaving(), kLong);
    QVERIFY(contentOf(paths_[2]).contains("<semantics>first</semantics>"));
    QVERIFY(window.page->hasUnsavedEdits());
    QCOMPARE(window.modules().edits(2), 2);
    // The file that this page wrote is no change by another program, however often it is looked at.
    QSignalSpy seen(&window.page->editing().watch(), &ModuleWatch::seen);
    QTRY_VERIFY_WITH_TIMEOUT(!seen.isEmpty(), kLong);
    QVERIFY(window.page->notices().isEmpty());
    window.modules().undo();
    window.modules().undo();
    QVERIFY(!window.page->hasUnsavedEdits());
  }

  void closingWaitsForTheDisk() {
    Window window;
    QVERIFY(window.load(paths_));
    QVERIFY(window.describe("mine"));
    disk.hold();
    QVERIFY(window.page->saveEdits());
    {
      WhileAsked stay("savingModules", [&](QMessageBox& box) {
        screenshot(box);
        press(box, "modulesDoNotWait");
      });
      QVERIFY(!window.page->mayDiscardEdits());
      QVERIFY2(stay.text.startsWith("Saving Weather.xml."), qPrintable(stay.text));
      QVERIFY2(stay.text.contains("Closing continues"), qPrintable(stay.text));
    }
    // Saving went on, and when the disk has it closing does, without a question.
    QVERIFY(window.page->editing().isSaving());
    WhileAsked waits("savingModules", [](QMessageBox&) { disk.release(); });
    QVERIFY(window.page->mayDiscardEdits());
    QVERIFY(!waits.text.isEmpty());
    QVERIFY(contentOf(paths_[2]).contains("<semantics>mine</semantics>"));

    // The same of what is saved because the window is closed.
    QVERIFY(window.describe("again"));
    disk.hold();
    WhileAsked save("discardModules", [](QMessageBox& box) { press(box, "modulesSave"); });
    WhileAsked end("savingModules", [](QMessageBox&) { disk.release(); });
    QVERIFY(window.page->mayDiscardEdits());
    QVERIFY(!save.text.isEmpty());
    QVERIFY(!end.text.isEmpty());
    QVERIFY(contentOf(paths_[2]).contains("<semantics>again</semantics>"));
    QCOMPARE(disk.count(&Disk::onGuiThread), 0);
  }

  /// A page that goes without being asked leaves a whole file, and nothing beside it.
  void aPageThatGoesLeavesAWholeFile() {
    {
      Window window;
      QVERIFY(window.load(paths_));
      QVERIFY(window.describe("mine"));
      disk.hold();
      QVERIFY(window.page->saveEdits());
      QTRY_VERIFY_WITH_TIMEOUT(disk.isAsked(), kLong);
      std::thread([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        disk.release();
      }).detach();
    }
    // On a slow machine the page is gone before.
    QTRY_VERIFY_WITH_TIMEOUT(contentOf(paths_[2]).contains("<semantics>mine</semantics>"), kLong);
    QTRY_COMPARE_WITH_TIMEOUT(fileCount(), 3, kLong);
  }

  /// A module on a disk that does not answer is the only one that waits for it.
  void aDiskThatDoesNotAnswerHoldsNoOtherModule() {
    moveToAnotherDisk();
    Window window;
    QVERIFY(window.load(paths_));
    disk.hold("/stuck/");
    QVERIFY(window.describe("mine"));
    QVERIFY(window.describeTrack(0, "theirs"));
    QVERIFY(window.page->saveEdits());
    QTRY_VERIFY_WITH_TIMEOUT(disk.isAsked(), kLong);
    QTRY_VERIFY_WITH_TIMEOUT(contentOf(paths_[0]).contains("<semantics>theirs</semantics>"), kLong);
    QTRY_COMPARE_WITH_TIMEOUT(window.modules().modified(), QList<int>{2}, kLong);
    QCOMPARE(window.saveText(), QString("Saving Weather.xml…"));
    // Later ones are offered, saved, and told about.
    QVERIFY(window.describeTrack(0, "again"));
    QCOMPARE(window.saveText(), QString("Save AirTraffic-Base.xml"));
    QVERIFY(QFile::setPermissions(paths_[0], QFile::ReadOwner));
    QVERIFY(window.page->saveEdits());
    QTRY_COMPARE_WITH_TIMEOUT(window.failures.size(), 1, kLong);
    QVERIFY2(window.failures.front().contains("AirTraffic-Base.xml was not saved"),
             qPrintable(window.failures.front()));
    QVERIFY(QFile::setPermissions(paths_[0], QFile::ReadOwner | QFile::WriteOwner));
    QTRY_VERIFY_WITH_TIMEOUT(window.modules().readOnlyReason(0).isEmpty(), kLong);
    QVERIFY(window.page->saveEdits());
    QTRY_VERIFY_WITH_TIMEOUT(contentOf(paths_[0]).contains("<semantics>again</semantics>"), kLong);
    // Nor does what it has nothing to do with wait: a run of others, and closing others.
    QVERIFY(window.page->editing().mayRun({paths_[0], paths_[1]}));
    QVERIFY(window.page->editing().mayClose({paths_[2]}));
    QVERIFY(window.page->editing().isSaving());
    disk.release();
    QTRY_VERIFY_WITH_TIMEOUT(!window.page->editing().isSaving(), kLong);
    QVERIFY(contentOf(paths_[2]).contains("<semantics>mine</semantics>"));
    QCOMPARE(disk.count(&Disk::onGuiThread), 0);
  }

  /// Closing does not wait for ever for a disk that does not answer, and nothing is lost.
  void editsThatADiskDoesNotTakeAreKeptForRecovery() {
    moveToAnotherDisk();
    {
      Window window;
      QVERIFY(window.load(paths_));
      disk.hold("/stuck/");
      QVERIFY(window.describe("mine"));
      QVERIFY(window.page->saveEdits());
      QTRY_VERIFY_WITH_TIMEOUT(disk.isAsked(), kLong);
      bool wasOffered = true;
      QTimer clicks;
      WhileAsked leave("savingModules", [&](QMessageBox& box) {
        auto* button = box.findChild<QPushButton*>(QStringLiteral("modulesLeave"));
        wasOffered = button->isEnabled();
        connect(&clicks, &QTimer::timeout, button, [&box, button] {
          if (button->isEnabled()) screenshot(box);
          button->click();
        });
        clicks.start(20);
        window.page->editing().autosave().setDelay(20);
      });
      QVERIFY(window.page->mayDiscardEdits());
      clicks.stop();
      QVERIFY(!wasOffered);
      QVERIFY(window.page->editing().autosave().isKept(paths_[2]));
    }
    // The page is gone, and the disk has not answered.
    QVERIFY(disk.isAsked());
    QCOMPARE(contentOf(paths_[2]), before_);
    const auto unsaved = ModuleRecovery::list({paths_[2]});
    QCOMPARE(unsaved.size(), std::size_t{1});
    const auto edits = ModuleRecovery::load(unsaved.front().file);
    QVERIFY(edits);
    QVERIFY(edits->bytes->find("<semantics>mine</semantics>") != std::string::npos);
    disk.release();
    QTRY_VERIFY_WITH_TIMEOUT(contentOf(paths_[2]).contains("<semantics>mine</semantics>"), kLong);
    QTRY_COMPARE_WITH_TIMEOUT(fileCount(), 3, kLong);
  }

  /// Where the disk answers in the end and the page still is there, nothing is left to recover.
  void editsThatWereSavedAfterAllAreNotRecovered() {
    moveToAnotherDisk();
    Window window;
    QVERIFY(window.load(paths_));
    window.page->editing().autosave().setDelay(20);
    disk.hold("/stuck/");
    QVERIFY(window.describe("mine"));
    QTRY_VERIFY_WITH_TIMEOUT(window.page->editing().autosave().isKept(paths_[2]), kLong);
    QVERIFY(window.page->saveEdits());
    WhileAsked leave("savingModules", [](QMessageBox& box) { press(box, "modulesLeave"); });
    QVERIFY(window.page->mayDiscardEdits());
    QVERIFY(!leave.text.isEmpty());
    QVERIFY(disk.isAsked());
    disk.release();
    QTRY_VERIFY_WITH_TIMEOUT(!window.page->hasUnsavedEdits(), kLong);
    const QDir recovery(ModuleRecovery::folder());
    QTRY_VERIFY_WITH_TIMEOUT(recovery.entryList({"*.module-edits"}, QDir::Files).isEmpty(), kLong);
  }

  void aRunWaitsForTheDisk() {
    Window window;
    QVERIFY(window.load(paths_));
    QVERIFY(window.describe("mine"));
    disk.hold();
    WhileAsked save("runModules", [](QMessageBox& box) { press(box, "modulesSaveAndRun"); });
    WhileAsked end("savingModules", [](QMessageBox&) { disk.release(); });
    QVERIFY(window.page->mayRun());
    QVERIFY2(end.text.contains("The run starts"), qPrintable(end.text));
    QVERIFY(contentOf(paths_[2]).contains("<semantics>mine</semantics>"));
  }

  void faultsMeanwhile_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QString>("words");
    QTest::newRow("a full disk") << "full"
                                 << "cannot be written: No space left on device";
    QTest::newRow("a folder that goes") << "gone"
                                        << "cannot be";
    QTest::newRow("another program writes the file") << "changed"
                                                     << "another program has changed";
  }
  /// A fault of the disk while a module is on its way is said, and nothing is lost.
  void faultsMeanwhile() {
    QFETCH(QString, fault);
    QFETCH(QString, words);
    Window window;
    QVERIFY(window.load(paths_));
    QVERIFY(window.describe("mine"));
    disk.hold();
    QVERIFY(window.page->saveEdits());
    QTRY_VERIFY_WITH_TIMEOUT(disk.isAsked(), kLong);
    QByteArray there = before_;
    const QString moved = folder_->filePath("moved");
    if (fault == "changed") {
      there.replace("A column of weather", "theirs");
      putThere(paths_[2], there);
    }
    if (fault == "gone") QVERIFY(QDir().rename(folder_->filePath("models"), moved));
    disk.release(fault == "full" ? ENOSPC : 0);
    QTRY_VERIFY_WITH_TIMEOUT(!window.page->editing().isSaving(), kLong);
    QCOMPARE(window.failures.size(), 1);
    QVERIFY2(window.failures.front().startsWith("A module was not saved: "),
             qPrintable(window.failures.front()));
    QVERIFY2(window.failures.front().contains(words), qPrintable(window.failures.front()));
    QVERIFY(window.page->hasUnsavedEdits());
    QVERIFY(std::string(*window.modules().bytes(2)).find("mine") != std::string::npos);
    if (fault == "gone") QVERIFY(QDir().rename(moved, folder_->filePath("models")));
    QCOMPARE(contentOf(paths_[2]), there);
    QCOMPARE(QDir(folder_->filePath("models")).entryList(QDir::Files).size(), 3);
    // The person decides about the other one's change; the rest is saved the next time.
    disk.release();
    if (fault == "changed") {
      QVERIFY(window.modules().isChangedOnDisk(2));
      window.modules().keepMine(2);
    }
    QTRY_VERIFY_WITH_TIMEOUT(!window.modules().isGone(2), kLong);
    QVERIFY(window.page->saveEdits());
    QTRY_VERIFY_WITH_TIMEOUT(!window.page->hasUnsavedEdits(), kLong);
    QVERIFY(contentOf(paths_[2]).contains("<semantics>mine</semantics>"));
  }

  /// Closing stays when what was to be saved could not be.
  void closingStaysAfterAFault() {
    Window window;
    QVERIFY(window.load(paths_));
    QVERIFY(window.describe("mine"));
    disk.release(EIO);
    WhileAsked save("discardModules", [](QMessageBox& box) { press(box, "modulesSave"); });
    QVERIFY(!window.page->mayDiscardEdits());
    QCOMPARE(window.failures.size(), 1);
    QVERIFY(window.page->hasUnsavedEdits());
    disk.release();
    QVERIFY(window.page->saveEdits());
    QTRY_VERIFY_WITH_TIMEOUT(!window.page->hasUnsavedEdits(), kLong);
  }

  /// Neither what is kept for a killed console nor a new module waits for the disk in the window.
  void nothingElseWaitsInTheWindow() {
    Window window;
    QVERIFY(window.load(paths_));
    window.page->editing().autosave().setDelay(20);
    disk.hold();
    QVERIFY(window.describe("mine"));
    QTRY_VERIFY_WITH_TIMEOUT(disk.isAsked(), kLong);
    QVERIFY(!window.page->editing().autosave().isKept(paths_[2]));
    disk.release();
    QTRY_VERIFY_WITH_TIMEOUT(window.page->editing().autosave().isKept(paths_[2]), kLong);
    disk.hold();
    QSignalSpy created(window.page, &ObjectModelWorkspace::moduleCreated);
    QVERIFY(window.page->editing().createModule(folder_->filePath("models/New.xml")));
    QTRY_VERIFY_WITH_TIMEOUT(disk.isAsked(), kLong);
    QVERIFY(created.isEmpty());
    disk.release();
    QTRY_COMPARE_WITH_TIMEOUT(created.size(), 1, kLong);
    QCOMPARE(disk.count(&Disk::onGuiThread), 0);
  }

  /// An extraction whose module cannot be written is over: it does not happen later.
  void anExtractionEndsWithItsModule() {
    Window window;
    QVERIFY(window.load(paths_));
    window.page->showItem("WeatherCell");
    const auto extract = [&](const QString& into) {
      window.page->findChild<QAction*>("extractClasses")->trigger();
      auto* dialog = window.page->findChild<ExtractDialog*>("extractDialog");
      QVERIFY(dialog != nullptr);
      dialog->setFile(into);
      QTRY_VERIFY_WITH_TIMEOUT(dialog->result() != nullptr, kLong);
      dialog->accept();
    };
    const QString into = folder_->filePath("models/Cells.xml");
    disk.hold();
    extract(into);
    QTRY_VERIFY_WITH_TIMEOUT(disk.isAsked(), kLong);
    disk.release(ENOSPC);
    QTRY_COMPARE_WITH_TIMEOUT(window.failures.size(), 1, kLong);
    QVERIFY2(window.failures.front().startsWith("Nothing was extracted: Cells.xml was not saved") &&
                 window.failures.front().contains("No space left"),
             qPrintable(window.failures.front()));
    QVERIFY(!QFile::exists(into));
    disk.release();
    // A module of that name later is the person's own.
    QVERIFY(window.page->editing().createModule(into));
    QTRY_VERIFY_WITH_TIMEOUT(window.modules().indexOf(into) >= 0, kLong);
    QTRY_VERIFY_WITH_TIMEOUT(!window.page->isLoading(), kLong);
    QVERIFY(!window.page->hasUnsavedEdits());
    QCOMPARE(window.failures.size(), 1);
    // The next one does happen.
    window.page->showItem("WeatherCell");
    extract(folder_->filePath("models/Cells2.xml"));
    QTRY_VERIFY_WITH_TIMEOUT(window.page->hasUnsavedEdits(), kLong);
    QCOMPARE(window.modules().savedBefore(2), QStringList{folder_->filePath("models/Cells2.xml")});
  }

  void aMergeIsOfTheFileThatWasNamed() {
    JoinDialog dialog(paths_, {});
    dialog.open();
    const QString all = folder_->filePath("all.xml");
    dialog.setFile(all);
    auto* write = dialog.findChild<QPushButton*>("joinWrite");
    auto* note = dialog.findChild<QLabel*>("joinNote");
    QSignalSpy written(&dialog, &JoinDialog::written);
    disk.hold();
    write->click();
    QVERIFY(!dialog.findChild<QLineEdit*>("joinFile")->isEnabled());
    QVERIFY(!dialog.findChild<QComboBox*>("joinEdition")->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(disk.isAsked(), kLong);
    // What is on its way to the disk cannot be called back: the dialog stays and says so.
    dialog.findChild<QPushButton*>("joinCancel")->click();
    QVERIFY(dialog.isVisible());
    QVERIFY2(note->text().startsWith("all.xml is being written"), qPrintable(note->text()));
    dialog.setFile(folder_->filePath("other.xml"));
    // Another program is quicker.
    putThere(all, "theirs");
    disk.release();
    QTRY_VERIFY_WITH_TIMEOUT(write->isEnabled(), kLong);
    QVERIFY2(note->text().startsWith("all.xml was not written: another program has written"),
             qPrintable(note->text()));
    QCOMPARE(contentOf(all), QByteArray("theirs"));
    QVERIFY(QFile::remove(all));
    dialog.setFile(all);
    disk.hold();
    write->click();
    QTRY_VERIFY_WITH_TIMEOUT(disk.isAsked(), kLong);
    dialog.setFile(folder_->filePath("other.xml"));
    disk.release();
    QVERIFY(written.wait(kLong));
    QCOMPARE(written.front().front().toString(), all);
    QCOMPARE(dialog.findChild<QLabel*>("joinResult")->text(), QString("all.xml is written"));
    QVERIFY(QFile::exists(all) && !QFile::exists(folder_->filePath("other.xml")));
  }

  void aCancelledMergeWritesNothing() {
    disk.hold();  // in case that the worker is quicker than this
    JoinDialog dialog(paths_, {});
    dialog.open();
    const QString all = folder_->filePath("all.xml");
    dialog.setFile(all);
    dialog.findChild<QPushButton*>("joinWrite")->click();
    dialog.findChild<QPushButton*>("joinCancel")->click();
    const bool cancelled = !dialog.isVisible();
    disk.release();
    // One that is begun later ends later.
    JoinDialog next(paths_, {});
    next.setFile(folder_->filePath("next.xml"));
    QSignalSpy written(&next, &JoinDialog::written);
    next.findChild<QPushButton*>("joinWrite")->click();
    QVERIFY(written.wait(kLong));
    QTRY_COMPARE_WITH_TIMEOUT(QFile::exists(all), !cancelled, kLong);
  }

 private:
  /// Of the modules, and what is beside them.
  qsizetype fileCount() const {
    return QDir(folder_->filePath("models")).entryList(QDir::Files).size() +
           QDir(folder_->filePath("stuck")).entryList(QDir::Files).size();
  }
  /// Weather.xml, which disk.hold("/stuck/") then keeps waiting alone.
  void moveToAnotherDisk() {
    QVERIFY(QDir(folder_->path()).mkpath("stuck"));
    const QString path = folder_->filePath("stuck/Weather.xml");
    QVERIFY(QFile::rename(paths_[2], path));
    paths_[2] = path;
  }
  static void screenshot(QWidget& widget) {
    const QString folder = qEnvironmentVariable("TUTTI_SCREENSHOTS");
    if (!folder.isEmpty()) widget.grab().save(folder + "/saving.png");
  }

  theme::Theme theme_;
  std::unique_ptr<QTemporaryDir> folder_;
  QStringList paths_;
  QByteArray before_;
};

QTEST_MAIN(TestSlowDisk)
#include "tst_slow_disk.moc"
