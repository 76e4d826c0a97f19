// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

#include "composer/model/document.h"
#include "composer/model/proposal.h"

class QLabel;
class QListWidget;
class QPushButton;

namespace tutti::composer {

/// Compose from needs: the classes that components of the catalog publish, to be ticked, and what
/// would be added so that somebody publishes them, and what those components need in turn.
class NeedsPane : public QWidget {
  Q_OBJECT
 public:
  explicit NeedsPane(Document& document, QWidget* parent = nullptr);

  /// Reads the classes anew, nothing ticked, and takes the focus.
  void begin();

 Q_SIGNALS:
  /// Added (ids), or given up (empty).
  void done(const QStringList& federates);

 private:
  void fill();
  void showProposal();
  std::vector<Need> needs() const;

  Document& document_;
  QListWidget* classes_;
  QLabel* proposal_;
  QPushButton* add_;
  QPushButton* cancel_;
};

}  // namespace tutti::composer
