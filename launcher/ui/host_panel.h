// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>
#include <cstdint>

#include "launcher/engine/preflight.h"

namespace tutti::theme {
class StatePill;
}
class QLabel;

namespace tutti::launcher {

/// A bar of one resource: in use, wanted by this composition, free; with its figure at the right.
class CapacityBar : public QWidget {
  Q_OBJECT

 public:
  explicit CapacityBar(const QString& label, QWidget* parent = nullptr);

  /// Amounts in one unit; `text` is what stands at the right, `source` where the figures come from.
  void setAmounts(double used, double wanted, double total, const QString& text,
                  const QString& source);
  QString text() const { return text_; }
  QSize sizeHint() const override { return {240, 32}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString label_;
  QString text_;
  double used_ = 0;
  double wanted_ = 0;
  double total_ = 1;
};

/// This machine, the one host there is so far: what it has, what is in use, what the composition
/// wants. Reads /proc twice a second while it is active.
class HostPanel : public QWidget {
  Q_OBJECT

 public:
  explicit HostPanel(QWidget* parent = nullptr);

  /// What the enabled federates say they need.
  void setWanted(double cores, double memoryMb);
  void setActive(bool active);
  const MachineState& machine() const { return machine_; }

 private:
  void sample();
  void show();

  MachineState machine_;
  double wantedCores_ = 0;
  double wantedMemoryMb_ = 0;
  double busyCores_ = 0;
  std::uint64_t lastBusy_ = 0;
  std::uint64_t lastTotal_ = 0;
  QTimer timer_;
  QLabel* name_;
  QLabel* detail_;
  CapacityBar* cores_;
  CapacityBar* memory_;
  QLabel* load_;
};

}  // namespace tutti::launcher
