// SPDX-License-Identifier: BSD-3-Clause
// The caller has tried the configuration (changes_edit.c). Hosts are detached first, because what
// comes may need their namespaces and addresses. Then hosts are attached: all, or what was there
// before comes back. What a fabric that is killed would leave is recorded before it is made
// (instance.h). The caller commits the configuration when all is done: of a fabric that is killed
// earlier the last revision says what was attached before.
#include "attach_change.h"

#include "control/api/api.h"
#include "control/base/memory.h"
#include "control/config/config.h"
#include "control/config/yaml_emit.h"
#include "instance.h"

#include <stdlib.h>
#include <string.h>

int
attach_change_try(struct topology *topology, struct diag *diag)
{
	struct device_port *list = NULL;
	uint32_t count;
	int rc;

	topology_apply_attach(topology);
	rc = device_ports_list(&list, &count, topology, NULL, diag);
	if (rc == 0)
		rc = device_ports_check(list, count, topology, diag);
	free(list);
	return rc;
}

// ---- what is attached ---------------------------------------------------------------------------

static int
record(const struct live_fabric *live, struct diag *diag)
{
	char path[API_PATH_MAX];
	int rc = api_socket_path(live->name, path, diag);

	return rc == 0 ? instance_record(live, path, diag) : rc;
}

// After something has gone: what the record says too much does no harm.
static void
record_less(const struct live_fabric *live)
{
	struct diag ignored = {0};

	(void)record(live, &ignored);
	diag_free(&ignored);
}

// Whether the host, or its NIC, is one that this process runs, or none.
static bool
is_here(const struct live_fabric *live, const char *host)
{
	const struct config_attach attach = {.host.text = (char *)(uintptr_t)host};
	struct topo_attached at;

	return !topology_find_attached(live->topology, &attach, &at) ||
	       live_is_here(live, live->topology->first_host + at.host);
}

// The entries of a section that the other one lacks or has otherwise. Hosts of other parts are
// theirs.
static unsigned
list_differing(const struct live_fabric *live, const struct yaml_node *section,
	       const struct yaml_node *other, const char **out)
{
	unsigned count = 0;

	for (unsigned i = 0; section != NULL && i < section->count; i++) {
		const struct yaml_pair *pair = &section->pairs[i];
		const struct yaml_pair *same = yaml_tree_get(other, pair->key);

		if (is_here(live, pair->key) &&
		    (same == NULL || !yaml_tree_equal(pair->value, same->value)))
			out[count++] = pair->key;
	}
	return count;
}

// A process has no name by which it could be found again.
static void
warn_of_process(const struct config_attach *attach, struct diag *diag)
{
	if (attach->pid != 0)
		diag_warning(diag, "attach", (struct diag_pos){0}, NULL,
			     "attach.%s.pid: attached only as long as process %u runs; to have "
			     "`up` attach it again later, use netns",
			     attach->host.text, attach->pid);
}

// Attaches all or none of these hosts.
static int
attach_hosts(struct attach_change *c, const struct yaml_node *section, const char *const *hosts,
	     unsigned count, struct diag *diag)
{
	const struct config_attach **planned = memory_array(count, sizeof(*planned), "hosts");
	struct live_fabric *live = c->live;
	unsigned ready = 0, done = 0;
	struct diag ignored = {0};
	int rc = 0;

	for (; rc == 0 && ready < count; ready += rc == 0)
		rc = live_attach_plan(live, hosts[ready],
				      yaml_tree_get(section, hosts[ready])->value, &planned[ready],
				      diag);
	if (rc == 0)
		rc = record(live, diag);
	for (unsigned i = 0; rc == 0 && i < count; i++)
		warn_of_process(planned[i], diag);
	while (rc == 0 && done < count) {
		rc = live_attach(live, planned[done], diag);
		planned[done] = NULL; // it is a device's, or gone
		done += rc == 0;
	}
	if (rc != 0) {
		for (unsigned i = done; i < ready; i++)
			if (planned[i] != NULL)
				live_attach_cancel(live, planned[i]);
		while (done-- > 0)
			(void)live_detach(live, hosts[done], &ignored);
		record_less(live);
	}
	free(planned);
	diag_free(&ignored);
	return rc;
}

static int
detach_hosts(struct attach_change *c, const char *const *hosts, unsigned count, struct diag *diag)
{
	int rc = 0;

	while (rc == 0 && c->gone_count < count) {
		rc = live_detach(c->live, hosts[c->gone_count], diag);
		c->gone_count += rc == 0;
	}
	if (count != 0)
		record_less(c->live);
	return rc;
}

// ---- a change -----------------------------------------------------------------------------------

static const char **
room_for(struct attach_change *c, const struct yaml_node *section)
{
	return arena_alloc(&c->arena,
			   ((section != NULL ? section->count : 0) + 1) * sizeof(char *));
}

// Detaches what has come, and attaches what has gone, as far as that is possible.
static void
go_back(struct attach_change *c)
{
	unsigned lost = 0;

	for (unsigned i = c->come_count; i-- > 0;) {
		struct diag ignored = {0};

		(void)live_detach(c->live, c->come[i], &ignored);
		diag_free(&ignored);
	}
	for (unsigned i = 0; i < c->gone_count; i++) {
		struct diag why = {0};

		if (attach_hosts(c, c->before, &c->gone[i], 1, &why) != 0) {
			fabric_log_note(c->live->log, live_clock(&c->live->drive),
					FABRIC_LOG_REFUSED, diag_first_error(&why));
			c->gone[lost++] = c->gone[i];
		}
		diag_free(&why);
	}
	record_less(c->live);
	c->come_count = 0;
	c->gone_count = lost;
	for (unsigned i = 0; i < lost; i++) // the tree that has them is about to go
		c->gone[i] = arena_text(&c->arena, c->gone[i], strlen(c->gone[i]));
	config_set_undo(c->live->config);
}

int
attach_change_begin(struct attach_change *change, struct live_fabric *live,
		    const struct edit_list *edits, struct diag *diag)
{
	const struct yaml_node *after;
	unsigned gone, come;
	int rc;

	change->live = live;
	change->before = config_attach_section(live->config);
	rc = config_edit_attach(live->config, edits->edits, edits->count, diag);
	if (rc != 0)
		return rc;
	after = config_attach_section(live->config);
	change->gone = room_for(change, change->before);
	change->come = room_for(change, after);
	gone = list_differing(live, change->before, after, change->gone);
	come = list_differing(live, after, change->before, change->come);
	rc = detach_hosts(change, change->gone, gone, diag);
	if (rc == 0)
		rc = attach_hosts(change, after, change->come, come, diag);
	if (rc == 0)
		change->come_count = come;
	else
		go_back(change);
	change->open = rc == 0;
	return rc;
}

void
attach_change_keep(struct attach_change *change)
{
	if (!change->open)
		return;
	config_edit_keep(change->live->config);
	change->gone_count = 0;
	change->open = false;
}

void
attach_change_undo(struct attach_change *change)
{
	if (change->open)
		go_back(change);
	change->open = false;
}

char *
attach_change_lost(struct attach_change *change, struct diag *diag)
{
	struct edit_list edits = {0};
	char *text = NULL;
	size_t size;
	FILE *to;

	if (change->gone_count == 0)
		return NULL;
	to = memory_stream_open(&text, &size);
	for (unsigned i = 0; i < change->gone_count; i++) {
		char *key = memory_format("attach.%s", change->gone[i]);

		edit_list_add(&edits, CONFIG_EDIT_UNSET, key, NULL);
		fprintf(to, "%s%s", i == 0 ? "" : ", ", change->gone[i]);
		free(key);
	}
	fprintf(to, " detached: attaching %s again failed",
		change->gone_count == 1 ? "it" : "them");
	fclose(to);
	if (config_edit_attach(change->live->config, edits.edits, edits.count, diag) == 0)
		config_edit_keep(change->live->config);
	edit_list_free(&edits);
	return text;
}

void
attach_change_free(struct attach_change *change)
{
	arena_free(&change->arena);
	*change = (struct attach_change){0};
}
