// SPDX-License-Identifier: GPL-3.0-or-later
// One federate of a crowd on a street grid. Role "first" registers its part of --instances and
// updates each of them in turn, with the region of the cell it is in; role "second" looks at a
// window of 1 % of the area. All go in step from one synchronization point to the next. Prints when
// the updates of each cycle began and ended (CLOCK_MONOTONIC), the processor time they took, what
// was expected at the windows and what came, and how much memory the instances took.
#include <sys/resource.h>

#include <algorithm>

#include "bench_federate.h"
#include "clutter/crowd.h"

namespace {

using namespace tutti::bench;
using namespace rti1516e;
using samples::CellGrid;

constexpr int side = 100'000;  // dm
constexpr int cells = 40;      // along a side
constexpr double share = 0.1;  // of a side, which is 1 % of the area

std::uint64_t processorNanoseconds() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto of = [](const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(time.tv_usec) * 1000U;
  };
  return of(use.ru_utime) + of(use.ru_stime);
}

/// Memory of this process that is there and its own, or that it shares; bytes, by the name of the
/// line in /proc/self/status.
double memory(const std::string& name) {
  std::FILE* const file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  char line[256];
  double result = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::strncmp(line, name.c_str(), name.size()) == 0) {
      result = std::atof(line + name.size() + 1) * 1024;
    }
  }
  std::fclose(file);
  return result;
}

class Clutter : public BenchFederate {
 public:
  Clutter(const Options& options, bool first)
      : BenchFederate(options),
        first_(first),
        leads_(first && options.number("part", 0) == 0),
        parts_(options.number("parts", 8)),
        part_(options.number("part", 0)),
        viewers_(options.number("receivers", 4)),
        instances_(options.number("instances", 1000)),
        count_(options.number("count", 1'000'000)),
        cycles_(static_cast<std::uint64_t>(options.number("cycles", 1))),
        seed_(static_cast<std::uint32_t>(options.number("seed", 1))) {}

  void run() {
    enter();
    movement_.resolve(*rti_);
    if (leads_) awaitAll();
    meetAt(L"joined");
    if (!first_) look();
    meetAt(L"looking");
    const double own = memory("RssAnon:"), shared = memory("RssShmem:");
    if (first_) {
      enterStreets();
    }
    meetAt(L"registered");
    if (!first_) {
      std::printf("known %zu\nknownbytes %.0f\n", known_, memory("RssAnon:") - own);
    } else {
      std::printf("registered %zu\nregisteredbytes %.0f\n", crowd_->size(),
                  memory("RssAnon:") - own + memory("RssShmem:") - shared);
    }
    std::vector<std::uint64_t> starts, ends, processor;
    std::uint64_t sent = 0;
    for (std::uint64_t cycle = 0; cycle <= cycles_; ++cycle) {
      const std::wstring number = std::to_wstring(cycle);
      meetAt(L"begin-" + number);
      const std::uint64_t start = nowNanoseconds(), used = processorNanoseconds();
      if (first_) sent = update(cycle == 0 ? 1 : rounds());
      const std::uint64_t end = nowNanoseconds();
      meetAt(L"end-" + number);
      if (cycle == 0) {
        // All of it has come: what is sent before a point is delivered before it.
        expected_ = received_ = 0;
        continue;
      }
      starts.push_back(start);
      ends.push_back(end);
      processor.push_back(processorNanoseconds() - used);
    }
    if (first_) {
      printSamples("start", starts);
      printSamples("end", ends);
      std::printf("sent %llu\nexpected %llu\n", static_cast<unsigned long long>(sent),
                  static_cast<unsigned long long>(expected_));
    } else {
      std::printf("received %llu\n", static_cast<unsigned long long>(received_));
    }
    printSamples("processor", processor);
    part();
  }

  void turn() override {
    rti_->evokeMultipleCallbacks(0.0, 0.02);
    BenchFederate::turn();
  }
  void discoverObjectInstance(ObjectInstanceHandle, ObjectClassHandle,
                              const std::wstring&) TUTTI_BENCH_THROWS override {
    ++known_;
  }
  void discoverObjectInstance(ObjectInstanceHandle, ObjectClassHandle, const std::wstring&,
                              FederateHandle) TUTTI_BENCH_THROWS override {
    ++known_;
  }
  void reflectAttributeValues(ObjectInstanceHandle, const AttributeHandleValueMap&,
                              const VariableLengthData&, OrderType, TransportationType,
                              SupplementalReflectInfo) TUTTI_BENCH_THROWS override {
    ++received_;
  }
  void announceSynchronizationPoint(const std::wstring& label,
                                    const VariableLengthData&) TUTTI_BENCH_THROWS override {
    announced_ = label;
  }
  void federationSynchronized(const std::wstring& label,
                              const FederateHandleSet&) TUTTI_BENCH_THROWS override {
    synchronized_ = label;
  }

 private:
  /// The window of a viewer: side by side from the south-west on, on bounds of cells.
  struct Window {
    CellGrid::Bounds east, north;
  };
  Window window(long long viewer) const {
    const auto span = static_cast<double>(movement_.span());
    const auto at = [&](long long number) {
      const double from = share * static_cast<double>(number % 10);
      return CellGrid::Bounds{static_cast<unsigned long>(from * span + 0.5),
                              static_cast<unsigned long>((from + share) * span + 0.5)};
    };
    return {at(viewer * 3 + 1), at(viewer * 7 + 2)};
  }
  std::uint64_t rounds() const {
    return static_cast<std::uint64_t>(std::max(1ll, count_ / instances_));
  }

  void awaitAll() {
    const auto isThere = [this](const std::wstring& name) {
      try {
        rti_->getFederateHandle(name);
        return true;
      } catch (const NameNotFound&) {
        return false;
      }
    };
    for (long long i = 0; i < parts_ + viewers_; ++i) {
      const std::wstring name =
          i < parts_ ? L"first-" + std::to_wstring(i) : L"second-" + std::to_wstring(i - parts_);
      awaitThat([&] { return isThere(name); }, "the other federates to join");
    }
  }

  void meetAt(const std::wstring& label) {
    if (leads_) rti_->registerFederationSynchronizationPoint(label, VariableLengthData());
    awaitThat([&] { return announced_ == label; }, "a synchronization point");
    rti_->synchronizationPointAchieved(label);
    awaitThat([&] { return synchronized_ == label; }, "the other federates to synchronize");
  }

  void look() {
    const Window at = window(part_);
    const RegionHandle region = movement_.makeRegion(*rti_, at.east, at.north);
    rti_->subscribeObjectClassAttributesWithRegions(movement_.all(), movement_.with(region));
  }

  void enterStreets() {
    rti_->publishObjectClassAttributes(movement_.vehicle(), movement_.attributes());
    rti_->publishObjectClassAttributes(movement_.person(), movement_.attributes());
    samples::Streets::Settings settings;
    settings.instances =
        static_cast<std::size_t>(instances_ * (part_ + 1) / parts_ - instances_ * part_ / parts_);
    settings.side = side;
    settings.seed = seed_ + static_cast<std::uint32_t>(part_);
    crowd_ = std::make_unique<samples::Crowd>(*rti_, movement_, settings, cells);
    const std::uint64_t start = processorNanoseconds();
    while (crowd_->enter(1000)) rti_->evokeMultipleCallbacks(0.0, 0.0);
    std::printf("registration %llu\n",
                static_cast<unsigned long long>(processorNanoseconds() - start));
    const CellGrid& grid = crowd_->grid();
    watchers_.assign(grid.count(), 0);
    const auto meet = [](CellGrid::Bounds a, CellGrid::Bounds b) {
      return a.from < b.to && b.from < a.to;
    };
    for (long long viewer = 0; viewer < viewers_; ++viewer) {
      const Window at = window(viewer);
      for (int row = 0; row < cells; ++row) {
        for (int column = 0; column < cells; ++column) {
          watchers_[static_cast<std::size_t>(row * cells + column)] +=
              meet(grid.bounds(column, movement_.span()), at.east) &&
              meet(grid.bounds(row, movement_.span()), at.north);
        }
      }
    }
  }

  std::uint64_t update(std::uint64_t rounds) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < crowd_->size(); ++i) {
        crowd_->update(i, 1000);
        const auto place = crowd_->streets().place(i);
        expected_ += watchers_[crowd_->grid().at(place.x, place.y)];
      }
    }
    return rounds * crowd_->size();
  }

  bool first_;
  bool leads_;
  long long parts_;
  long long part_;  ///< of the crowd, or number of the window
  long long viewers_;
  long long instances_;
  long long count_;
  std::uint64_t cycles_;
  std::uint32_t seed_;
  samples::MovementClass movement_;
  std::unique_ptr<samples::Crowd> crowd_;
  std::vector<unsigned> watchers_;  ///< by cell
  std::uint64_t expected_ = 0;
  std::uint64_t received_ = 0;
  std::size_t known_ = 0;
  std::wstring announced_;
  std::wstring synchronized_;
};

}  // namespace

int main(int count, char** values) {
  return runMain("bench-clutter", count, values, [](const Options& options) {
    Clutter(options, options.text("role", "first") == "first").run();
  });
}
