// SPDX-License-Identifier: BSD-3-Clause
// Ranks without MPI: processes that are forked and talk over socket pairs.
#pragma once

#include "dataplane/drive/ranks.h"

// Runs `body` in `count` processes, of which the caller is the first; the others then end, by
// _exit(). Returns how many of them did not return 0 from `body`, or failed an assertion.
unsigned int socket_ranks_run(uint32_t count, int (*body)(struct ranks *ranks, void *context),
			      void *context);
