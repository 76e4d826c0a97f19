// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QScrollArea>
#include <QString>

#include "composer/model/composition.h"

class QGridLayout;
class QVBoxLayout;

namespace tutti::composer {
class Catalog;
}

namespace tutti::app {

/// A row or card that is one button: frame, hover, focus ring; content in its layout.
class Card : public QAbstractButton {
  Q_OBJECT
 public:
  /// Rows of a list have a line below instead of a frame of their own.
  explicit Card(bool row, QWidget* parent = nullptr);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  bool row_;
};

/// What the window shows while no composition is open: run the sample with one click, templates,
/// recent files, and what this machine offers.
class StartPage : public QScrollArea {
  Q_OBJECT
 public:
  /// `samplesFolder` holds *.federation.json; the first called air-traffic is the one to fly.
  StartPage(const composer::Catalog* catalog, const QString& samplesFolder,
            QWidget* parent = nullptr);

  void setRecent(const QStringList& files);
  /// Reads the machine again (memory, catalog).
  void refresh();
  QString sample() const { return sample_; }

 Q_SIGNALS:
  void openRequested(const QString& path, bool run);
  void newRequested();
  void templateRequested(const QString& path);
  void browseRequested();
  void pageRequested(const QString& id);
  /// Beside the page that was asked for: a page of the guide.
  void guideRequested(const QString& page);

 private:
  QWidget* buildHero();
  QWidget* buildTemplates();
  QWidget* buildRecent();
  QWidget* buildMachine();
  QWidget* buildLearn();

  const composer::Catalog* catalog_;
  QString samplesFolder_;
  QString sample_;
  QVBoxLayout* recent_ = nullptr;
  QVBoxLayout* machine_ = nullptr;
};

}  // namespace tutti::app
