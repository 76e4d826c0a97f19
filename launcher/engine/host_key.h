// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <stop_token>

#include "launcher/engine/agent.h"

namespace tutti::launcher {

/// "ED25519 SHA256:…" of the host key that an SSH server shows, as ssh tells of it in its messages
/// for debugging; empty: it does not.
QString hostKeyIn(const QByteArray& words);

/// Where `loss` says that the host's key is not known here, adds its fingerprint, which ssh is
/// asked for once more; nothing is accepted by that. Blocks for at most 10 s; any thread.
void showHostKey(const Host& host, Agent::Loss& loss, const std::stop_token& stop = {});

}  // namespace tutti::launcher
