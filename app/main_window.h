// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QMainWindow>
#include <functional>

#include "app/heartbeat.h"
#include "resources/theme/finder.h"
#include "resources/theme/run_status.h"
#include "resources/theme/theme.h"
#include "resources/theme/workspace.h"

class QGridLayout;
class QLabel;
class QSettings;
class QStackedWidget;
class QUndoGroup;
class QVBoxLayout;

namespace tutti::composer {
class Document;
struct Recoverable;
}  // namespace tutti::composer

namespace tutti::theme {
class Banner;
}

namespace tutti::app {

class DocumentFiles;
class DocumentNotices;
class FindField;
class GuideWindow;
class KeysPanel;
class MainMenus;
class PulseBar;
class Rail;
class StartPage;
class StatusLine;
class Toast;
class TroubleBanner;

/// The window: menu row, pulse bar, rail, the pages, banner and status bar. It knows pages only as
/// theme::Workspace and the run only as theme::RunStatus, so it runs with stand-ins in tests.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  struct Parts {
    theme::Theme* theme = nullptr;           ///< outlives the window
    composer::Document* document = nullptr;  ///< outlives the window
    theme::RunStatus* run = nullptr;         ///< outlives the window
    QSettings* settings = nullptr;           ///< outlives the window
    QList<theme::Workspace*> pages;          ///< the window takes them
    QString samplesFolder;                   ///< *.federation.json to start from; may be empty
    QString guideFolder{};                   ///< pages of the guide; empty: there are none
  };

  explicit MainWindow(Parts parts);
  ~MainWindow() override;

  /// Opens a composition; on an error says so in the banner and leaves what is open.
  bool openFile(const QString& path);
  /// The same, but asks first when there are unsaved edits.
  bool offerFile(const QString& path);
  void showStartPage();
  bool isStartPageShown() const;
  theme::Workspace* currentPage() const;
  /// Shows a page by id; returns false when there is none.
  bool showPage(const QString& id, const QString& item = {});
  void resetLayout();

  Heartbeat* heartbeat() { return heartbeat_; }
  PulseBar* pulseBar() const { return pulse_; }
  FindField* findField() const { return find_; }
  StatusLine* statusLine() const { return status_; }
  theme::Banner* banner() const { return banner_; }

  void newComposition();
  /// Asks for a composition and opens it.
  void askForFile();
  /// Back or forward through the pages that were shown.
  void goHistory(int direction);
  void setAppearance(theme::Appearance appearance);
  void copyCommandLine();
  void showKeys();
  /// A page of the guide ("benchmarks.md#measure"); without one, that which fits what is shown.
  void showGuide(const QString& page = {});
  GuideWindow* guide() const { return guide_; }

  /// Says what failed, and why, in the banner until it is dismissed.
  void showError(const QString& title, const QString& detail);
  /// Says that something was done; 5 s.
  void showToast(const QString& text, const QString& link = {}, std::function<void()> onLink = {});
  /// Says in the status bar of every page what goes on; empty: nothing does.
  void setNote(const QString& note);

 protected:
  void closeEvent(QCloseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildBody();
  void buildMenuRow();
  void connectDocument();
  void showPageAt(int index, bool remember = true);
  void updateTitle();
  void updateCounts();
  void updateStatus();
  void placeBanner();
  void recover(const composer::Recoverable& edits);
  QStringList withNote(QStringList notes) const;
  void updateRunActions();
  void restoreAll();
  void saveAll();
  /// Asks what becomes of a run that goes on; false keeps the window open, for now or at all.
  bool mayLeaveRun();
  /// Whether there is a composition to give edits up for; else says why not.
  bool canRead(const QString& path);
  /// Asks about unsaved edits of the composition and of the pages; false keeps all.
  bool mayDiscard();
  /// What the banner has to say beside the run's troubles.
  QList<theme::RunTrouble> notices() const;

  Parts parts_;
  QString note_;
  Heartbeat* heartbeat_;
  QUndoGroup* undoGroup_;

  DocumentFiles* files_ = nullptr;
  MainMenus* menus_ = nullptr;
  DocumentNotices* notices_ = nullptr;
  QWidget* body_ = nullptr;
  QVBoxLayout* startColumn_ = nullptr;  ///< where the banner stands on the start page
  QGridLayout* bannerRow_ = nullptr;    ///< and on the others
  QLabel* pageTitle_ = nullptr;
  QLabel* pagePurpose_ = nullptr;  ///< in the row of the banner
  FindField* find_ = nullptr;
  PulseBar* pulse_ = nullptr;
  Rail* rail_ = nullptr;
  theme::Banner* banner_ = nullptr;
  TroubleBanner* troubles_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  QStackedWidget* outer_ = nullptr;
  StartPage* start_ = nullptr;
  StatusLine* status_ = nullptr;
  KeysPanel* keys_ = nullptr;
  GuideWindow* guide_ = nullptr;  ///< null before it was asked for
  Toast* toast_ = nullptr;

  QList<int> history_;
  int historyAt_ = -1;
  bool closing_ = false;  ///< as soon as the run is kept
};

}  // namespace tutti::app
