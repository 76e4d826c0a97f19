// SPDX-License-Identifier: GPL-3.0-or-later
// Breaks one function of the RTI's interface, to see whether its test notices.
//
// Preloaded into a test program (LD_PRELOAD). The environment variable TUTTI_MUTANT names the
// function: "RTIambassador 9" (slot of its virtual function table) then throws RTIinternalError,
// "FederateAmbassador 30" is then not called; "none 0" breaks nothing. TUTTI_MUTANT_REPORT names a
// file that gets a line once the function has been called: the test has met the mutant.
//
// Each object is changed where the library hands it over: the ambassador where it is made, the
// federate's callbacks where they are given to connect().
#include <RTI/RTI1516.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

using Slot = void*;

struct Mutant {
  bool ofAmbassador = false;
  bool ofCallbacks = false;
  std::size_t slot = 0;
};

Mutant wanted() {
  Mutant mutant;
  const char* text = std::getenv("TUTTI_MUTANT");
  char interface[32] = "";
  if (text == nullptr || std::sscanf(text, "%31s %zu", interface, &mutant.slot) != 2) {
    std::fputs("TUTTI_MUTANT is INTERFACE SLOT\n", stderr);
    std::abort();
  }
  mutant.ofAmbassador = std::strcmp(interface, "RTIambassador") == 0;
  mutant.ofCallbacks = std::strcmp(interface, "FederateAmbassador") == 0;
  return mutant;
}

void report() {
  static std::atomic<bool> done{false};
  const char* path = std::getenv("TUTTI_MUTANT_REPORT");
  if (path == nullptr || done.exchange(true)) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || write(file, "called\n", 7) != 7) std::abort();
  close(file);
}

// Stand-ins for functions of any signature: what they are passed stays untouched with the caller.
[[noreturn]] void throwInstead() {
  report();
  throw rti1516e::RTIinternalError(L"mutant");
}

void dropCall() { report(); }

Slot* table(void* object) { return *static_cast<Slot**>(object); }

/// Puts `function` into the table that all objects of the class share, and gives what was there.
Slot replace(void* object, std::size_t slot, Slot function) {
  Slot* place = table(object) + slot;
  if (*place == function) return function;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<std::uintptr_t>(place) & ~(page - 1);
  if (mprotect(reinterpret_cast<void*>(start), page, PROT_READ | PROT_WRITE) != 0) std::abort();
  const Slot before = *place;
  *place = function;
  return before;
}

constexpr std::size_t connectSlot = 2;
using Connect = void (*)(rti1516e::RTIambassador*, rti1516e::FederateAmbassador&,
                         rti1516e::CallbackModel, const std::wstring&);
Connect realConnect = nullptr;

void connectMutant(rti1516e::RTIambassador* ambassador, rti1516e::FederateAmbassador& callbacks,
                   rti1516e::CallbackModel model, const std::wstring& designator) {
  replace(&callbacks, wanted().slot, reinterpret_cast<Slot>(&dropCall));
  realConnect(ambassador, callbacks, model, designator);
}

void mutate(rti1516e::RTIambassador& ambassador) {
  const Mutant mutant = wanted();
  if (mutant.ofAmbassador) {
    replace(&ambassador, mutant.slot, reinterpret_cast<Slot>(&throwInstead));
  } else if (mutant.ofCallbacks) {
    const auto before = replace(&ambassador, connectSlot, reinterpret_cast<Slot>(&connectMutant));
    if (before != reinterpret_cast<Slot>(&connectMutant)) {
      realConnect = reinterpret_cast<Connect>(before);
    }
  }
}

/// Programs that the test starts are not mutated.
__attribute__((constructor)) void endInheritance() { unsetenv("LD_PRELOAD"); }

}  // namespace

namespace rti1516e {

std::auto_ptr<RTIambassador> RTIambassadorFactory::createRTIambassador() {
  // The address of a member function: its one real argument, besides the result, is the object.
  using Create = std::auto_ptr<RTIambassador> (*)(RTIambassadorFactory*);
  static const auto create = reinterpret_cast<Create>(
      dlsym(RTLD_NEXT, "_ZN8rti1516e20RTIambassadorFactory19createRTIambassadorEv"));
  if (create == nullptr) std::abort();
  std::auto_ptr<RTIambassador> ambassador = create(this);
  mutate(*ambassador);
  return ambassador;
}

}  // namespace rti1516e
