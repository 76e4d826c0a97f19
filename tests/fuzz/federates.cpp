// SPDX-License-Identifier: GPL-3.0-or-later
#include "federates.h"

#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdlib>

#include "node/fom_model_source.h"

namespace tutti::fuzz {

namespace {

/// The same model for every execution: it is read once.
class OneModel final : public executive::ModelSource {
 public:
  executive::Answer<std::shared_ptr<const executive::FederationModel>> create(
      const std::vector<fabric::ModuleBytes>&, const std::vector<fabric::ModuleBytes>&) override {
    static const auto model = read();
    return model;
  }

 private:
  static std::shared_ptr<const executive::FederationModel> read() {
    node::FomModelSource source;
    auto model = source.create({{"fom.xml", fileContent("tests/conformance/fom.xml")}}, {});
    require(model.has_value(), "the object model of the target can be read");
    return *model;
  }
};

OneModel models;

}  // namespace

Rti::Rti() : stop_(::eventfd(0, EFD_CLOEXEC)) {
  spdlog::set_level(spdlog::level::off);
  ::unsetenv("TUTTI_RTI");
  ::unsetenv("TUTTI_ARCHITECTURE");
  const std::string name = "fuzz-" + std::to_string(::getpid());
  designator_ = "shm:" + name;
  executive_ = std::make_unique<executive::Executive>(
      executive::Executive::Options{"fuzzed", std::chrono::seconds(60), std::nullopt},
      executive::Budget(federatesBudget), hostMemory(), models);
  executive_->keepSavesIn(saves_);
  used_ = executive_->budget().used();
  auto listener = fabric::Endpoint::listen(name);
  require(listener.has_value(), "the name of the RTI is free");
  listener_ = std::move(*listener);
  thread_ = std::thread([this] { run(); });
}

Rti::~Rti() {
  const std::uint64_t one = 1;
  require(::write(stop_.get(), &one, sizeof one) == sizeof one, "the thread can be told to stop");
  thread_.join();
}

bool Rti::appendToLog(std::uint16_t type, Input body) {
  const std::lock_guard lock(mutex_);
  const auto execution = executive_->execution("w");
  return execution != nullptr &&
         execution->replicateRecord(static_cast<fabric::LogRecordType>(type),
                                    {body.begin(), body.end()});
}

void Rti::requireEmpty() {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, endpoint] : endpoints_) executive_->closed(id);
  endpoints_.clear();
  executive_->tick(executive::Executive::Clock::now() + std::chrono::hours(1));
  require(!executive_->hasFederations(), "an execution without members ends");
  require(executive_->budget().used() == used_, "all memory is given back in the end");
}

void Rti::run() {
  for (;;) {
    std::vector<pollfd> polls{{stop_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    std::vector<executive::Executive::ConnectionId> ids;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [id, endpoint] : endpoints_) {
        ids.push_back(id);
        polls.push_back({endpoint.descriptor(), POLLIN, 0});
      }
    }
    if (::poll(polls.data(), polls.size(), -1) < 0) continue;
    if (polls[0].revents != 0) return;
    const std::lock_guard lock(mutex_);
    if (polls[1].revents != 0) {
      if (auto accepted = fabric::Endpoint::accept(listener_.get())) {
        endpoints_.emplace(executive_->opened(::getpid()), std::move(*accepted));
      }
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto found = endpoints_.find(ids[i]);
      if (polls[i + 2].revents == 0 || found == endpoints_.end()) continue;
      if (serve(ids[i], found->second)) continue;
      executive_->closed(ids[i]);
      endpoints_.erase(found);
    }
    for (const auto id : executive_->takeDoomed()) {
      executive_->closed(id);
      endpoints_.erase(id);
    }
    static_cast<void>(executive_->takeManagementWanted());
  }
}

bool Rti::serve(executive::Executive::ConnectionId id, fabric::Endpoint& endpoint) {
  auto asked = endpoint.receive(fabric::Endpoint::Clock::now());
  if (!asked) return asked.error().kind == fabric::EndpointError::Kind::TimedOut;
  const auto reply = executive_->answer(id, asked->bytes);
  require(executive_->budget().used() <= federatesBudget, "the memory budget is kept");
  const bool sent = reply.bytes.empty() || endpoint.send(reply.bytes, reply.descriptors);
  return sent && !reply.close;
}

Member::Member(const Rti& rti) : federate(*this) {
  service([&](core::Federate& f) { f.connect(rti.designator()); });
}

Member::~Member() {
  constexpr std::uint32_t cancelThenDeleteThenDivest = 4;
  if (federate.joined()) {
    service([](core::Federate& f) { f.resign(cancelThenDeleteThenDivest); });
  }
  service([](core::Federate& f) { f.disconnect(); });
}

void Member::checkFault(const core::ServiceFault& fault) const {
  require(!fault.text.empty(), "an exception says why");
  if (damaged) return;
  require(fault.fault != core::Fault::NotConnected || !federate.connected(),
          "a federate that is connected is told so: " + fault.text);
  require(fault.fault != core::Fault::RTIinternalError,
          "no service ends with RTIinternalError: " + fault.text);
}

void Member::evoke(std::size_t most) {
  std::unique_lock lock(mutex_);
  try {
    while (most-- != 0 && federate.deliverOne(lock)) ++callbacks;
  } catch (const core::ServiceFault& fault) {
    checkFault(fault);
  }
}

void Member::connectionLost(const std::string& reason) {
  require(damaged, "no connection is lost: " + reason);
}

void Member::discovered(core::ObjectInstance instance, core::ObjectClass objectClass,
                        const std::string& name, core::FederateNumber) {
  instances.push_back(instance);
  if (damaged) return;
  require(!name.empty(), "an instance has a name");
  require(known_.emplace(instance, objectClass).second, "an instance is discovered once");
}

void Member::reflected(core::ObjectInstance instance, core::ObjectClass objectClass,
                       std::span<const core::Value>, const core::MessageInfo&) {
  ++reflections;
  if (damaged) return;
  require(known_.contains(instance), "what is reflected was discovered");
  require(known_.at(instance) == objectClass, "it is of the class that was told");
}

void Member::removed(core::ObjectInstance instance, const core::MessageInfo&) {
  known_.erase(instance);
}

void Member::ownershipReleaseRequested(core::ObjectInstance, std::span<const core::Attribute>,
                                       std::span<const std::byte>) {
  ++releases;
}
void Member::timeAdvanceGranted(std::uint64_t) { ++grants; }
void Member::saveInitiated(const std::string&, const std::uint64_t*) { ++saves; }
void Member::restoreBegun() {
  ++restores;
  known_.clear();
}

}  // namespace tutti::fuzz
