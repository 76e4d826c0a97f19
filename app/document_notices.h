// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>
#include <functional>
#include <vector>

#include "composer/model/recovery.h"
#include "resources/theme/run_status.h"

namespace tutti::composer {
class Document;
}

namespace tutti::app {

/// What the operator has to know about the document itself, for the banner: that another console
/// has it open, and edits that a console left unsaved when it was killed.
class DocumentNotices : public QObject {
  Q_OBJECT
 public:
  /// What the notices' buttons do that needs the window.
  struct Actions {
    std::function<void()> saveCopy;
    std::function<void(const composer::Recoverable&)> recover;
  };

  /// `document` outlives this.
  DocumentNotices(composer::Document& document, Actions actions, QObject* parent = nullptr);

  /// Looks for edits that wait to be recovered; they stay in the list until that is decided.
  void lookForUnsavedEdits();
  /// Worst first.
  QList<theme::RunTrouble> all() const;

 Q_SIGNALS:
  void changed();

 private:
  theme::RunTrouble alsoOpen() const;
  theme::RunTrouble unsaved(const composer::Recoverable& edits) const;

  composer::Document& document_;
  Actions actions_;
  std::vector<composer::Recoverable> unsaved_;
};

}  // namespace tutti::app
