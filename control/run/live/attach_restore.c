// SPDX-License-Identifier: BSD-3-Clause
// Hosts by `pid:` in a configuration that a fabric ran. Nothing else is known of the process, and
// its number may be another's by now: one that began after the host was attached is. The first of
// the revisions in a row that have the entry says when that was. Without the host the fabric comes
// up, or is rolled back, and says so; the user cannot bring the process back.
#include "live_fabric.h"

#include "control/base/memory.h"
#include "control/config/yaml_emit.h"
#include "control/edit/edit.h"
#include "control/edit/store.h"
#include "control/io/host/container.h"
#include "instance.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CLOCK_SLACK_S 2 // of a process's beginning, and of a revision's time

// A process that has ended, but that its parent has not waited for, has no namespace.
static bool
has_netns(pid_t pid)
{
	struct diag ignored = {0};
	int fd = process_open_netns(pid, &ignored);

	diag_free(&ignored);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool
attach_process_is_there(uint32_t pid, int64_t at)
{
	uint64_t began = instance_process_began((pid_t)pid);
	struct timespec since_boot;

	if (began == 0 || !has_netns((pid_t)pid) || clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0)
		return false;
	return time(NULL) - since_boot.tv_sec + (int64_t)began / sysconf(_SC_CLK_TCK) <=
	       at + CLOCK_SLACK_S;
}

// ---- since when ---------------------------------------------------------------------------------

static uint32_t
pid_of(const struct yaml_node *entry)
{
	const struct yaml_pair *pid = yaml_tree_get(entry, "pid");

	return pid != NULL && pid->value->kind == YAML_SCALAR && pid->value->text != NULL
		       ? (uint32_t)strtoul(pid->value->text, NULL, 10)
		       : 0;
}

static const struct yaml_node *
entry_of(const struct yaml_node *root, const char *host)
{
	const struct yaml_pair *section = yaml_tree_get(root, "attach"), *pair = NULL;

	if (section != NULL)
		pair = yaml_tree_get(section->value, host);
	return pair != NULL ? pair->value : NULL;
}

// Whether a revision attaches the host by that process; *at: when it was made.
static bool
has_process(const struct store *store, uint32_t number, const char *host, uint32_t pid, int64_t *at)
{
	struct diag ignored = {0};
	struct arena arena = {0};
	struct store_revision r;
	struct yaml_node *root;
	char *text = NULL;
	size_t length;
	bool has = store_read(store, number, &r, &text, &length, &ignored) == 0 &&
		   yaml_tree_parse(&root, &arena, text, length, "", &ignored) == 0 &&
		   pid_of(entry_of(root, host)) == pid;

	if (has)
		*at = r.at;
	arena_free(&arena);
	diag_free(&ignored);
	free(text);
	return has;
}

// Whether the process of a revision's entry is there, and is that which was attached.
static bool
is_same(const struct store *store, uint32_t revision, const char *host, uint32_t pid)
{
	int64_t at = 0;

	while (revision > 0 && has_process(store, revision, host, pid, &at))
		revision--;
	return attach_process_is_there(pid, at);
}

// ---- leaving hosts out --------------------------------------------------------------------------

static void
warn_of(const char *file, const char *host, uint32_t pid, struct diag *diag)
{
	char *key = memory_format("attach.%s", host);

	diag_warning(diag, file, (struct diag_pos){0}, key,
		     "process %u has ended, so %s is not attached: run `roost attach %s ...`", pid,
		     host, host);
	free(key);
}

// From the section and from what was decoded of it.
static void
leave_out(struct config *config, unsigned number, struct diag *diag)
{
	const struct config_attach *attach = &config->attach[number];
	char *key = memory_format("attach.%s", attach->host.text);
	const struct config_edit edit = {.kind = CONFIG_EDIT_UNSET, .key = key};

	warn_of(config->file, attach->host.text, attach->pid, diag);
	if (config_edit_attach(config, &edit, 1, diag) == 0)
		config_edit_keep(config);
	free(key);
	config->attach_count--;
	memmove(&config->attach[number], &config->attach[number + 1],
		(config->attach_count - number) * sizeof(*config->attach));
}

void
attach_leave_out_ended(struct live_fabric *live, uint32_t revision, struct diag *diag)
{
	struct config *config = live->config;
	struct diag ignored = {0}; // without revisions, no process can be known again
	struct store *store = NULL;

	for (unsigned i = config->attach_count; i-- > 0;) {
		const struct config_attach *attach = &config->attach[i];

		if (attach->pid == 0)
			continue;
		if (store == NULL && store_open(&store, live->name, &ignored) != 0)
			store = NULL;
		if (store == NULL || !is_same(store, revision, attach->host.text, attach->pid))
			leave_out(config, i, diag);
	}
	store_close(store);
	diag_free(&ignored);
}

void
attach_leave_out_of(struct yaml_node *root, const struct config *running, const struct store *store,
		    uint32_t revision, struct diag *diag)
{
	struct yaml_pair *pair = yaml_tree_get(root, "attach");
	struct yaml_node *section = pair != NULL ? pair->value : NULL;
	const struct yaml_node *now = config_attach_section(running);
	bool left_out = false;

	for (unsigned i = section != NULL && section->kind == YAML_MAP ? section->count : 0;
	     i-- > 0;) {
		const struct yaml_pair *host = &section->pairs[i], *same;
		uint32_t pid = pid_of(host->value);

		same = yaml_tree_get(now, host->key);
		if (pid == 0 || (same != NULL && yaml_tree_equal(same->value, host->value)) ||
		    is_same(store, revision, host->key, pid))
			continue;
		warn_of(running->file, host->key, pid, diag);
		left_out = true;
		section->count--;
		memmove(&section->pairs[i], &section->pairs[i + 1],
			(section->count - i) * sizeof(*section->pairs));
	}
	if (left_out && section->count == 0) {
		root->count--;
		memmove(pair, pair + 1, (size_t)(root->pairs + root->count - pair) * sizeof(*pair));
	}
}
