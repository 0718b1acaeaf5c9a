// SPDX-License-Identifier: BSD-3-Clause
// What every command of the program has in common.
#pragma once

// The version, as meson.build states it.
extern const char roost_version[];

enum exit_status {
	EXIT_OK = 0,
	EXIT_FAILED = 1, // no such fabric is up, an output cannot be written, no root
	EXIT_USAGE = 2,  // usage error, or a file with errors
};
