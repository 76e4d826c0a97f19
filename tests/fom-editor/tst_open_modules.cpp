// SPDX-License-Identifier: GPL-3.0-or-later
// Modules that are edited: one history, saving, what other programs do to the files, recovery.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "fom-editor/model/edited_items.h"
#include "fom-editor/model/line_changes.h"
#include "fom-editor/model/loaded_model.h"
#include "fom-editor/model/module_edits.h"
#include "fom-editor/model/module_recovery.h"
#include "fom-editor/model/module_saver.h"
#include "fom-editor/model/module_watch.h"
#include "fom-editor/model/open_modules.h"
#include "fom-editor/model/outline.h"
#include "fom-editor/model/row_editor.h"
#include "test_models.h"

using namespace tutti::fomedit;

namespace {

constexpr int kLong = 30000;

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
}

void write(const QString& path, const QByteArray& bytes) {
  QFile file(path);
  QVERIFY2(file.open(QIODevice::WriteOnly), qPrintable(file.errorString()));
  QCOMPARE(file.write(bytes), bytes.size());
}

QByteArray bytesOf(const OpenModules& modules, int module) {
  const ModuleBytes bytes = modules.bytes(module);
  return bytes ? QByteArray::fromStdString(*bytes) : QByteArray("none");
}

/// Gives the semantics of a class of a module; an edit that is easy to see in the bytes.
std::pair<int, Splices> semantics(const OpenModules& modules, int module, const char* className,
                                  const char* value) {
  const ModuleSource& source = *modules.source(module);
  return {module, setCell(source, findClass(source, true, className), "semantics", value)};
}

}  // namespace

class TestOpenModules : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { QVERIFY(home_.isValid()); }

  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    qputenv("XDG_DATA_HOME", folder_->filePath("data").toUtf8());
    for (const char* name : {"AirTraffic-Base.xml", "AirTraffic-Radar.xml", "Weather.xml"}) {
      QVERIFY(QFile::copy(testmodels::data(name), folder_->filePath(name)));
      QVERIFY(QFile::setPermissions(folder_->filePath(name),
                                    QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup));
      paths_ << folder_->filePath(name);
    }
  }
  void cleanup() {
    paths_.clear();
    folder_.reset();
  }

  /// What an edit takes out of one module and puts into another is always in one of the files.
  void whatGainsContentIsSavedFirst() {
    QVERIFY(QDir(folder_->path()).mkdir("other"));
    const QString into = folder_->filePath("other/Weather.xml");
    QVERIFY(QFile::rename(paths_[2], into));
    const QByteArray before = contentOf(paths_[0]);
    const QByteArray intoBefore = contentOf(into);
    OpenModules modules;
    modules.open(QStringList{paths_[0], into});
    ModelEdit edit;
    edit.label = "move it";
    edit.changes = {semantics(modules, 0, "HLAobjectRoot.Track", "moved away"),
                    semantics(modules, 1, "HLAobjectRoot.WeatherCell", "moved here")};
    edit.move = ModelEdit::Move{0, 1};
    QVERIFY(modules.apply(edit));
    QCOMPARE(modules.savedBefore(0), QStringList{into});
    QCOMPARE(modules.savedBefore(1), QStringList());
    ModuleSaver saver(modules);
    QStringList faults;
    connect(&saver, &ModuleSaver::failed, &saver, [&](const QStringList& all) { faults += all; });
    QStringList order;
    connect(&modules, &OpenModules::saved, &modules, [&](const QString& path) { order << path; });
    // Where that fails, the other one is not written.
    QVERIFY(QDir().rename(folder_->filePath("other"), folder_->filePath("away")));
    saver.save({paths_[0], into});
    QTRY_COMPARE_WITH_TIMEOUT(faults.size(), 2, kLong);
    QVERIFY2(faults[0].contains("is gone"), qPrintable(faults[0]));
    QVERIFY2(faults[1].startsWith("AirTraffic-Base.xml was not saved: Weather.xml has content"),
             qPrintable(faults[1]));
    QCOMPARE(contentOf(paths_[0]), before);
    QCOMPARE(modules.modified(), (QList<int>{0, 1}));
    QVERIFY(!saver.isSaving() && saver.saving().isEmpty());
    // Saved alone, it takes the other one along.
    QVERIFY(QDir().rename(folder_->filePath("away"), folder_->filePath("other")));
    saver.save({paths_[0]});
    QTRY_VERIFY_WITH_TIMEOUT(!saver.isSaving(), kLong);
    QCOMPARE(faults.size(), 2);
    QCOMPARE(order, (QStringList{into, paths_[0]}));
    QVERIFY(contentOf(into).contains("moved here") && contentOf(paths_[0]).contains("moved away"));
    // Undone, the content goes back: the same the other way round.
    modules.undo();
    QCOMPARE(modules.savedBefore(1), QStringList{paths_[0]});
    order.clear();
    saver.save({into, paths_[0]});
    QTRY_VERIFY_WITH_TIMEOUT(!saver.isSaving(), kLong);
    QCOMPARE(order, (QStringList{paths_[0], into}));
    QCOMPARE(contentOf(paths_[0]), before);
    QCOMPARE(contentOf(into), intoBefore);
    // Each gains of the other: both are written.
    QVERIFY(modules.apply(edit));
    edit.changes = {semantics(modules, 0, "HLAobjectRoot.Track", "back"),
                    semantics(modules, 1, "HLAobjectRoot.WeatherCell", "forth")};
    edit.move = ModelEdit::Move{1, 0};
    QVERIFY(modules.apply(edit));
    saver.save(modules.paths());
    QTRY_VERIFY_WITH_TIMEOUT(!saver.isSaving(), kLong);
    QVERIFY(modules.modified().isEmpty());
    QVERIFY(contentOf(into).contains("forth") && contentOf(paths_[0]).contains("back"));
  }

  void anEditIsUndoneToTheSavedBytes() {
    OpenModules modules;
    modules.open(paths_);
    QCOMPARE(modules.count(), 3);
    QCOMPARE(modules.indexOf(paths_[2]), 2);
    QCOMPARE(modules.readOnlyReason(0), QString());
    const QByteArray before = bytesOf(modules, 2);
    QCOMPARE(before, contentOf(paths_[2]));
    QSignalSpy changed(&modules, &OpenModules::changed);
    QSignalSpy item(&modules, &OpenModules::itemEdited);
    QString undoDuringChange;
    connect(&modules, &OpenModules::changed, &modules,
            [&] { undoDuringChange = modules.undoLabel(); });
    QVERIFY(modules.apply({"describe WeatherCell",
                           {semantics(modules, 2, "HLAobjectRoot.WeatherCell", "Rain")},
                           "object:HLAobjectRoot.WeatherCell"}));
    QCOMPARE(changed.size(), 1);
    QCOMPARE(item.size(), 1);
    QCOMPARE(undoDuringChange, QString("describe WeatherCell"));
    QVERIFY(bytesOf(modules, 2).contains("<semantics>Rain</semantics>"));
    QVERIFY(modules.isModified(2));
    QCOMPARE(modules.edits(2), 1);
    QCOMPARE(modules.modified(), QList<int>{2});
    QCOMPARE(contentOf(paths_[2]), before);

    modules.undo();
    QCOMPARE(item.size(), 2);
    QCOMPARE(bytesOf(modules, 2), before);
    QVERIFY(!modules.isModified(2));
    QCOMPARE(modules.edits(2), 0);
    QCOMPARE(modules.redoLabel(), QString("describe WeatherCell"));
    modules.redo();
    QVERIFY(modules.isModified(2));

    // An edit by hand to what the file holds needs no saving either.
    QVERIFY(modules.apply(
        {"describe it again",
         {semantics(modules, 2, "HLAobjectRoot.WeatherCell", "A column of weather")}}));
    QVERIFY(!modules.isModified(2));
    QCOMPARE(modules.edits(2), 0);
    // Without an effect it is no step.
    QVERIFY(modules.apply(
        {"nothing", {semantics(modules, 2, "HLAobjectRoot.WeatherCell", "A column of weather")}}));
    QCOMPARE(modules.undoLabel(), QString("describe it again"));
  }

  void anEditOfSeveralModulesIsOneStepOrNone() {
    OpenModules modules;
    modules.open(paths_);
    QVERIFY(modules.apply(
        {"earlier", {semantics(modules, 2, "HLAobjectRoot.WeatherCell", "earlier")}}));
    modules.undo();
    QVERIFY(modules.canRedo());
    const QByteArray base = bytesOf(modules, 0);
    const QByteArray weather = bytesOf(modules, 2);
    // The second module refuses: a control character.
    Splices bad = semantics(modules, 0, "HLAobjectRoot.Track", "x").second;
    bad.front().inserted.assign(1, '\x01');
    const auto refused = modules.apply(
        {"both", {semantics(modules, 2, "HLAobjectRoot.WeatherCell", "new"), {0, bad}}});
    QVERIFY(!refused);
    QVERIFY2(refused.error().contains("AirTraffic-Base.xml"), qPrintable(refused.error()));
    QCOMPARE(bytesOf(modules, 0), base);
    QCOMPARE(bytesOf(modules, 2), weather);
    QVERIFY(modules.modified().isEmpty());
    // What could be redone still can.
    modules.redo();
    QVERIFY(bytesOf(modules, 2).contains("earlier"));
    modules.undo();

    QVERIFY(modules.apply({"both",
                           {semantics(modules, 2, "HLAobjectRoot.WeatherCell", "new"),
                            semantics(modules, 0, "HLAobjectRoot.Track", "new")}}));
    QCOMPARE(modules.modified(), (QList<int>{0, 2}));
    modules.undo();
    QVERIFY(modules.modified().isEmpty());
    QCOMPARE(bytesOf(modules, 0), base);
    QCOMPARE(bytesOf(modules, 2), weather);
  }

  void countsTheEditsSinceASave() {
    OpenModules modules;
    modules.open(paths_);
    const auto edit = [&](const char* text) {
      QVERIFY(modules.apply({text, {semantics(modules, 2, "HLAobjectRoot.WeatherCell", text)}}));
    };
    edit("one");
    edit("two");
    edit("three");
    QVERIFY(modules.apply({"other", {semantics(modules, 0, "HLAobjectRoot.Track", "x")}}));
    QCOMPARE(modules.edits(2), 3);
    QCOMPARE(modules.edits(0), 1);
    QVERIFY(modules.save({2}));
    QCOMPARE(modules.modified(), QList<int>{0});
    QCOMPARE(modules.edits(2), 0);
    modules.undo();
    modules.undo();
    modules.undo();
    QCOMPARE(modules.edits(2), 2);
    // The two that were undone are lost now: with this one the file is three away.
    edit("four");
    QCOMPARE(modules.edits(2), 3);
    QVERIFY(modules.save(modules.modified()));
    QVERIFY(modules.modified().isEmpty());
    QVERIFY(contentOf(paths_[2]).contains("four"));
  }

  /// What is undone while a module is on its way to the disk is lost with the next edit as well.
  void countsTheEditsWhileItIsSaved() {
    OpenModules modules;
    modules.open(paths_);
    const auto edit = [&](const char* text) {
      QVERIFY(modules.apply({text, {semantics(modules, 2, "HLAobjectRoot.WeatherCell", text)}}));
    };
    const auto save = [&](const ModuleWriting& writing) {
      return replaceModuleFile(writing.path, *writing.bytes, writing.expected);
    };
    edit("one");
    edit("two");
    const auto first = modules.beginWriting(2);
    QVERIFY(first);
    modules.undo();
    modules.undo();
    edit("three");
    QVERIFY(modules.noteWritten(*first, save(*first)));
    QCOMPARE(modules.edits(2), 3);
    QVERIFY(modules.save({2}));
    QCOMPARE(modules.edits(2), 0);

    // The same of a writing that fails: the file is as far away as it was.
    edit("four");
    const auto second = modules.beginWriting(2);
    QVERIFY(second);
    modules.undo();
    edit("five");
    QVERIFY(!modules.noteWritten(*second, tl::unexpected(WriteFault{})));
    QCOMPARE(modules.edits(2), 1);
    const auto third = modules.beginWriting(2);
    QVERIFY(third && modules.noteWritten(*third, save(*third)));
    QCOMPARE(modules.edits(2), 0);
  }

  void savesAllBytesAndKeepsModeAndLink() {
    // With what an editor that writes XML anew would not keep.
    const QByteArray windows =
        "\xEF\xBB\xBF<?xml version='1.0'  encoding=\"UTF-8\"?>\r\n<!-- mine --><objectModel\r\n "
        "xmlns=\"http://standards.ieee.org/IEEE1516-2010\"><objects><objectClass>\r\n"
        "<name>HLAobjectRoot</name><objectClass><name>A</name><semantics >old</semantics >"
        "</objectClass></objectClass></objects>\r\n</objectModel>\r\n\r\n";
    const QString real = folder_->filePath("real.xml");
    write(real, windows);
    QVERIFY(::chmod(qPrintable(real), 0640) == 0);
    QDir(folder_->path()).mkdir("links");
    const QString link = folder_->filePath("links/link.xml");
    QVERIFY(QFile::link("../real.xml", link));
    OpenModules modules;
    modules.open(QStringList{link});
    QVERIFY2(modules.readOnlyReason(0).isEmpty(), qPrintable(modules.readOnlyReason(0)));
    QVERIFY(modules.apply({"describe", {semantics(modules, 0, "HLAobjectRoot.A", "new")}}));
    QSignalSpy saved(&modules, &OpenModules::saved);
    const auto done = modules.save({0});
    QVERIFY2(done, qPrintable(done ? QString() : done.error()));
    QCOMPARE(saved.size(), 1);
    QByteArray expected = windows;
    expected.replace("old", "new");
    QCOMPARE(contentOf(real), expected);
    QVERIFY(QFileInfo(link).isSymLink());
    struct stat status {};
    QCOMPARE(::stat(qPrintable(real), &status), 0);
    QCOMPARE(static_cast<int>(status.st_mode & 07777), 0640);
    // Nothing is left beside them.
    QCOMPARE(QDir(folder_->filePath("links")).entryList(QDir::Files), QStringList{"link.xml"});
  }

  void savesKeepAttributesAndHardLinks() {
    const QByteArray path = QFile::encodeName(paths_[2]);
    // user::rw-, user 4321 r--, group::---, mask::r--, other::---
    const std::uint32_t none = 0xffffffff;
    QByteArray list;
    const auto add = [&](std::uint16_t tag, std::uint16_t rights, std::uint32_t id) {
      list.append(reinterpret_cast<const char*>(&tag), sizeof tag);
      list.append(reinterpret_cast<const char*>(&rights), sizeof rights);
      list.append(reinterpret_cast<const char*>(&id), sizeof id);
    };
    const std::uint32_t version = 2;
    list.append(reinterpret_cast<const char*>(&version), sizeof version);
    add(0x01, 6, none);
    add(0x02, 4, 4321);
    add(0x04, 0, none);
    add(0x10, 4, none);
    add(0x20, 0, none);
    const auto size = static_cast<std::size_t>(list.size());
    const bool hasLists = ::setxattr(path, "system.posix_acl_access", list, size, 0) == 0;
    const bool hasNotes = ::setxattr(path, "user.origin", "here", 4, 0) == 0;
    if (!hasLists && !hasNotes) QCOMPARE(errno, ENOTSUP);
    struct stat before {};
    QCOMPARE(::stat(path, &before), 0);
    OpenModules modules;
    modules.open(paths_);
    QVERIFY(modules.apply({"mine", {semantics(modules, 2, "HLAobjectRoot.WeatherCell", "mine")}}));
    QVERIFY(modules.save({2}));
    QByteArray value(256, '\0');
    if (hasLists) {
      QCOMPARE(::getxattr(path, "system.posix_acl_access", value.data(), 256), list.size());
      QCOMPARE(value.left(list.size()), list);
    }
    if (hasNotes) {
      QCOMPARE(::getxattr(path, "user.origin", value.data(), 256), 4);
      QCOMPARE(value.left(4), QByteArray("here"));
    }
    struct stat after {};
    QCOMPARE(::stat(path, &after), 0);
    QCOMPARE(after.st_mode, before.st_mode);

    // A second name of the file would keep what it was: that is said, before and at saving.
    const QString other = folder_->filePath("other.xml");
    QVERIFY(modules.apply({"more", {semantics(modules, 2, "HLAobjectRoot.WeatherCell", "more")}}));
    QCOMPARE(::link(path, QFile::encodeName(other)), 0);
    const auto done = modules.save({2});
    QVERIFY(!done);
    QVERIFY2(done.error().contains("hard links"), qPrintable(done.error()));
    QVERIFY(!contentOf(other).contains("more"));
    QVERIFY2(readForEditing(other).readOnlyReason.contains("2 names"),
             qPrintable(readForEditing(other).readOnlyReason));
    QVERIFY(QFile::remove(other));
    QVERIFY(modules.save({2}));
    QVERIFY(contentOf(paths_[2]).contains("more"));
  }

  void whatAnotherProgramWroteIsNotOverwritten() {
    OpenModules modules;
    modules.open(paths_);
    QVERIFY(modules.apply({"mine", {semantics(modules, 2, "HLAobjectRoot.WeatherCell", "mine")}}));
    QByteArray theirs = contentOf(paths_[2]);
    theirs.replace("A column of weather", "theirs");
    // At the same time as before: only the content tells.
    QByteArray padded = theirs;
    padded.replace("theirs", "theirs of the same");
    struct stat before {};
    QCOMPARE(::stat(qPrintable(paths_[2]), &before), 0);
    write(paths_[2], theirs);
    const timespec times[2] = {before.st_atim, before.st_mtim};
    QCOMPARE(::utimensat(AT_FDCWD, qPrintable(paths_[2]), times, 0), 0);
    QSignalSpy conflict(&modules, &OpenModules::changedOnDisk);
    auto done = modules.save({2});
    QVERIFY(!done);
    QVERIFY2(done.error().contains("Weather.xml was not saved"), qPrintable(done.error()));
    QCOMPARE(contentOf(paths_[2]), theirs);
    QCOMPARE(conflict.size(), 1);
    QVERIFY(modules.isChangedOnDisk(2));
    QVERIFY(modules.isModified(2));
    // Asking again changes nothing about that.
    QVERIFY(!modules.save({2}));
    QCOMPARE(contentOf(paths_[2]), theirs);

    // Theirs: one step, which can be undone to mine.
    modules.reload(2);
    QVERIFY(!modules.isChangedOnDisk(2));
    QVERIFY(!modules.isModified(2));
    QCOMPARE(bytesOf(modules, 2), theirs);
    modules.undo();
    QVERIFY(bytesOf(modules, 2).contains("mine"));
    QVERIFY(modules.isModified(2));
    QCOMPARE(modules.edits(2), 1);

    // Mine: only from now on it is overwritten, and only this.
    write(paths_[2], padded);
    modules.noteOnDisk(readForEditing(paths_[2]));
    QVERIFY(modules.isChangedOnDisk(2));
    modules.keepMine(2);
    QVERIFY(!modules.isChangedOnDisk(2));
    done = modules.save({2});
    QVERIFY2(done, qPrintable(done ? QString() : done.error()));
    QVERIFY(contentOf(paths_[2]).contains("mine"));
  }

  void aModuleWithoutEditsFollowsItsFile() {
    OpenModules modules;
    modules.open(paths_);
    const QByteArray before = contentOf(paths_[2]);
    QByteArray theirs = before;
    theirs.replace("A column of weather", "theirs");
    write(paths_[2], theirs);
    modules.noteOnDisk(readForEditing(paths_[2]));
    QCOMPARE(bytesOf(modules, 2), theirs);
    QVERIFY(!modules.canUndo());
    QVERIFY(modules.modified().isEmpty());

    // With steps before, following is one too: what is undone below it would else meet other text.
    QVERIFY(modules.apply({"mine", {semantics(modules, 2, "HLAobjectRoot.WeatherCell", "mine")}}));
    QVERIFY(modules.save({2}));
    write(paths_[2], before);
    modules.noteOnDisk(readForEditing(paths_[2]));
    QCOMPARE(bytesOf(modules, 2), before);
    QVERIFY(modules.modified().isEmpty());
    QCOMPARE(modules.undoLabel(), QString("reload Weather.xml"));
    modules.undo();
    QVERIFY(bytesOf(modules, 2).contains("mine"));
    QCOMPARE(modules.edits(2), 1);
    modules.undo();
    QCOMPARE(bytesOf(modules, 2), theirs);
    modules.redo();
    modules.redo();
    QCOMPARE(bytesOf(modules, 2), before);
    QVERIFY(modules.modified().isEmpty());
  }

  void whatIsNotWellFormedIsReadOnlyUntilItIs() {
    OpenModules modules;
    modules.open(paths_);
    const QByteArray whole = contentOf(paths_[2]);
    write(paths_[2], whole.left(whole.size() / 2));
    modules.noteOnDisk(readForEditing(paths_[2]));
    QCOMPARE(modules.source(2), nullptr);
    QVERIFY2(modules.readOnlyReason(2).contains("line"), qPrintable(modules.readOnlyReason(2)));
    QVERIFY(!modules.apply({"no", {{2, {}}}}));
    write(paths_[2], whole);
    modules.noteOnDisk(readForEditing(paths_[2]));
    QVERIFY(modules.source(2) != nullptr);
    QVERIFY(modules.readOnlyReason(2).isEmpty());
  }

  void aFileThatIsGoneIsWrittenAgain() {
    OpenModules modules;
    modules.open(paths_);
    const QByteArray whole = contentOf(paths_[2]);
    QVERIFY(QFile::remove(paths_[2]));
    modules.noteOnDisk(readForEditing(paths_[2]));
    QCOMPARE(bytesOf(modules, 2), whole);
    QVERIFY(modules.isGone(2));
    QVERIFY(modules.save({2}));
    QCOMPARE(contentOf(paths_[2]), whole);
    QVERIFY(!modules.isGone(2));
    QVERIFY(!modules.isModified(2));
  }

  void aFileThatWasGoneForAMomentIsFollowed() {
    OpenModules modules;
    modules.open(paths_);
    QByteArray theirs = contentOf(paths_[2]);
    theirs.replace("A column of weather", "theirs");
    QVERIFY(QFile::remove(paths_[2]));
    modules.noteOnDisk(readForEditing(paths_[2]));
    // That is nobody's edit: it is not asked about when the module is closed.
    QVERIFY(modules.isGone(2));
    QVERIFY(modules.modified().isEmpty());
    QCOMPARE(modules.edits(2), 0);
    QSignalSpy changed(&modules, &OpenModules::changed);
    write(paths_[2], theirs);
    modules.noteOnDisk(readForEditing(paths_[2]));
    QCOMPARE(changed.size(), 1);
    QVERIFY(!modules.isGone(2));
    QVERIFY(!modules.isChangedOnDisk(2));
    QCOMPARE(bytesOf(modules, 2), theirs);
    // The same again is news, too: the file is there.
    QVERIFY(QFile::remove(paths_[2]));
    modules.noteOnDisk(readForEditing(paths_[2]));
    write(paths_[2], theirs);
    modules.noteOnDisk(readForEditing(paths_[2]));
    QCOMPARE(changed.size(), 3);
    QVERIFY(!modules.isGone(2));

    // Edits can be discarded to what it was, and are asked about when it is back as another.
    QVERIFY(modules.apply({"mine", {semantics(modules, 2, "HLAobjectRoot.WeatherCell", "mine")}}));
    QVERIFY(QFile::remove(paths_[2]));
    modules.noteOnDisk(readForEditing(paths_[2]));
    QCOMPARE(modules.edits(2), 1);
    modules.discard({2});
    QVERIFY(modules.modified().isEmpty());
    QCOMPARE(bytesOf(modules, 2), theirs);
    modules.undo();
    QByteArray again = theirs;
    again.replace("theirs", "again");
    write(paths_[2], again);
    modules.noteOnDisk(readForEditing(paths_[2]));
    QVERIFY(modules.isChangedOnDisk(2));
    QVERIFY(!modules.save({2}));
    QCOMPARE(contentOf(paths_[2]), again);
  }

  void whatCannotBeWrittenSaysWhy() {
    OpenModules modules;
    modules.open(paths_);
    QVERIFY(modules.apply({"mine", {semantics(modules, 2, "HLAobjectRoot.WeatherCell", "mine")}}));
    const QByteArray before = contentOf(paths_[2]);
    QVERIFY(::chmod(qPrintable(paths_[2]), 0440) == 0);
    auto done = modules.save({2});
    QVERIFY(!done);
    QVERIFY2(done.error().contains("write-protected"), qPrintable(done.error()));
    QVERIFY(::chmod(qPrintable(paths_[2]), 0640) == 0);

    // No space: a limit of the process is what a test can have without a disk of its own.
    rlimit unlimited{};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
    rlimit small = unlimited;
    small.rlim_cur = 1000;
    const auto oldHandler = std::signal(SIGXFSZ, SIG_IGN);
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
    done = modules.save({2});
    setrlimit(RLIMIT_FSIZE, &unlimited);
    std::signal(SIGXFSZ, oldHandler);
    QVERIFY(!done);
    QVERIFY2(done.error().contains("cannot be written"), qPrintable(done.error()));
    QVERIFY(!done.error().contains('\x01'));
    QCOMPARE(contentOf(paths_[2]), before);
    QVERIFY(modules.isModified(2));
    QCOMPARE(QDir(folder_->path()).entryList(QDir::Files | QDir::Hidden).size(), 3);

    // A pipe in its place keeps nobody waiting.
    QVERIFY(QFile::remove(paths_[2]));
    QVERIFY(::mkfifo(qPrintable(paths_[2]), 0600) == 0);
    done = modules.save({2});
    QVERIFY(!done);
    QVERIFY2(done.error().contains("is no file"), qPrintable(done.error()));
    QVERIFY(QFile::remove(paths_[2]));
    write(paths_[2], before);

    QVERIFY(QDir(folder_->path()).mkdir("away"));
    const QString moved = folder_->filePath("away/Weather.xml");
    QVERIFY(QFile::copy(paths_[2], moved));
    OpenModules other;
    other.open(QStringList{moved});
    QVERIFY(other.apply({"mine", {semantics(other, 0, "HLAobjectRoot.WeatherCell", "mine")}}));
    QVERIFY(QDir(folder_->filePath("away")).removeRecursively());
    done = other.save({0});
    QVERIFY(!done);
    QVERIFY2(done.error().contains("is gone"), qPrintable(done.error()));
    QVERIFY(other.isModified(0));
    QVERIFY(QDir(folder_->path()).mkdir("away"));
    QVERIFY(other.save({0}));
    QVERIFY(contentOf(moved).contains("mine"));
  }

  void aProtectedFileIsReadOnly() {
    QVERIFY(::chmod(qPrintable(paths_[1]), 0444) == 0);
    OpenModules modules;
    modules.open(paths_ << testmodels::data("no such file.xml"));
    QVERIFY2(modules.readOnlyReason(1).contains("write-protected"),
             qPrintable(modules.readOnlyReason(1)));
    QCOMPARE(modules.source(1), nullptr);
    QVERIFY(modules.bytes(1) != nullptr);
    QVERIFY2(modules.readOnlyReason(3).contains("No such file"),
             qPrintable(modules.readOnlyReason(3)));
    QVERIFY(!modules.isModified(3));
    // Rights that change are followed.
    QVERIFY(::chmod(qPrintable(paths_[1]), 0640) == 0);
    modules.noteOnDisk(readForEditing(paths_[1]));
    QVERIFY(modules.source(1) != nullptr);
    QVERIFY(!modules.canUndo());
  }

  void cellsOfAProtectedFileAreNotOffered() {
    QVERIFY(::chmod(qPrintable(paths_[0]), 0444) == 0);
    OpenModules modules;
    modules.open(paths_);
    const LoadedModel loaded = loadModel(paths_);
    RowEditor rows(modules);
    rows.setModel(loaded.model);
    OutlineModel outline;
    outline.setLoadedModel(loaded);
    outline.setWriter(&rows);
    TableModel table;
    table.setWriter(&rows);
    table.setTable(tableOf(*loaded.model, findItem(*loaded.model, "HLAobjectRoot.Track.Flight")));
    const auto rowOf = [&](const QString& member) {
      for (int row = 0; row < table.table().rows.size(); ++row) {
        if (table.table().rows[row].member == member) return row;
      }
      return -1;
    };
    const QModelIndex cell = table.index(rowOf("callsign"), 1);
    QVERIFY(cell.isValid());
    const QModelIndex inTree = outline.indexOf(findItem(*loaded.model, "HLAobjectRoot.Track"));
    const auto isOffered = [&](const QModelIndex& index) {
      return index.flags().testFlag(Qt::ItemIsEditable);
    };
    QVERIFY(!isOffered(cell));
    QVERIFY(table.cellOf(cell).isEmpty());
    const QString tip = cell.data(Qt::ToolTipRole).toString();
    QVERIFY2(tip.contains("AirTraffic-Base.xml") && tip.contains("write-protected"),
             qPrintable(tip));
    QVERIFY(!isOffered(table.index(table.addRow(), 0)));
    QVERIFY(table.index(table.addRow(), 0)
                .data(Qt::ToolTipRole)
                .toString()
                .contains("write-protected"));
    QVERIFY(!isOffered(inTree));
    QVERIFY(inTree.data(Qt::ToolTipRole).toString().contains("write-protected"));
    // Other files are.
    table.setTable(tableOf(*loaded.model, findItem(*loaded.model, "HLAobjectRoot.RadarSite")));
    QVERIFY(isOffered(table.index(rowOf("position"), 1)));
    // Rights that change are followed.
    table.setTable(tableOf(*loaded.model, findItem(*loaded.model, "HLAobjectRoot.Track.Flight")));
    QVERIFY(!isOffered(table.index(rowOf("callsign"), 1)));
    QVERIFY(::chmod(qPrintable(paths_[0]), 0640) == 0);
    modules.noteOnDisk(readForEditing(paths_[0]));
    table.noteRights();
    outline.noteRights();
    QVERIFY(isOffered(table.index(rowOf("callsign"), 1)));
    QVERIFY(isOffered(table.index(table.addRow(), 0)));
    QVERIFY(isOffered(inTree));
    // The MIM's are the standard's.
    table.setTable(tableOf(*loaded.model, findItem(*loaded.model, "datatype:HLAboolean")));
    QVERIFY(!isOffered(table.index(0, 0)));
    QVERIFY(table.index(0, 0).data(Qt::ToolTipRole).toString().contains("HLAstandardMIM"));
  }

  void modulesThatStayOpenKeepTheirPartOfTheHistory() {
    OpenModules modules;
    modules.open(paths_);
    const QByteArray base = bytesOf(modules, 0);
    QVERIFY(modules.apply({"base", {semantics(modules, 0, "HLAobjectRoot.Track", "one")}}));
    QVERIFY(
        modules.apply({"weather", {semantics(modules, 2, "HLAobjectRoot.WeatherCell", "one")}}));
    QVERIFY(modules.apply({"both",
                           {semantics(modules, 0, "HLAobjectRoot.Track", "two"),
                            semantics(modules, 2, "HLAobjectRoot.WeatherCell", "two")}}));
    QVERIFY(modules.apply({"last", {semantics(modules, 0, "HLAobjectRoot.Track", "three")}}));
    modules.undo();
    modules.open(QStringList{paths_[1], paths_[0]});
    QCOMPARE(modules.indexOf(paths_[0]), 1);
    QCOMPARE(modules.indexOf(paths_[2]), -1);
    QCOMPARE(modules.modified(), QList<int>{1});
    QCOMPARE(modules.edits(1), 2);
    QCOMPARE(modules.undoLabel(), QString("both"));
    QCOMPARE(modules.redoLabel(), QString("last"));
    modules.redo();
    QVERIFY(bytesOf(modules, 1).contains("three"));
    modules.undo();
    modules.undo();
    QCOMPARE(modules.undoLabel(), QString("base"));
    modules.undo();
    QCOMPARE(bytesOf(modules, 1), base);
    QVERIFY(!modules.canUndo());
    modules.open(QStringList{});
    QVERIFY(!modules.canRedo());
  }

  void discardedEditsCanBeUndone() {
    OpenModules modules;
    modules.open(paths_);
    QVERIFY(modules.apply({"mine", {semantics(modules, 2, "HLAobjectRoot.WeatherCell", "mine")}}));
    modules.discard(modules.modified());
    QVERIFY(modules.modified().isEmpty());
    QCOMPARE(bytesOf(modules, 2), contentOf(paths_[2]));
    modules.undo();
    QVERIFY(bytesOf(modules, 2).contains("mine"));
    QCOMPARE(modules.edits(2), 1);
  }

  void theWatchReportsWhatChanged() {
    ModuleWatch watch;
    watch.setInterval(20);
    QSignalSpy seen(&watch, &ModuleWatch::seen);
    const auto last = [&] { return seen.last().front().value<ModuleFile>(); };
    watch.setPaths({paths_[2]});
    QTRY_COMPARE_WITH_TIMEOUT(seen.size(), 1, kLong);
    write(paths_[2], "<objectModel/>");
    QTRY_VERIFY_WITH_TIMEOUT(last().bytes && *last().bytes == "<objectModel/>", kLong);
    // An editor that puts a new file in its place.
    write(folder_->filePath("new"), "<objectModel> </objectModel>");
    QVERIFY(::rename(qPrintable(folder_->filePath("new")), qPrintable(paths_[2])) == 0);
    QTRY_VERIFY_WITH_TIMEOUT(last().bytes && *last().bytes == "<objectModel> </objectModel>",
                             kLong);
    QVERIFY(QFile::remove(paths_[2]));
    QTRY_VERIFY_WITH_TIMEOUT(last().isGone, kLong);
    QVERIFY(::mkfifo(qPrintable(paths_[2]), 0600) == 0);
    write(paths_[1], "<objectModel>a</objectModel>");
    watch.setPaths({paths_[1], paths_[2]});
    // A pipe in the place of a file keeps nobody waiting.
    QTRY_VERIFY_WITH_TIMEOUT(last().path == paths_[1], kLong);
  }

  void unsavedEditsOutliveAConsole() {
    QString file;
    const QByteArray before = contentOf(paths_[2]);
    {
      OpenModules modules;
      ModuleAutosave autosave(modules);
      autosave.setDelay(20);
      modules.open(paths_);
      QVERIFY(
          modules.apply({"mine", {semantics(modules, 2, "HLAobjectRoot.WeatherCell", "mine")}}));
      const QDir folder(ModuleRecovery::folder());
      const auto kept = [&] { return folder.entryList({"*.module-edits"}, QDir::Files); };
      QTRY_COMPARE_WITH_TIMEOUT(kept().size(), 1, kLong);
      // Its console lives: nothing to offer.
      QVERIFY(ModuleRecovery::list(paths_).empty());
      struct stat status {};
      QCOMPARE(::stat(qPrintable(folder.filePath(kept().front())), &status), 0);
      QCOMPARE(static_cast<int>(status.st_mode & 0777), 0600);
      // What a killed console leaves: the file, and a lock of a process that is gone.
      file = folder.filePath(kept().front());
      // A console that listed a file of this name before cannot take them.
      const auto refused = ModuleRecovery::load(file);
      QVERIFY(!refused);
      QVERIFY2(refused.error().contains("Another console"), qPrintable(refused.error()));
      QVERIFY(!ModuleRecovery::discard(file));
      QVERIFY(QFile::copy(file, folder_->filePath("copy")));
      modules.undo();
      QTRY_VERIFY_WITH_TIMEOUT(kept().isEmpty(), kLong);
      modules.redo();
      QTRY_COMPARE_WITH_TIMEOUT(kept().size(), 1, kLong);
      QVERIFY(modules.save({2}));
      QTRY_VERIFY_WITH_TIMEOUT(kept().isEmpty(), kLong);
    }
    write(paths_[2], before);
    QVERIFY(QFile::copy(folder_->filePath("copy"), file));
    const auto offered = ModuleRecovery::list(paths_);
    QCOMPARE(offered.size(), 1U);
    QCOMPARE(offered.front().module, paths_[2]);
    QCOMPARE(offered.front().edits, 1);
    const auto edits = ModuleRecovery::load(offered.front().file);
    QVERIFY2(edits, qPrintable(edits ? QString() : edits.error()));
    OpenModules modules;
    modules.open(paths_);
    auto done = modules.recover(2, edits->bytes, edits->savedThen);
    QVERIFY2(done, qPrintable(done ? QString() : done.error()));
    QVERIFY(bytesOf(modules, 2).contains("mine"));
    QVERIFY(modules.isModified(2));
    QVERIFY(!modules.isChangedOnDisk(2));
    QCOMPARE(modules.undoLabel(), QString("recover unsaved edits"));
    modules.undo();
    QCOMPARE(bytesOf(modules, 2), before);

    // The file was changed since: recovering must not lead to overwriting that.
    QByteArray theirs = before;
    theirs.replace("A column of weather", "theirs");
    write(paths_[2], theirs);
    OpenModules later;
    later.open(paths_);
    QVERIFY(later.recover(2, edits->bytes, edits->savedThen));
    QVERIFY(later.isChangedOnDisk(2));
    QVERIFY(!later.save({2}));
    QCOMPARE(contentOf(paths_[2]), theirs);
    // Nor does another look at the file, or one change of it and back, decide that.
    later.noteOnDisk(readForEditing(paths_[2]));
    QVERIFY(later.isChangedOnDisk(2));
    QByteArray others = theirs;
    others.replace("theirs", "others");
    write(paths_[2], others);
    later.noteOnDisk(readForEditing(paths_[2]));
    write(paths_[2], theirs);
    later.noteOnDisk(readForEditing(paths_[2]));
    QVERIFY(later.isChangedOnDisk(2));
    QVERIFY(!later.save({2}));
    QCOMPARE(contentOf(paths_[2]), theirs);
    // Should this console be killed, too, the next one still knows.
    QCOMPARE(later.savedDigest(2), edits->savedThen);
    later.undo();
    QVERIFY(!later.isChangedOnDisk(2));
    later.redo();
    QVERIFY(later.isChangedOnDisk(2));
    later.keepMine(2);
    later.noteOnDisk(readForEditing(paths_[2]));
    QVERIFY(later.save({2}));
    QVERIFY(contentOf(paths_[2]).contains("mine"));

    // What is no recovery file is none.
    write(file, "{}\n<objectModel/>");
    QVERIFY(ModuleRecovery::list(paths_).empty());
    QVERIFY(!ModuleRecovery::load(file));
    write(file, contentOf(folder_->filePath("copy")).left(300));
    const auto half = ModuleRecovery::load(file);
    QVERIFY(half);
    QVERIFY(!later.recover(0, half->bytes, half->savedThen));
  }

  void editsThatCannotBeKeptAreSaidOnce() {
    OpenModules modules;
    ModuleAutosave autosave(modules);
    autosave.setDelay(10 * kLong);
    modules.open(paths_);
    QSignalSpy failed(&autosave, &ModuleAutosave::failed);
    QVERIFY(modules.apply({"mine", {semantics(modules, 2, "HLAobjectRoot.WeatherCell", "mine")}}));
    rlimit unlimited{};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
    rlimit small = unlimited;
    small.rlim_cur = 1000;
    const auto oldHandler = std::signal(SIGXFSZ, SIG_IGN);
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
    autosave.writeNow();
    autosave.writeNow();
    setrlimit(RLIMIT_FSIZE, &unlimited);
    std::signal(SIGXFSZ, oldHandler);
    QCOMPARE(failed.size(), 1);
    QVERIFY2(failed.front().front().toString().contains("cannot be written"),
             qPrintable(failed.front().front().toString()));
    const QDir folder(ModuleRecovery::folder());
    QVERIFY(folder.entryList({"*.module-edits"}, QDir::Files).isEmpty());
    autosave.writeNow();
    QCOMPARE(folder.entryList({"*.module-edits"}, QDir::Files).size(), 1);
    QCOMPARE(failed.size(), 1);
  }

  void theModelIsReadFromTheEditedTexts() {
    OpenModules modules;
    modules.open(paths_);
    QVERIFY(modules.apply(
        {"rename",
         {{2, setCell(*modules.source(2),
                      findClass(*modules.source(2), true, "HLAobjectRoot.WeatherCell"), "name",
                      "Cloud")}}}));
    const LoadedModel edited = loadModel(paths_, modules.texts());
    QVERIFY(!findItem(*edited.model, "object:HLAobjectRoot.Cloud").isNull());
    QVERIFY(edited.files.isEmpty());
    ModuleTexts one = modules.texts();
    one.remove(paths_[0]);
    const LoadedModel mixed = loadModel(paths_, one);
    QCOMPARE(mixed.files.size(), 1);
    QCOMPARE(mixed.files.front().path, paths_[0]);
    QVERIFY(mixed.files.front().source != nullptr);
    const LoadedModel missing = loadModel({"/no/such.xml"}, {});
    const LoadedModel before = loadModel({"/no/such.xml"});
    QCOMPARE(missing.findings, before.findings);
  }

  void whatIsEditedIsNamed() {
    OpenModules modules;
    modules.open(paths_);
    const ModuleFile saved = readForEditing(paths_[0]);
    const auto edited = [&] {
      QStringList items = editedItems(*saved.source, *modules.source(0)).values();
      items.sort();
      return items;
    };
    QCOMPARE(edited(), QStringList());
    // A class counts without its subclasses.
    QVERIFY(modules.apply({"describe", {semantics(modules, 0, "HLAobjectRoot.Track", "new")}}));
    QCOMPARE(edited(), QStringList{"object:HLAobjectRoot.Track"});
    const ModuleSource& source = *modules.source(0);
    const ElementId table = findTable(source, {"dataTypes", "simpleDataTypes"});
    const ElementId angle = findRow(source, table, "simpleData", "Angle64");
    QVERIFY(modules.apply({"describe", {{0, setCell(source, angle, "units", "rad")}}}));
    QCOMPARE(edited(), (QStringList{"datatype:Angle64", "object:HLAobjectRoot.Track"}));
    modules.undo();
    modules.undo();
    QCOMPARE(edited(), QStringList());
  }

  void linesThatWereChanged() {
    const auto printed = [](const QString& before, const QString& now) {
      QString marks;
      for (const LineChange c : lineChanges(before, now).lines) {
        marks += c == LineChange::Same ? '=' : c == LineChange::Changed ? '~' : '+';
      }
      return marks;
    };
    QCOMPARE(printed("a\nb\nc", "a\nb\nc"), QString());
    QCOMPARE(printed("a\nb\nc", "a\nB\nc"), QString("=~="));
    QCOMPARE(printed("a\nb\nc", "a\nb\nx\ny\nc"), QString("==++="));
    QCOMPARE(printed("a\nb\nc", "a\nX\nY\nc"), QString("=~+="));
    QCOMPARE(printed("a\nb\nc\nd\ne\nf", "a\nB\nc\nd\ne\nf\ng"), QString("=~====+"));
    QCOMPARE(printed("a\nb\nc\nd", "a\nd"), QString("=="));
    QCOMPARE(lineChanges(u"a\nb\nc\nd", u"a\nd").removed, 2);
    QCOMPARE(printed("", "a\nb"), QString("~+"));
    QString big;
    QString other;
    for (int i = 0; i < 5000; ++i) {
      big += QString::number(i) + '\n';
      other += QString::number(-i) + '\n';
    }
    QCOMPARE(lineChanges(big, other).changed, 4999);
  }

 private:
  QTemporaryDir home_;
  std::unique_ptr<QTemporaryDir> folder_;
  QStringList paths_;
};

QTEST_GUILESS_MAIN(TestOpenModules)
#include "tst_open_modules.moc"
