// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <array>
#include <functional>

#include "fom-editor/model/loaded_model.h"
#include "fom-editor/ui/source_view.h"

class QLabel;

namespace tutti::fomedit {

class PlaceButton;

/// A finding about two declarations that contradict each other, with both texts side by side. Each
/// heading leads to its file.
class DeclarationPair : public QWidget {
  Q_OBJECT
 public:
  explicit DeclarationPair(QWidget* parent = nullptr);

  /// As SourceView::setProvider().
  void setProvider(const std::function<SourceText(const QString& file)>& provider);
  /// Both places are read again.
  void showFinding(const Finding& finding);
  /// What was shown, as it is edited now.
  void refresh();
  /// Whether a finding has two places to show.
  static bool isFor(const Finding& finding);

 Q_SIGNALS:
  void placeChosen(const QString& file, int line);
  /// The person wants to see the item again.
  void closed();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Side {
    PlaceButton* place = nullptr;
    SourceView* source = nullptr;
    QString file;
    int line = 0;
  };
  QLabel* text_;
  QLabel* hint_;
  std::array<Side, 2> sides_;
};

}  // namespace tutti::fomedit
