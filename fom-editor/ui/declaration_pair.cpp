// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/declaration_pair.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "fom-editor/ui/views.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

DeclarationPair::DeclarationPair(QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 8, 0, 0);
  column->setSpacing(8);
  const auto label = [&](const char* role, const char* name) {
    auto* made = theme::makeLabel(QString(), role, this);
    made->setObjectName(QString::fromLatin1(name));
    made->setWordWrap(true);
    made->setTextInteractionFlags(Qt::TextSelectableByMouse);
    made->setContentsMargins(12, 0, 12, 0);
    column->addWidget(made);
    return made;
  };
  text_ = label("table", "declarationText");
  hint_ = label("secondary", "declarationHint");
  QToolButton* close =
      theme::smallButton(QStringLiteral("close"), tr("Back to the item (Esc)"), this);
  close->setObjectName(QStringLiteral("declarationClose"));
  connect(close, &QToolButton::clicked, this, &DeclarationPair::closed);
  auto* row = new QHBoxLayout;
  row->setSpacing(0);
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    Side& side = sides_[i];
    if (i > 0) {
      auto* between = new QFrame(this);
      between->setProperty("role", QByteArray("divider"));
      between->setFixedWidth(1);
      row->addWidget(between);
    }
    auto* half = new QVBoxLayout;
    half->setSpacing(6);
    auto* heading = new QHBoxLayout;
    heading->setContentsMargins(12, 0, 12, 0);
    side.place = new PlaceButton(this);
    side.place->setObjectName(QStringLiteral("declarationPlace%1").arg(i));
    heading->addWidget(side.place);
    heading->addStretch(1);
    if (i + 1 == sides_.size()) heading->addWidget(close);
    half->addLayout(heading);
    side.source = new SourceView(this);
    side.source->setObjectName(QStringLiteral("declarationSource%1").arg(i));
    half->addWidget(side.source, 1);
    row->addLayout(half, 1);
    connect(side.place, &QAbstractButton::clicked, this,
            [this, i] { Q_EMIT placeChosen(sides_[i].file, sides_[i].line); });
  }
  column->addLayout(row, 1);
}

void DeclarationPair::setProvider(const std::function<SourceText(const QString& file)>& provider) {
  for (Side& side : sides_) side.source->setProvider(provider);
}

bool DeclarationPair::isFor(const Finding& finding) {
  return finding.line > 0 && finding.otherLine > 0 && !finding.otherFile.isEmpty();
}

void DeclarationPair::showFinding(const Finding& finding) {
  text_->setText(finding.text);
  hint_->setText(finding.hint);
  hint_->setVisible(!finding.hint.isEmpty());
  sides_[0].file = finding.file;
  sides_[0].line = finding.line;
  sides_[1].file = finding.otherFile;
  sides_[1].line = finding.otherLine;
  for (Side& side : sides_) {
    side.place->setPlace(placeText(side.file, side.line));
    side.source->forget();
    side.source->setAccessibleName(tr("Declaration in %1").arg(placeText(side.file, side.line)));
  }
  refresh();
}

void DeclarationPair::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  // The lines stay in the middle.
  QMetaObject::invokeMethod(this, &DeclarationPair::refresh, Qt::QueuedConnection);
}

void DeclarationPair::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    Q_EMIT closed();
  } else {
    QWidget::keyPressEvent(event);
  }
}

void DeclarationPair::refresh() {
  for (Side& side : sides_) {
    if (!side.file.isEmpty()) side.source->showPlace(side.file, side.line);
  }
}

}  // namespace tutti::fomedit
