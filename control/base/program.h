// SPDX-License-Identifier: BSD-3-Clause
// What every command of the program has in common.
#pragma once

// The version, as meson.build states it.
extern const char roost_version[];
// The commit that the program was built from, "a3cb2f5c01d2", with "-dirty" behind it if its
// sources had changes; empty where that is not known. Set by main().
extern const char *roost_commit;
// The version with the commit: "0.1.0 (a3cb2f5c01d2)"; for free().
char *program_version(void);

enum exit_status {
	EXIT_OK = 0,
	EXIT_FAILED = 1, // no such fabric is up, an output cannot be written, no root
	EXIT_USAGE = 2,  // usage error, or a file with errors
};
