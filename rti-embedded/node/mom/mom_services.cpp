// SPDX-License-Identifier: Apache-2.0
#include "node/mom/mom_services.h"

#include <spdlog/spdlog.h>

#include <exception>
#include <utility>

#include "node/mom/mom_endpoint.h"

namespace tutti::node {

MomServices::~MomServices() {
  for (const auto& service : services_) service->stop.store(true);
  for (const auto& service : services_) service->thread.join();
}

void MomServices::start(const std::string& nodeName, const std::string& federation,
                        fabric::Endpoint socket) {
  reap();
  auto service = std::make_unique<Service>();
  service->thread = std::thread(
      [nodeName, federation, socket = std::move(socket), service = service.get()]() mutable {
        try {
          MomEndpoint endpoint(std::move(socket), nodeName, federation, service->stop);
          endpoint.run();
        } catch (const core::ServiceFault& fault) {
          // The node closes the connection when the execution needs no MOM any more.
          if (fault.fault != core::Fault::NotConnected) {
            spdlog::error("the MOM of '{}' ends: {}", federation, fault.text);
          }
        } catch (const std::exception& error) {
          spdlog::error("the MOM of '{}' ends: {}", federation, error.what());
        }
        service->ended.store(true);
      });
  services_.push_back(std::move(service));
}

void MomServices::reap() {
  std::erase_if(services_, [](const auto& service) {
    if (!service->ended.load()) return false;
    service->thread.join();
    return true;
  });
}

}  // namespace tutti::node
