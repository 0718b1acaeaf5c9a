// SPDX-License-Identifier: BSD-3-Clause
// Hosts by `pid:` in a configuration that a fabric ran. Nothing else is known of the process, and
// its number may be another's by now: one that began after the configuration was written is.
// Without the host the fabric comes up, and says so; the user cannot bring the process back.
#include "live_fabric.h"

#include "control/base/memory.h"
#include "control/edit/edit.h"
#include "instance.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CLOCK_SLACK_S 2 // of a process's beginning, and of a revision's time

static bool
is_there(uint32_t pid, int64_t at)
{
	uint64_t began = instance_process_began((pid_t)pid);
	struct timespec since_boot;

	if (began == 0 || clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0)
		return false;
	return time(NULL) - since_boot.tv_sec + (int64_t)began / sysconf(_SC_CLK_TCK) <=
	       at + CLOCK_SLACK_S;
}

// From the section and from what was decoded of it.
static void
leave_out(struct config *config, unsigned number, struct diag *diag)
{
	const struct config_attach *attach = &config->attach[number];
	char *key = memory_format("attach.%s", attach->host.text);
	const struct config_edit edit = {.kind = CONFIG_EDIT_UNSET, .key = key};

	diag_warning(diag, config->file, attach->host.pos, key,
		     "process %u has ended: the host is not attached", attach->pid);
	if (config_edit_attach(config, &edit, 1, diag) == 0)
		config_edit_keep(config);
	free(key);
	config->attach_count--;
	memmove(&config->attach[number], &config->attach[number + 1],
		(config->attach_count - number) * sizeof(*config->attach));
}

void
attach_leave_out_ended(struct config *config, int64_t at, struct diag *diag)
{
	for (unsigned i = config->attach_count; i-- > 0;)
		if (config->attach[i].pid != 0 && !is_there(config->attach[i].pid, at))
			leave_out(config, i, diag);
}
