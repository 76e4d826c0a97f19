// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;
class QListWidget;
class QTextBrowser;

namespace tutti::app {

/// The pages of docs/guide as they came with this program, in a window beside the console. Links
/// between pages stay in it; all others open in the desktop's programs.
class GuideWindow : public QWidget {
  Q_OBJECT
 public:
  /// `folder`: where the pages are (composer::Catalog::documentsFolder() + "/guide").
  explicit GuideWindow(const QString& folder, QWidget* parent = nullptr);

  /// Shows a page, "benchmarks.md", at a heading, "benchmarks.md#compare-two-results". False when
  /// there is no such page.
  bool showPage(const QString& page);
  /// File name of the page that is shown.
  QString page() const;
  QTextBrowser* browser() const { return browser_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void follow(const QUrl& link);
  void fillList();
  void updateList();
  void updateMargins();
  /// Room between paragraphs, and colours of the theme, which Markdown does not bring.
  void dress();

  QString folder_;
  QListWidget* list_;
  QTextBrowser* browser_;
};

/// The fragment that Markdown renderers give a heading: "Compare two results" has
/// "compare-two-results".
QString headingFragment(const QString& heading);

}  // namespace tutti::app
