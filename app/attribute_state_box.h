// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>
#include <stop_token>
#include <tl/expected.hpp>

#include "monitor/engine/attribute_state.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace tutti::app {

/// Has one federate own an attribute of an object instance, or own it no longer, by
/// HLAmodifyAttributeState of the MOM (IEEE 1516.1-2010, 11.4). The node is asked in threads of
/// Qt's pool.
class AttributeStateBox : public QWidget {
  Q_OBJECT
 public:
  AttributeStateBox(const QString& node, const QString& federation, QWidget* parent = nullptr);
  ~AttributeStateBox() override;

  /// Empty: none, or several; nothing can be modified then.
  void setFederate(const QString& federate);
  /// A federate has been told, and is waited for.
  bool isBusy() const { return busy_; }

 Q_SIGNALS:
  void busyChanged();
  /// What came of it, in sentences.
  void told(const QString& what, bool isDone);

 protected:
  /// Return in the field modifies, and does not set what else was changed in the dialog.
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void modify();
  void take(const QString& federate,
            const tl::expected<monitor::ModifiedAttribute, QString>& result,
            const monitor::InstanceAttribute& which);
  void showState();

  const QString node_;
  const QString federation_;
  QString federate_;
  bool busy_ = false;
  QLineEdit* which_ = nullptr;
  QComboBox* state_ = nullptr;
  QPushButton* modify_ = nullptr;
  std::stop_source stop_;
};

}  // namespace tutti::app
