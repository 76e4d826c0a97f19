// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "composer/model/composition.h"

class QComboBox;
class QDoubleSpinBox;
class QSpinBox;

namespace tutti::composer {

/// When a federate is started again, and, unless never, how often in a row and after how long.
class RestartField : public QWidget {
  Q_OBJECT
 public:
  explicit RestartField(QWidget* parent = nullptr);

  void setRestart(const Restart& restart);

 Q_SIGNALS:
  /// By a person, not by setRestart().
  void edited(const tutti::composer::Restart& restart);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void changed();
  void showUsed();

  QComboBox* when_;
  QSpinBox* limit_;
  QDoubleSpinBox* backoff_;
  Restart restart_;  ///< exactly: the fields round
};

}  // namespace tutti::composer
