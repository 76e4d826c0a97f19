// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <stop_token>
#include <tl/expected.hpp>

#include "launcher/engine/hosts.h"

// A federate's own part of a saved federation execution: files below
// $XDG_STATE_HOME/tutti/federates/FEDERATION/LABEL of the host that it runs on, whose names are the
// federate's, or begin with it and a dot. The guide says so to those who write federates.
namespace tutti::launcher {

/// A name as it is in those paths: other characters than letters, digits, '-' and '_' as %XX of
/// their UTF-8; a long one cut, with a hash.
QString savedPartName(const QString& name);

/// "tutti/federates/FEDERATION/LABEL", below the state folder of a host.
QString savedPartsFolder(const QString& federation, const QString& label);

/// Reads the part of a federate as an archive, from a host or, with null, from this machine. The
/// error says why it is not there, sentences. Blocks; any thread.
tl::expected<QByteArray, QString> readSavedPart(const Host* host, const QString& federation,
                                                const QString& label, const QString& federate,
                                                const std::stop_token& stop = {});

/// Puts it on another host, in the place of what is there. Likewise.
tl::expected<void, QString> writeSavedPart(const Host* host, const QString& federation,
                                           const QString& label, const QString& federate,
                                           const QByteArray& archive,
                                           const std::stop_token& stop = {});

}  // namespace tutti::launcher
