// SPDX-License-Identifier: BSD-3-Clause
// `roost run` as the first process of a container.
#pragma once

#include <stdbool.h>

// Returns true in the process that is to run the fabric: a child of the first process, or this one
// where it is not the first of its PID namespace. Returns false in the first process when that
// child has ended: `status` is then what to exit with. Before any other thread is started.
bool first_process_leave(int *status);
