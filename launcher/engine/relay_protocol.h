// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What `tutti relay` on one machine and RelayLink on another say to each other over ssh, one JSON
// object a line. Before it the shell script that looks for the program there says, a line each,
//
//   tutti-relay: at PATH                   it starts that one
//   tutti-relay: end no-program PROGRAM    there is none: nothing follows
//   tutti-relay: end no-relay VERSION      it has ended at once: it has no verb "relay"
//
// The relay first:
//
//   {"relay":2,"version":"0.9","machine":"borea","runs":[{...}]}        without RUN: the active
//   runs
//   {"relay":2,"version":"0.9","machine":"borea","plan":{...}}          with RUN: its launch plan
//   {"relay":2,"version":"0.9","machine":"borea","gone":true}           no such run is active there
//   {"relay":2,"version":"0.9","machine":"borea","refused":"..."}       it cannot be watched
//
// then, of each supervisor of the run (part "": that of the relay's machine, else the run's host):
//
//   {"part":"","event":{...}}         what it says, as its README lists it
//   {"part":"h2","reachable":false}   it is silent, or is heard again
//   {"part":"h2","ended":{"where":W,"why":W,"next":N}}   its channel has ended; "failed": never was
//   {"sample":{...}}                  figures of the run's RTI node and of the relay's machine,
//                                     if they are asked for
//   {"refused":"stop"}                a command that a relay does not take
//   {"alive":true}                    once a second
//
// The other side says
//
//   {"do":"attach","part":"h2","after":N}  reach that supervisor and tell what came after event N;
//                                          "state":true: its state too, which was not told yet
//   {"do":"sample","every_ms":N}           take figures so often; 0: never, as at first
//   {"do":"alive"}                         once a second
//
// Nothing else is passed on: nobody changes a run through a relay. One that is read too slowly
// reads the supervisors as slowly, and figures are left out. A supervisor drops a client that has 8
// MiB to read; the relay then attaches to it again, after the last event that it has passed on, as
// soon as there is room.
namespace tutti::launcher::relay {

/// Both sides must speak the same.
constexpr int protocol = 2;

/// What the lines of the script begin with, and the reasons for which no relay speaks.
constexpr const char* atWords = "tutti-relay: at ";
constexpr const char* endWords = "tutti-relay: end ";
constexpr const char* noProgram = "no-program";
constexpr const char* noRelay = "no-relay";

/// Bytes of a line: nothing that a relay says is longer, and what is ends the connection.
constexpr int longestLine = 16 * 1024 * 1024;
/// Of what it is told.
constexpr int longestCommand = 4096;
/// Milliseconds between two samples, whatever is asked for.
constexpr int shortestSampleMs = 200;
constexpr int longestSampleMs = 60'000;
/// After so many seconds without a word the relay ends, and the other side connects anew.
constexpr int silenceSeconds = 15;

}  // namespace tutti::launcher::relay
