// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/edited_items_finder.h"

#include <QMetaObject>
#include <utility>

namespace tutti::fomedit {

namespace {

ItemDefinitions definitionsIn(const ModuleBytes& bytes, const QString& path) {
  const auto source = parseByContent(*bytes, path.toStdString());
  return source ? itemDefinitions(*source) : ItemDefinitions();
}

}  // namespace

EditedItemsFinder::EditedItemsFinder(QObject* parent) : QObject(parent) {
  pool_.setMaxThreadCount(1);
}

EditedItemsFinder::~EditedItemsFinder() {
  ++latest_;  // what still waits is skipped
  pool_.waitForDone();
}

void EditedItemsFinder::find(const QList<EditedModule>& modules) {
  if (modules == asked_) return;
  asked_ = modules;
  const std::uint64_t request = ++latest_;
  if (modules.isEmpty()) {
    Q_EMIT found({});
    return;
  }
  pool_.start([this, request, modules] {
    QSet<QString> items;
    auto known = std::exchange(saved_, {});
    for (const EditedModule& module : modules) {
      if (request != latest_) return;
      // The file is read once for all edits until it is saved.
      auto saved = known.value(module.path);
      if (saved.first != module.saved)
        saved = {module.saved, definitionsIn(module.saved, module.path)};
      saved_.insert(module.path, saved);
      items += editedItems(saved.second, definitionsIn(module.now, module.path));
    }
    QMetaObject::invokeMethod(
        this,
        [this, request, items] {
          if (request == latest_) Q_EMIT found(items);
        },
        Qt::QueuedConnection);
  });
}

}  // namespace tutti::fomedit
