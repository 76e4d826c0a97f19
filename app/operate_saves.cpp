// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/operate_saves.h"

#include <memory>
#include <utility>

#include "monitor/engine/federation_saves.h"
#include "monitor/engine/observe_source.h"
#include "monitor/engine/time_control.h"

namespace tutti::app {

namespace {

constexpr std::chrono::seconds patience{60};

/// Holds the time of a federation execution while it lives.
class Hold {
 public:
  static tl::expected<std::unique_ptr<Hold>, QString> begin(const QString& designator,
                                                            const QString& federation) {
    auto hold = std::make_unique<Hold>();
    hold->source_ = monitor::makeObserveSource(designator, federation);
    hold->source_->refresh();
    const auto reading = hold->source_->read();
    if (!reading) return tl::unexpected(reading.error());
    const auto ceiling = monitor::pauseCeiling(*reading);
    if (reading->held || !ceiling) return nullptr;
    if (auto held = hold->source_->holdTime(*ceiling); !held) return tl::unexpected(held.error());
    return hold;
  }

 private:
  // The RTI node lets time go on when the connection of the holder ends.
  std::shared_ptr<monitor::SampleSource> source_;
};

}  // namespace

launcher::FederateMove::Operate operateSavesOf(const launcher::LaunchPlan& plan) {
  return [node = plan.node, designator = plan.designator(), federation = plan.federation,
          hold = std::make_shared<std::unique_ptr<Hold>>()](
             bool restore, const QString& label,
             const std::stop_token& stop) -> tl::expected<void, QString> {
    if (!restore) {
      auto held = Hold::begin(designator, federation);
      if (!held) return tl::unexpected(held.error());
      *hold = std::move(*held);
    }
    auto done = monitor::operateSave(node, federation,
                                     restore ? monitor::SaveVerb::Restore : monitor::SaveVerb::Save,
                                     label, patience, {}, stop);
    if (restore || !done) hold->reset();
    return done;
  };
}

}  // namespace tutti::app
