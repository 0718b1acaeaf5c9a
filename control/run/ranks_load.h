// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a run that mpirun, or Slurm's srun, has started. What speaks MPI is a module, so a
// run of one process neither loads nor needs it.
#pragma once

#include "dataplane/drive/ranks.h"

// Whether the environment says that this process was started together with others.
bool ranks_started(void);
// Whether it is the first of them, or on its own: the one that says what the user did wrong.
bool ranks_speaks(void);

// Joins the others, if there are any. *out stays NULL if there are none. Returns 0, or -errno, and
// a process of each machine has said on stderr why.
int ranks_load(struct ranks **out);

// The module's (ranks_mpi.c): the version it was built as, and what joins the others: it returns 0,
// or -errno with *why.
extern const char ranks_mpi_version[];
int ranks_mpi_open(struct ranks **out, const char **why);
