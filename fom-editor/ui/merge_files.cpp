// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/merge_files.h"

#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QUrl>
#include <QVBoxLayout>

#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

namespace {

QStringList filesOf(const QMimeData& data) {
  QStringList files;
  for (const QUrl& url : data.urls()) {
    if (url.isLocalFile()) files << url.toLocalFile();
  }
  return files;
}

/// Names of the sides in object names.
constexpr std::array kNames{"mergeBase", "mergeOurs", "mergeTheirs"};

}  // namespace

FileField::FileField(QWidget* parent) : QComboBox(parent) {
  setEditable(true);
  setInsertPolicy(QComboBox::NoInsert);
  setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  setMinimumContentsLength(30);
  setAcceptDrops(true);
  // A file is no text to insert.
  lineEdit()->setAcceptDrops(false);
}

void FileField::setOffered(const QStringList& paths) {
  const QString kept = currentText();
  clear();
  addItems(paths);
  setCurrentIndex(-1);
  setEditText(kept);
}

QString FileField::path() const {
  QString path = QDir::fromNativeSeparators(currentText().trimmed());
  if (path.startsWith(QStringLiteral("~/"))) path.replace(0, 1, QDir::homePath());
  return path;
}

void FileField::setPath(const QString& path) {
  setEditText(QDir::toNativeSeparators(path));
  // The end of a path names the file.
  lineEdit()->setCursorPosition(static_cast<int>(lineEdit()->text().size()));
}

void FileField::dragEnterEvent(QDragEnterEvent* event) {
  if (!filesOf(*event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void FileField::dropEvent(QDropEvent* event) {
  const QStringList files = filesOf(*event->mimeData());
  if (files.isEmpty()) return;
  event->acceptProposedAction();
  Q_EMIT dropped(files);
}

MergeFiles::MergeFiles(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("mergeFiles"));
  setAcceptDrops(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(24, 24, 24, 24);
  column->setSpacing(12);
  column->addWidget(theme::makeLabel(tr("Merge two versions of a module"), "title", this));
  QLabel* lead = theme::makeLabel(
      tr("What changed from the base to theirs is brought into ours. Where both changed the same, "
         "you choose. No file is written before you save."),
      "lead", this);
  lead->setWordWrap(true);
  column->addWidget(lead);
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(4);
  grid->setColumnStretch(1, 1);
  const std::array titles{tr("Base"), tr("Ours"), tr("Theirs")};
  const std::array notes{tr("the version that both began with"),
                         tr("the version that is written: the rest of it stays byte for byte"),
                         tr("the version whose changes are brought in")};
  for (int side = 0; side < MergeState::SideCount; ++side) {
    const auto i = static_cast<std::size_t>(side);
    auto* field = new FileField(this);
    fields_[i] = field;
    field->setObjectName(QString::fromLatin1(kNames[i]) + QStringLiteral("File"));
    field->setAccessibleName(titles[i] + QStringLiteral(", ") + notes[i]);
    field->lineEdit()->setPlaceholderText(tr("Path of a file, or drop it here"));
    QLabel* name = theme::makeLabel(titles[i], "label-strong", this);
    name->setBuddy(field);
    auto* choose = new QPushButton(tr("Choose…"), this);
    choose->setObjectName(QString::fromLatin1(kNames[i]) + QStringLiteral("Choose"));
    choose->setAccessibleName(tr("Choose the file of %1").arg(titles[i]));
    grid->addWidget(name, 2 * side, 0);
    grid->addWidget(field, 2 * side, 1);
    grid->addWidget(choose, 2 * side, 2);
    QLabel* note = theme::makeLabel(notes[i], "caption", this);
    note->setContentsMargins(0, 0, 0, 8);
    grid->addWidget(note, 2 * side + 1, 1, 1, 2);
    connect(choose, &QPushButton::clicked, this, [this, side] { this->choose(side); });
    connect(field, &QComboBox::editTextChanged, this, &MergeFiles::check);
    connect(field, &FileField::dropped, this,
            [this, side](const QStringList& paths) { take(side, paths); });
    connect(field->lineEdit(), &QLineEdit::returnPressed, this, [this] {
      if (merge_->isEnabled()) merge_->click();
    });
  }
  column->addLayout(grid);
  fault_ = theme::makeLabel(QString(), "error", this);
  fault_->setObjectName(QStringLiteral("mergeFault"));
  fault_->setWordWrap(true);
  fault_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  fault_->hide();
  column->addWidget(fault_);
  auto* row = new QHBoxLayout;
  merge_ = new QPushButton(tr("Merge"), this);
  merge_->setObjectName(QStringLiteral("mergeStart"));
  merge_->setProperty("role", QByteArray("primary"));
  why_ = theme::makeLabel(QString(), "muted", this);
  why_->setObjectName(QStringLiteral("mergeWhyNot"));
  connect(merge_, &QPushButton::clicked, this, [this] {
    setFault({});
    Q_EMIT mergeRequested(path(MergeState::Base), path(MergeState::Ours), path(MergeState::Theirs));
  });
  row->addWidget(merge_);
  row->addWidget(why_, 1);
  column->addLayout(row);
  column->addStretch(1);
  setMaximumWidth(860);
  check();
}

void MergeFiles::setOffered(const QStringList& paths) {
  for (FileField* field : fields_) field->setOffered(paths);
}

QString MergeFiles::path(int side) const { return fields_[static_cast<std::size_t>(side)]->path(); }

void MergeFiles::setPath(int side, const QString& path) {
  fields_[static_cast<std::size_t>(side)]->setPath(path);
}

void MergeFiles::focusFirst() {
  for (FileField* field : fields_) {
    if (!field->path().isEmpty()) continue;
    field->setFocus(Qt::OtherFocusReason);
    return;
  }
  merge_->setFocus(Qt::OtherFocusReason);
}

void MergeFiles::setFault(const QString& fault) {
  fault_->setText(fault);
  fault_->setVisible(!fault.isEmpty());
}

void MergeFiles::choose(int side) {
  QString folder;
  for (int each = 0; each < MergeState::SideCount; ++each) {
    if (folder.isEmpty() || each == side) {
      if (!path(each).isEmpty()) folder = QFileInfo(path(each)).path();
    }
  }
  const std::array titles{tr("The base, which both began with"), tr("Ours, which is written"),
                          tr("Theirs, whose changes are brought in")};
  const QString file =
      QFileDialog::getOpenFileName(this, titles[static_cast<std::size_t>(side)], folder,
                                   tr("FOM modules (*.xml);;All files (*)"));
  if (!file.isEmpty()) setPath(side, file);
}

/// The first goes to that field, the others to those that are still empty.
void MergeFiles::take(int first, const QStringList& paths) {
  setPath(first, paths.value(0));
  qsizetype next = 1;
  for (int side = 0; side < MergeState::SideCount && next < paths.size(); ++side) {
    if (side != first && path(side).isEmpty()) setPath(side, paths[next++]);
  }
}

void MergeFiles::dragEnterEvent(QDragEnterEvent* event) {
  if (!filesOf(*event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MergeFiles::dropEvent(QDropEvent* event) {
  const QStringList files = filesOf(*event->mimeData());
  if (files.isEmpty()) return;
  event->acceptProposedAction();
  int first = 0;
  while (first + 1 < MergeState::SideCount && !path(first).isEmpty()) ++first;
  take(first, files);
}

void MergeFiles::check() {
  QStringList missing;
  const std::array titles{tr("base"), tr("ours"), tr("theirs")};
  for (int side = 0; side < MergeState::SideCount; ++side) {
    if (path(side).isEmpty()) missing << titles[static_cast<std::size_t>(side)];
  }
  QString why;
  if (!missing.isEmpty()) {
    why = tr("Still to choose: %1").arg(missing.join(QStringLiteral(", ")));
  } else if (path(MergeState::Ours) == path(MergeState::Theirs)) {
    why = tr("Ours and theirs are the same file.");
  }
  why_->setText(why);
  merge_->setEnabled(why.isEmpty());
}

}  // namespace tutti::fomedit
