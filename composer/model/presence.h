// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLockFile>
#include <QString>
#include <memory>
#include <optional>

namespace tutti::composer {

/// That a document is open here, for other consoles to see, and who else has it open. A file with
/// process and host in $XDG_STATE_HOME/tutti/open, named by the document's canonical path, so that
/// two ways to the same file are one. That of a process which has ended, killed or not, counts for
/// nothing and is taken over; one of another host counts as long as it is there.
class Presence {
 public:
  /// A console that has a document open.
  struct Holder {
    qint64 process = 0;
    QString host;
    QString program;

    /// "process 4711 on borea".
    [[nodiscard]] QString text() const;
    friend bool operator==(const Holder&, const Holder&) = default;
  };

  /// Says that `document`, a path, is open here, unless somebody else was first.
  explicit Presence(const QString& document);
  /// Takes it back; leaves no file behind.
  ~Presence() = default;
  Presence(const Presence&) = delete;
  Presence& operator=(const Presence&) = delete;

  /// Who was first; nothing when that is this process, or when it cannot be known (the folder
  /// cannot be written). Tries again to be the one, as the other may have gone meanwhile.
  std::optional<Holder> other();

  /// $XDG_STATE_HOME/tutti/open, by default ~/.local/state/tutti/open.
  static QString folder();

 private:
  std::unique_ptr<QLockFile> lock_;
};

}  // namespace tutti::composer
