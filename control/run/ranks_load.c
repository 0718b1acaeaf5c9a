// SPDX-License-Identifier: BSD-3-Clause
// The module is looked for beside the program, where a build leaves it, and then where it is
// installed.
#include "ranks_load.h"

#include "control/base/program.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODULE "roost-mpi.so"

static bool
is_number_above(const char *name, unsigned long limit)
{
	const char *text = getenv(name);

	return text != NULL && strtoul(text, NULL, 10) > limit;
}

// What Open MPI's mpirun says. srun with PMIx says which process this is, and Slurm how many the
// step has.
static bool
is_rank(void)
{
	if (getenv("OMPI_COMM_WORLD_SIZE") != NULL)
		return is_number_above("OMPI_COMM_WORLD_SIZE", 1);
	return getenv("PMIX_RANK") != NULL && (getenv("SLURM_STEP_NUM_TASKS") == NULL ||
					       is_number_above("SLURM_STEP_NUM_TASKS", 1));
}

// By another MPI, or by srun without PMIx: the processes would not know each other.
static bool
is_stranger(void)
{
	return is_number_above("PMI_SIZE", 1) || is_number_above("SLURM_STEP_NUM_TASKS", 1);
}

bool
ranks_started(void)
{
	return is_rank() || is_stranger();
}

bool
ranks_speaks(void)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
					    "SLURM_PROCID"};

	for (size_t i = 0; ranks_started() && i < sizeof(names) / sizeof(names[0]); i++)
		if (getenv(names[i]) != NULL)
			return !is_number_above(names[i], 0);
	return true;
}

// What is wrong may be wrong on one machine only, so a rank of each tells it.
static int
fail(const char *what, const char *why)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");
	char host[256] = "";

	if (rank == NULL)
		rank = getenv("PMIX_RANK");
	if (is_number_above("OMPI_COMM_WORLD_LOCAL_RANK", 0) || is_number_above("SLURM_LOCALID", 0))
		return -ENOSYS;
	gethostname(host, sizeof(host) - 1);
	fprintf(stderr, "roost: rank %s on %s: %s: %s\n", rank != NULL ? rank : "?", host, what,
		why);
	return -ENOSYS;
}

static void *
open_module(void)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - sizeof(MODULE) - 1);
	char *slash;

	// Open MPI's own modules look for its symbols among the global ones.
	if (length > 0) {
		path[length] = '\0';
		slash = strrchr(path, '/');
		strcpy(slash != NULL ? slash + 1 : path, MODULE);
		if (access(path, F_OK) == 0)
			return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	}
	return dlopen(ROOST_MODULES "/" MODULE, RTLD_NOW | RTLD_GLOBAL);
}

int
ranks_load(struct ranks **out)
{
	int (*open)(struct ranks * *out, const char **why);
	const char *why = "unknown", *version;
	void *module, *symbol;

	if (!is_rank())
		return is_stranger() ? fail("started as one of several processes, but not by Open "
					    "MPI's mpirun",
					    "with Slurm, use srun --mpi=pmix")
				     : 0;
	module = open_module();
	if (module == NULL)
		return fail("built without MPI; install libopenmpi-dev and build again", dlerror());
	version = dlsym(module, "ranks_mpi_version");
	symbol = dlsym(module, "ranks_mpi_open");
	if (version == NULL || symbol == NULL || strcmp(version, roost_version) != 0)
		return fail(MODULE,
			    "of another version than roost; install both from the same build");
	memcpy(&open, &symbol, sizeof(open)); // an object pointer as a function pointer: POSIX
	return open(out, &why) != 0 ? fail("MPI", why) : 0;
}
