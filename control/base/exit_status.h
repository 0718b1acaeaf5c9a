// SPDX-License-Identifier: BSD-3-Clause
// The exit status of every command of the program.
#pragma once

enum exit_status {
	EXIT_OK = 0,
	EXIT_FAILED = 1, // no such fabric is up, an output cannot be written, no root
	EXIT_USAGE = 2,  // usage error, or a file with errors
};
