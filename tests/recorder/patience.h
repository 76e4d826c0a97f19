// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// By what limits are multiplied: instrumented code takes its time; what is to happen within a time
/// is seen without.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int patience = 5;
#else
inline constexpr int patience = 1;
#endif
