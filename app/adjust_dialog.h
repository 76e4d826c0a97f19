// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QList>
#include <QString>
#include <optional>
#include <stop_token>

#include "monitor/engine/federation_adjust.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace tutti::app {

class AttributeStateBox;

/// What the MOM lets an operator adjust in the federation execution of a run (IEEE 1516.1-2010,
/// 11.4, HLAadjust): shows what holds, and sets what was changed here, for all federates or one;
/// and has one of them own an instance attribute. The node is asked in threads of Qt's pool.
class AdjustDialog : public QDialog {
  Q_OBJECT
 public:
  /// `federate`: shown first; empty: all.
  AdjustDialog(const QString& node, const QString& federation, const QString& federate,
               QWidget* parent = nullptr);
  ~AdjustDialog() override;

  /// What holds is being asked for or set.
  bool isBusy() const;

 Q_SIGNALS:
  /// It is so, in a sentence.
  void wasSet(const QString& what);

 private:
  struct Switch {
    QCheckBox* box = nullptr;
    QString text;
    bool monitor::FederateAdjustments::*holds = nullptr;
    std::optional<bool> monitor::Adjustment::*wanted = nullptr;
  };

  QCheckBox* addSwitch(const QString& name, const QString& text, const QString& tip);
  void read();
  void apply();
  void take(const tl::expected<monitor::FederationAdjustments, QString>& result, bool set);
  void showValues();
  void showState();
  void setBusy(bool busy);
  /// What differs here from what holds.
  monitor::Adjustment changes() const;
  std::vector<const monitor::FederateAdjustments*> meant() const;

  const QString node_;
  const QString federation_;
  QString first_;  ///< to be chosen once it is known to be there
  std::optional<monitor::FederationAdjustments> now_;
  QString problem_;
  bool busy_ = false;
  QCheckBox* autoProvide_ = nullptr;
  QComboBox* federates_ = nullptr;
  QList<Switch> switches_;
  QSpinBox* period_ = nullptr;
  AttributeStateBox* attribute_ = nullptr;
  QLabel* state_ = nullptr;
  QPushButton* apply_ = nullptr;
  std::stop_source stop_;
};

}  // namespace tutti::app
