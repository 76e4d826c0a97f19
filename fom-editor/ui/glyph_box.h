// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPixmap>
#include <QWidget>
#include <string>

#include "fom-editor/model/glyph.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace tutti::theme {
class ElidedLabel;
}

namespace tutti::fomedit {

class OpenModules;
class RowEditor;

/// The glyph of a module: its picture, what it is, and buttons to choose, save and remove it.
class GlyphBox : public QWidget {
  Q_OBJECT
 public:
  GlyphBox(RowEditor& rows, OpenModules& modules, QWidget* parent);

  /// Shows the glyph of a module by its place; -1, or a module without a glyph that cannot have
  /// one: the box hides.
  void showModule(int module);
  /// The same module as it is now.
  void update();
  /// Takes what is written and not taken yet.
  void commit();
  /// Takes a picture from a file. The error is text for a person.
  tl::expected<void, QString> choose(const QString& path);
  tl::expected<void, QString> save(const QString& path) const;

 Q_SIGNALS:
  void failed(const QString& title, const QString& detail);

 private:
  void look(const ModuleSource& source);
  void askForPicture();
  void askWhereToSave();

  RowEditor& rows_;
  OpenModules& modules_;
  QString path_;  ///< of the module
  Glyph glyph_;
  std::string text_;  ///< glyphText() of glyph_; empty: it has to be looked at again
  QPixmap image_;     ///< of glyph_, for ratio_; null: it cannot be shown
  qreal ratio_ = 0;
  QLabel* picture_;
  theme::ElidedLabel* facts_;
  QLineEdit* alt_;
  QPushButton* choose_;
  QPushButton* save_;
  QPushButton* remove_;
};

}  // namespace tutti::fomedit
