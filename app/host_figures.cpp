// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/host_figures.h"

#include "launcher/engine/run.h"
#include "monitor/engine/feed.h"

namespace tutti::app {

void passSamples(launcher::Run& run, monitor::Feed& feed) {
  run.wantSamples();
  QObject::connect(&run, &launcher::Run::eventArrived, &feed,
                   [&feed](const QString& host, const QJsonObject& event) {
                     if (event["event"] != QStringLiteral("sample")) return;
                     if (const auto sample = monitor::hostSampleFrom(host, event))
                       feed.noteSample(*sample);
                   });
}

}  // namespace tutti::app
