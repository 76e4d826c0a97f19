// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/document_notices.h"

#include <QDateTime>
#include <QFileInfo>

#include "composer/model/document.h"
#include "resources/theme/format.h"

namespace tutti::app {

using theme::RunTrouble;

DocumentNotices::DocumentNotices(composer::Document& document, Actions actions, QObject* parent)
    : QObject(parent), document_(document), actions_(std::move(actions)) {
  connect(&document_, &composer::Document::presenceChanged, this, &DocumentNotices::changed);
}

void DocumentNotices::lookForUnsavedEdits() {
  unsaved_ = composer::Recovery::list();
  Q_EMIT changed();
}

QList<RunTrouble> DocumentNotices::all() const {
  QList<RunTrouble> result;
  if (document_.alsoOpenIn() && !document_.isFileShared()) result << alsoOpen();
  for (const composer::Recoverable& edits : unsaved_) result << unsaved(edits);
  return result;
}

RunTrouble DocumentNotices::alsoOpen() const {
  RunTrouble notice;
  notice.state = theme::State::Warning;
  notice.id = QStringLiteral("open-twice/") + document_.path();
  notice.title = tr("%1 is also open in another console, %2")
                     .arg(QFileInfo(document_.path()).fileName(), document_.alsoOpenIn()->text());
  notice.detail =
      tr("The other console opened it first; saving is off here, so that neither overwrites the "
         "other. Both can run it: each run has an RTI of its own.");
  notice.brief = tr("open twice");
  notice.actions << RunTrouble::Action{tr("Save as a copy…"), actions_.saveCopy}
                 << RunTrouble::Action{tr("Edit here too"),
                                       [document = &document_] { document->shareFile(); }};
  return notice;
}

RunTrouble DocumentNotices::unsaved(const composer::Recoverable& edits) const {
  const QString name =
      edits.document.isEmpty() ? edits.federation : QFileInfo(edits.document).fileName();
  RunTrouble notice;
  notice.state = theme::State::Info;
  notice.id = QStringLiteral("unsaved/") + edits.file;
  notice.title = tr("%1 has edits that were not saved").arg(name);
  notice.detail = tr("A console ended without saving them; they are from %1.")
                      .arg(theme::formatWhen(edits.written, QDateTime::currentDateTime()));
  notice.brief = tr("unsaved edits");
  auto* self = const_cast<DocumentNotices*>(this);
  // Copies: deciding changes the list.
  notice.actions << RunTrouble::Action{tr("Recover %1").arg(name),
                                       [self, edits] {
                                         self->actions_.recover(edits);
                                         self->lookForUnsavedEdits();
                                       }}
                 << RunTrouble::Action{tr("Discard them"), [self, edits] {
                                         composer::Recovery::discard(edits.file);
                                         self->lookForUnsavedEdits();
                                       }};
  return notice;
}

}  // namespace tutti::app
