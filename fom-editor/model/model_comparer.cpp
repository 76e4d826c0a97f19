// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/model_comparer.h"

#include <QMetaObject>

#include "fom-editor/model/item.h"

namespace tutti::fomedit {

Comparison compareModels(const ComparisonRequest& request) {
  Comparison comparison;
  comparison.request = request;
  const LoadedModel before = loadModel(request.before, request.beforeTexts);
  const LoadedModel after = loadModel(request.after, request.afterTexts);
  for (const LoadedModel* side : {&before, &after}) {
    for (const Finding& f : side->findings) {
      if (f.level != Level::Loads) continue;
      comparison.fault = placeText(f.file, f.line) + QStringLiteral(": ") + f.text;
      return comparison;
    }
  }
  comparison.before = before.model;
  comparison.after = after.model;
  comparison.report =
      reportOf(before, after, request.options, request.components ? &*request.components : nullptr);
  return comparison;
}

ModelComparer::ModelComparer(QObject* parent) : QObject(parent) { pool_.setMaxThreadCount(1); }

ModelComparer::~ModelComparer() {
  ++latest_;  // what still waits is skipped
  pool_.waitForDone();
}

void ModelComparer::compare(const ComparisonRequest& request) {
  const std::uint64_t number = ++latest_;
  comparing_ = true;
  pool_.start([this, number, request] {
    if (number != latest_) return;
    const auto comparison = std::make_shared<const Comparison>(compareModels(request));
    QMetaObject::invokeMethod(
        this,
        [this, number, comparison] {
          if (number != latest_) return;
          comparing_ = false;
          Q_EMIT compared(comparison);
        },
        Qt::QueuedConnection);
  });
}

void ModelComparer::cancel() {
  if (!comparing_) return;
  ++latest_;
  comparing_ = false;
  // The next request does not wait for a file that cannot be read on.
  pool_.setMaxThreadCount(pool_.maxThreadCount() + 1);
}

}  // namespace tutti::fomedit
