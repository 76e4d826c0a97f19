// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What `tutti relay` on one machine and RelayLink on another say to each other over ssh, one JSON
// object a line. The relay first:
//
//   {"relay":1,"version":"0.9","machine":"borea","runs":[{...}]}        without RUN: the active
//   runs
//   {"relay":1,"version":"0.9","machine":"borea","plan":{...}}          with RUN: its launch plan
//   {"relay":1,"version":"0.9","machine":"borea","gone":true}           no such run is active there
//   {"relay":1,"version":"0.9","machine":"borea","refused":"..."}       it cannot be watched
//
// then, of each supervisor of the run (part "": that of the relay's machine, else the run's host):
//
//   {"part":"","event":{...}}         what it says, as its README lists it
//   {"part":"h2","reachable":false}   it is silent, or is heard again
//   {"part":"h2","ended":{"where":W,"why":W,"next":N}}   its channel has ended; "failed": never was
//   {"sample":{...}}                  figures of the run's RTI node and of the relay's machine
//   {"alive":true}                    once a second
//
// The other side says {"do":"attach","part":"h2","after":N}, which has the relay reach that
// supervisor and tell what came after event N, and {"do":"alive"} once a second. Nothing else is
// passed on: nobody changes a run through a relay.
namespace tutti::launcher::relay {

/// Both sides must speak the same.
constexpr int protocol = 1;

/// Bytes of a line: nothing that a relay says is longer, and what is ends the connection.
constexpr int longestLine = 16 * 1024 * 1024;
/// Of what it is told.
constexpr int longestCommand = 4096;
/// After so many seconds without a word the relay ends, and the other side connects anew.
constexpr int silenceSeconds = 15;

}  // namespace tutti::launcher::relay
