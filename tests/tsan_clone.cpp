// SPDX-License-Identifier: GPL-3.0-or-later
// Linked into tests of the thread sanitizer's build.
//
// QProcess has its child share the memory of the parent until it calls exec(). Before that the
// sanitizer of GCC 12 notes in the child, which it takes for a fork of a process with threads, that
// nothing is to be watched any more; in shared memory that is the parent's note. From then on no
// lock of the thread that started a process is seen: races are reported that are none, and real
// ones are not. So the child gets a copy of the memory, as of fork().
#include <dlfcn.h>
#include <sched.h>
#include <sys/types.h>

#include <cstdarg>

extern "C" int clone(int (*function)(void*), void* stack, int flags, void* argument,
                     ...) noexcept {
  va_list rest;
  va_start(rest, argument);
  auto* const parentTid = va_arg(rest, pid_t*);
  auto* const tls = va_arg(rest, void*);
  auto* const childTid = va_arg(rest, pid_t*);
  va_end(rest);
  const auto next = reinterpret_cast<decltype(&clone)>(dlsym(RTLD_NEXT, "clone"));
  if ((flags & CLONE_VFORK) != 0) flags &= ~(CLONE_VM | CLONE_VFORK);
  return next(function, stack, flags, argument, parentTid, tls, childTid);
}
