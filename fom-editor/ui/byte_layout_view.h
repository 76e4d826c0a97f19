// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>
#include <QWidget>

#include "fom-editor/model/data_layout.h"
#include "resources/theme/theme.h"

namespace tutti::fomedit {

/// The octets of a value part by part: a row of boxes with hexadecimal digits, a colour each part.
/// Parts of variable size are hollow.
class ByteLayoutView : public QWidget {
  Q_OBJECT
 public:
  explicit ByteLayoutView(QWidget* parent = nullptr);

  void setLayoutParts(const QList<LayoutPart>& parts);
  /// Octets of the part at that position; empty where unknown.
  void setOctets(const QList<QByteArray>& octets);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {200, sizeHint().height()}; }
  bool hasHeightForWidth() const override { return false; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Block {
    int part = 0;
    int top = 0;
    int rows = 1;        ///< of eight boxes
    bool half = false;   ///< shares its row with another part of up to four octets
    bool right = false;  ///< the second of the two
  };
  void arrange();
  void paintPart(QPainter& painter, const Block& block, const QColor& ink,
                 const theme::Palette& palette) const;

  QList<LayoutPart> parts_;
  QList<QByteArray> octets_;
  QList<Block> blocks_;
  int height_ = 0;
  int hidden_ = 0;  ///< parts beyond what is drawn
};

}  // namespace tutti::fomedit
