// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "executive/save_store.h"

namespace tutti::node {

/// Saved federation executions as files `FEDERATION/LABEL.save` of one directory. Characters that
/// do not belong into file names are written as %XX. A file is complete or not there: it is written
/// beside its place, flushed to the disk and renamed.
class SaveDirectory final : public executive::SaveStore {
 public:
  explicit SaveDirectory(std::filesystem::path directory) : directory_(std::move(directory)) {}

  tl::expected<void, std::string> write(const std::string& federation, const std::string& label,
                                        const fabric::Bytes& content) override;
  tl::expected<std::optional<fabric::Bytes>, std::string> read(
      const std::string& federation, const std::string& label) const override;
  std::vector<Kept> list(const std::string& federation) const override;

  std::filesystem::path fileOf(const std::string& federation, const std::string& label) const;

 private:
  std::filesystem::path directory_;
};

}  // namespace tutti::node
