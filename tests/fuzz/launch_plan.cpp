// SPDX-License-Identifier: GPL-3.0-or-later
// Launch plans as they lie in the folder of a run, where a person may edit them.
#include "launcher/engine/launch_plan.h"

#include "target.h"

namespace tutti::fuzz {

namespace {
Landmark read("a launch plan was read");
Landmark processes("a launch plan with several processes was written and read again");
Landmark refused("a launch plan was refused");
}  // namespace

void target(Input input) {
  const QByteArray bytes(textOf(input).data(), static_cast<qsizetype>(input.size()));
  const auto plan = launcher::LaunchPlan::fromBytes(bytes, QStringLiteral("/fuzzed/plan.json"));
  if (!plan) {
    require(!plan.error().what.isEmpty(), "an error says what is wrong");
    refused.reach();
    return;
  }
  read.reach();
  const QByteArray written = plan->toBytes();
  const auto again = launcher::LaunchPlan::fromBytes(written);
  require(again.has_value(),
          again ? std::string()
                : "what was written can be read: " + again.error().message().toStdString());
  require(again->toBytes() == written, "what was read is written the same");
  if (plan->plan.processes.size() > 1) processes.reach();
  for (const auto& process : plan->plan.processes) {
    static_cast<void>(plan->shellLine(QString::fromStdString(process.id)));
  }
  for (const auto& federate : plan->federates) {
    require(plan->federate(federate.name) != nullptr, "a federate is found by its name");
  }
  const auto renewed = plan->renewed(QStringLiteral("20260101-000000-00000000"));
  static_cast<void>(renewed.toBytes());
}

std::vector<Bytes> seeds() {
  launcher::LaunchPlan plan;
  plan.run = QStringLiteral("20250131-140228-3f9c01ab");
  plan.federation = QStringLiteral("air");
  plan.node = QStringLiteral("run-20250131-140228-3f9c01ab");
  plan.nodeProcess = QStringLiteral("rti");
  plan.folder = QStringLiteral("/runs/20250131-140228-3f9c01ab");
  plan.fomModules = {QStringLiteral("/models/air.xml")};
  plan.stopAfter = 12.5;
  plan.memoryMb = 100;
  plan.cores = 2;
  plan.federates.push_back({QStringLiteral("radar"), QStringLiteral("radar"),
                            QStringLiteral("radar"), QStringLiteral("1.0"), true, true, {}});
  for (const char* id : {"rti", "radar"}) {
    launcher::PlannedProcess process;
    process.id = id;
    process.command = {"/usr/bin/program", "--name", id};
    process.logFile = std::string("/runs/") + id + ".log";
    if (id != std::string("rti")) process.waitFor = {"rti"};
    plan.plan.processes.push_back(process);
  }
  const QByteArray bytes = plan.toBytes();
  return {bytesOf({bytes.data(), static_cast<std::size_t>(bytes.size())}),
          bytesOf(R"({"run": 1, "processes": []})")};
}

}  // namespace tutti::fuzz
