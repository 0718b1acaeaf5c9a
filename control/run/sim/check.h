// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// `roost check`: finds out whether a file can be run. Errors and warnings go to stderr. Returns an
// exit status.
int run_check(const char *file);
