// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <tl/expected.hpp>

#include "composer/model/error.h"

class QSettings;
class QWidget;

namespace tutti::composer {
class Document;
}

namespace tutti::app {

/// The document and its files: what is opened, saved and asked for, and which were opened last.
class DocumentFiles : public QObject {
  Q_OBJECT
 public:
  /// All outlive this. Dialogs belong to `window` and begin in `samplesFolder`, which may be empty.
  DocumentFiles(composer::Document& document, QSettings& settings, QString samplesFolder,
                QWidget* window);

  /// Opens a composition and remembers it; on an error leaves what is open.
  tl::expected<void, composer::Error> load(const QString& path);
  /// Asks for one to open; empty when the person does not want to.
  QString askForOne() const;
  /// False when it was not saved, after failed() said why, or when the person did not want to.
  bool save();
  bool saveAs();
  /// Where saveAs() begins: the file, or for what has none the home folder and the federation's
  /// name.
  QString suggestedPath() const;
  /// Asks when there are unsaved edits; false keeps the document.
  bool mayDiscard();
  /// Those that are still there, the last one first.
  QStringList recent() const;

 Q_SIGNALS:
  void saved();
  void failed(const QString& title, const QString& detail);

 private:
  void remember(const QString& path);

  composer::Document& document_;
  QSettings& settings_;
  QString samplesFolder_;
  QWidget* window_;
};

}  // namespace tutti::app
