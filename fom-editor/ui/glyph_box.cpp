// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/glyph_box.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSaveFile>
#include <QVBoxLayout>

#include "fom-editor/model/open_modules.h"
#include "fom-editor/model/row_editor.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

namespace {

constexpr int kSide = 48;

QString bytesText(qsizetype bytes) {
  return bytes < 1024 ? QObject::tr("%1 B").arg(bytes)
                      : QObject::tr("%1 KiB").arg((bytes + 512) / 1024);
}

}  // namespace

GlyphBox::GlyphBox(RowEditor& rows, OpenModules& modules, QWidget* parent)
    : QWidget(parent), rows_(rows), modules_(modules) {
  setObjectName(QStringLiteral("glyphBox"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 8, 12, 8);
  row->setSpacing(12);
  picture_ = new QLabel(this);
  picture_->setObjectName(QStringLiteral("glyphPicture"));
  picture_->setFixedSize(kSide, kSide);
  picture_->setAlignment(Qt::AlignCenter);
  row->addWidget(picture_);
  auto* column = new QVBoxLayout;
  column->setSpacing(4);
  facts_ = new theme::ElidedLabel("caption", this);
  facts_->setObjectName(QStringLiteral("glyphFacts"));
  alt_ = new QLineEdit(this);
  alt_->setObjectName(QStringLiteral("glyphAlt"));
  alt_->setAccessibleName(tr("The glyph in words"));
  alt_->setPlaceholderText(tr("The glyph in words"));
  alt_->setProperty("dense", true);
  alt_->setMaximumWidth(360);
  column->addWidget(facts_);
  column->addWidget(alt_);
  row->addLayout(column, 1);
  const auto button = [&](const QString& text, const char* name) {
    auto* made = new QPushButton(text, this);
    made->setObjectName(QLatin1String(name));
    row->addWidget(made);
    return made;
  };
  choose_ = button(tr("Choose picture…"), "glyphChoose");
  save_ = button(tr("Save picture…"), "glyphSave");
  remove_ = button(tr("Remove glyph"), "glyphRemove");
  connect(choose_, &QPushButton::clicked, this, &GlyphBox::askForPicture);
  connect(save_, &QPushButton::clicked, this, &GlyphBox::askWhereToSave);
  connect(remove_, &QPushButton::clicked, this, [this] {
    rows_.apply(removeGlyph(rows_.changes(), modules_.indexOf(path_)));
    update();
  });
  connect(alt_, &QLineEdit::editingFinished, this, &GlyphBox::commit);
  hide();
}

void GlyphBox::showModule(int module) {
  path_ = module < 0 ? QString() : modules_.path(module);
  update();
}

/// Decodes the picture where it is another than at the last look: the page is updated at every
/// edit.
void GlyphBox::look(const ModuleSource& source) {
  const std::string_view text = glyphText(source);
  const qreal ratio = devicePixelRatioF();
  if (!text.empty() && text == text_ && ratio == ratio_) return;
  glyph_ = glyphOf(source);
  QImage image = glyphImage(glyph_, QSize(kSide, kSide) * ratio);
  image.setDevicePixelRatio(ratio);
  image_ = QPixmap::fromImage(image);
  // What is not looked at whole may change behind that.
  text_ = text.size() < maxGlyphText ? text : std::string_view();
  ratio_ = ratio;
}

void GlyphBox::update() {
  const int module = path_.isEmpty() ? -1 : modules_.indexOf(path_);
  const ModuleSource* source = module < 0 ? nullptr : modules_.readableSource(module);
  if (source == nullptr || source->isOf2000()) {
    glyph_ = {};
    text_.clear();
    hide();
    return;
  }
  const bool editable = modules_.readOnlyReason(module).isEmpty();
  const QString before = glyph_.alt;
  look(*source);
  if (!image_.isNull()) {
    picture_->setPixmap(image_);
  } else {
    picture_->setPixmap(
        theme::icon(glyph_.exists ? QStringLiteral("state-warning") : QStringLiteral("display"))
            .pixmap(24, 24));
  }
  picture_->setToolTip(glyph_.alt);
  picture_->setAccessibleName(glyph_.exists ? tr("Glyph: %1").arg(glyph_.alt) : tr("No glyph"));
  QStringList facts;
  if (!glyph_.exists) {
    facts << tr("No glyph");
  } else if (!glyph_.problem.isEmpty()) {
    facts << glyph_.problem;
  } else {
    facts << tr("Glyph") << glyph_.format;
    if (glyph_.size.isValid()) {
      facts << tr("%1 × %2 pixels").arg(glyph_.size.width()).arg(glyph_.size.height());
    }
    facts << bytesText(glyph_.picture.size());
  }
  facts_->setText(facts.join(QStringLiteral(", ")));
  // What is being written stays, unless the words are others now.
  if (!alt_->hasFocus() || glyph_.alt != before) alt_->setText(glyph_.alt);
  alt_->setVisible(glyph_.exists);
  alt_->setReadOnly(!editable);
  choose_->setEnabled(editable);
  choose_->setToolTip(
      editable ? tr("PNG, JPG, GIF, bitmap or TIFF, at most %1 KiB").arg(maxGlyphBytes / 1024)
               : modules_.readOnlyReason(module));
  save_->setVisible(!glyph_.picture.isEmpty());
  remove_->setVisible(glyph_.exists);
  remove_->setEnabled(editable);
  setVisible(glyph_.exists || editable);
}

tl::expected<void, QString> GlyphBox::choose(const QString& path) {
  const auto glyph = readGlyph(path);
  if (!glyph) return tl::unexpected(glyph.error());
  rows_.apply(setGlyph(rows_.changes(), modules_.indexOf(path_), *glyph));
  update();
  return {};
}

tl::expected<void, QString> GlyphBox::save(const QString& path) const {
  QSaveFile file(path);
  if (file.open(QIODevice::WriteOnly) && file.write(glyph_.picture) == glyph_.picture.size() &&
      file.commit()) {
    return {};
  }
  return tl::unexpected(
      tr("%1 cannot be written: %2.").arg(QFileInfo(path).fileName(), file.errorString()));
}

void GlyphBox::askForPicture() {
  const QString path =
      QFileDialog::getOpenFileName(this, tr("Choose a glyph"), QFileInfo(path_).path(),
                                   tr("Pictures (*.png *.jpg *.jpeg *.gif *.bmp *.tif *.tiff)"));
  if (path.isEmpty()) return;
  if (const auto done = choose(path); !done) {
    Q_EMIT failed(tr("The picture was not taken"), done.error());
  }
}

void GlyphBox::askWhereToSave() {
  const QString name = QFileInfo(path_).completeBaseName() + u'.' + glyphSuffix(glyph_);
  const QString path = QFileDialog::getSaveFileName(this, tr("Save the glyph"),
                                                    QFileInfo(path_).dir().filePath(name));
  if (path.isEmpty()) return;
  if (const auto done = save(path); !done) {
    Q_EMIT failed(tr("The picture was not saved"), done.error());
  }
}

void GlyphBox::commit() {
  if (isHidden() || !glyph_.exists || alt_->isReadOnly() || alt_->text() == glyph_.alt) return;
  rows_.apply(setGlyphAlt(rows_.changes(), modules_.indexOf(path_), alt_->text()));
  update();
}

}  // namespace tutti::fomedit
