// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/document_files.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QUndoStack>

#include "composer/model/document.h"

namespace tutti::app {

namespace {

constexpr int kMostRecent = 8;

QString recentKey() { return QStringLiteral("recent"); }
QString fileFilter() { return QObject::tr("Compositions (*.federation.json);;All files (*)"); }

}  // namespace

DocumentFiles::DocumentFiles(composer::Document& document, QSettings& settings,
                             QString samplesFolder, QWidget* window)
    : QObject(window),
      document_(document),
      settings_(settings),
      samplesFolder_(std::move(samplesFolder)),
      window_(window) {}

tl::expected<void, composer::Error> DocumentFiles::load(const QString& path) {
  auto loaded = document_.load(path);
  if (loaded) remember(document_.path());
  return loaded;
}

QString DocumentFiles::askForOne() const {
  const QString folder =
      document_.path().isEmpty() ? samplesFolder_ : QFileInfo(document_.path()).path();
  return QFileDialog::getOpenFileName(window_, tr("Open a composition"), folder, fileFilter());
}

bool DocumentFiles::save() {
  if (document_.path().isEmpty()) return saveAs();
  const auto done = document_.save();
  if (!done) {
    Q_EMIT failed(tr("%1 was not saved").arg(QFileInfo(document_.path()).fileName()),
                  done.error().message());
    return false;
  }
  Q_EMIT saved();
  return true;
}

QString DocumentFiles::suggestedPath() const {
  if (!document_.path().isEmpty()) return document_.path();
  QString name = document_.composition().settings.federation;
  name.replace(u'/', u'-');
  // Where the window was started from is nobody's choice.
  return QDir::home().filePath((name.isEmpty() ? QStringLiteral("federation") : name) +
                               QStringLiteral(".federation.json"));
}

bool DocumentFiles::saveAs() {
  QString path = QFileDialog::getSaveFileName(window_, tr("Save the composition as"),
                                              suggestedPath(), fileFilter());
  if (path.isEmpty()) return false;
  if (!path.endsWith(QStringLiteral(".json"))) path += QStringLiteral(".federation.json");
  const auto done = document_.saveAs(path);
  if (!done) {
    Q_EMIT failed(tr("%1 was not saved").arg(QFileInfo(path).fileName()), done.error().message());
    return false;
  }
  remember(document_.path());
  Q_EMIT saved();
  return true;
}

bool DocumentFiles::mayDiscard() {
  if (!document_.isModified()) return true;
  QMessageBox box(window_);
  box.setObjectName(QStringLiteral("discardChanges"));
  box.setIcon(QMessageBox::NoIcon);
  box.setText(tr("%1 has unsaved edits.").arg(document_.composition().settings.federation));
  box.setInformativeText(tr("The last one: %1.").arg(document_.undoStack().undoText()));
  QPushButton* keep = box.addButton(tr("Save"), QMessageBox::AcceptRole);
  QPushButton* drop = box.addButton(tr("Discard edits"), QMessageBox::DestructiveRole);
  box.addButton(tr("Keep editing"), QMessageBox::RejectRole);
  box.setDefaultButton(keep);
  box.exec();
  if (box.clickedButton() == keep) return save();
  return box.clickedButton() == drop;
}

QStringList DocumentFiles::recent() const {
  QStringList files = settings_.value(recentKey()).toStringList();
  files.removeIf([](const QString& file) { return !QFileInfo::exists(file); });
  return files;
}

void DocumentFiles::remember(const QString& path) {
  QStringList files = settings_.value(recentKey()).toStringList();
  files.removeAll(path);
  files.prepend(path);
  settings_.setValue(recentKey(), files.mid(0, kMostRecent));
}

}  // namespace tutti::app
