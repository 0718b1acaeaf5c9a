// SPDX-License-Identifier: BSD-3-Clause
// Edits of `attach:` and of other sections that are one change. Detaching a host ends processes, so
// all that can be checked is checked before: the configuration is loaded as `up` would load it, and
// the tables are prepared with the addresses that hosts will have. What is left to fail is a device
// or the disk.
//
// Then hosts are detached and attached, and the other edits follow. But if the edits of `attach:`
// are not valid without the others, such as a host whose own address is still another's, the others
// come first.
#include "changes.h"

#include "attach_change.h"
#include "control/base/memory.h"
#include "control/config/yaml_emit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- trying -------------------------------------------------------------------------------------

// Whether a message begins with the key of an edit, or is of what is attached.
static bool
is_of_edits(const struct edit_list *edits, const char *words)
{
	bool found = strncmp(words, "attach", strlen("attach")) == 0;

	for (unsigned i = 0; !found && i < edits->count; i++) {
		size_t length = strlen(edits->edits[i].key);

		found = strncmp(words, edits->edits[i].key, length) == 0 &&
			strchr(":. ", words[length]) != NULL;
	}
	return found;
}

// Loads a copy again as it is after its edits.
static int
reload(const struct changes *c, struct config **copy, struct diag *diag)
{
	char *text;
	size_t length;
	int rc;

	config_emit(*copy, &text, &length);
	config_free(*copy);
	*copy = NULL;
	rc = changes_load(c, text, length, copy, diag);
	free(text);
	return rc;
}

int
changes_try(const struct changes *c, const struct edit_list *edits, struct config **copy,
	    struct diag *diag)
{
	struct topology *topology = NULL;
	struct diag found = {0}; // its warnings have been reported
	int rc = edit_list_try(edits, *copy, diag);

	if (rc != 0)
		return rc;
	rc = reload(c, copy, &found);
	if (rc == 0)
		rc = topology_create(&topology, *copy, &found);
	if (rc == 0)
		rc = attach_change_try(topology, &found);
	for (unsigned i = 0; rc != 0 && i < found.count; i++)
		if (!found.messages[i].warning)
			diag_fail(diag, EINVAL, "%s%s",
				  is_of_edits(edits, found.messages[i].words) ? "" : CHANGES_NOT_UP,
				  found.messages[i].words);
	if (rc != 0 && diag->errors == 0)
		diag_fail(diag, -rc, "the configuration: %s", strerror(-rc));
	topology_destroy(topology);
	diag_free(&found);
	return rc;
}

void
changes_add_without_lines(const struct diag *from, const char *file, struct diag *to)
{
	for (unsigned i = 0; i < from->count; i++)
		(from->messages[i].warning ? diag_warning : diag_error)(
			to, file, (struct diag_pos){0}, NULL, "%s", from->messages[i].words);
}

// Tries edits on a copy of what runs. Returns 0 with *after for config_free(), or -EINVAL with the
// errors in diag.
static int
try_running(const struct changes *c, const struct edit_list *edits, struct config **after,
	    struct diag *diag)
{
	struct diag ignored = {0}; // warnings of what runs
	char *text;
	size_t length;
	int rc;

	config_emit(c->live->config, &text, &length);
	rc = changes_load(c, text, length, after, &ignored);
	diag_free(&ignored);
	free(text);
	return rc == 0 ? changes_try(c, edits, after, diag) : rc;
}

static bool
is_valid_alone(const struct changes *c, const struct edit_list *edits)
{
	struct config *after = NULL;
	struct diag ignored = {0};
	bool valid = try_running(c, edits, &after, &ignored) == 0;

	config_free(after);
	diag_free(&ignored);
	return valid;
}

// The entries whose addresses would be in force: hosts that came up attached keep theirs.
static unsigned
list_entries(const struct live_fabric *live, const struct config *after, struct config_attach *out)
{
	unsigned count = live->fabric->file_attach_count;
	struct topo_attached at;

	if (count != 0)
		memcpy(out, live->config->attach, count * sizeof(*out));
	for (unsigned i = 0; i < after->attach_count; i++)
		if (topology_find_attached(live->topology, &after->attach[i], &at) &&
		    live->fabric->nics[at.host] != NULL)
			out[count++] = after->attach[i];
	return count;
}

// Prepares tables of the whole change, and rolls them back.
static int
try_tables(struct changes *c, const struct config *after, const struct edit_list *others,
	   struct diag *diag)
{
	struct config *config = c->live->config;
	struct config_attach *was = config->attach;
	unsigned was_count = config->attach_count, file = c->live->fabric->file_attach_count;
	bool addresses = was_count != file;
	struct diag found = {0}; // its warnings come when it is applied
	int rc = 0;

	config->attach = memory_array((size_t)file + after->attach_count, sizeof(*config->attach),
				      "attached hosts");
	config->attach_count = list_entries(c->live, after, config->attach);
	for (unsigned i = file; i < config->attach_count; i++)
		addresses |= config->attach[i].ip_count != 0;
	if (addresses || others->count != 0)
		rc = events_try(c->live->events, others->edits, others->count, addresses, &found);
	free(config->attach);
	config->attach = was;
	config->attach_count = was_count;
	for (unsigned i = 0; rc != 0 && i < found.count; i++)
		if (!found.messages[i].warning)
			diag_fail(diag, EINVAL, "%s", found.messages[i].words);
	diag_free(&found);
	return rc;
}

// ---- applying -----------------------------------------------------------------------------------

// Hosts that a change which failed had to detach are gone, if they cannot be attached again: that
// is a change of its own. While another waits to be confirmed, no revision may have that.
static void
note_lost(struct changes *c, struct attach_change *attached)
{
	struct diag errors = {0};
	char *what = attach_change_lost(attached, &errors), *text;
	const struct changes_author author = {getuid(), what};
	size_t length;

	if (what == NULL)
		return;
	fabric_log_note(c->live->log, live_clock(&c->live->drive), FABRIC_LOG_CONFIGURATION, what);
	if (errors.errors == 0 && !c->waiting.open && changes_emit(c, &text, &length, &errors) == 0)
		(void)changes_commit(c, text, length, &author, &errors);
	if (errors.errors != 0)
		fabric_log_note(c->live->log, live_clock(&c->live->drive), FABRIC_LOG_REFUSED,
				diag_first_error(&errors));
	diag_free(&errors);
	free(what);
}

// A change and its two parts.
struct parts {
	const struct edit_list *all;
	struct edit_list attach, others;
	struct edit_list undo; // of others that came first
	int (*commit)(void *context);
	void *context;
};

// Puts the edits of other sections in force, before those of `attach:`.
static int
apply_others(struct changes *c, struct parts *p, struct diag *diag)
{
	char *before;
	size_t length;
	int rc;

	config_emit(c->live->config, &before, &length);
	rc = events_edit(c->live->events, p->others.edits, p->others.count, NULL, NULL, diag);
	if (rc == 0)
		rc = changes_find_undo(c, before, length, &p->undo);
	free(before);
	return rc;
}

static void
undo_others(struct changes *c, const struct parts *p)
{
	struct diag why = {0};

	if (p->undo.count != 0 &&
	    events_edit(c->live->events, p->undo.edits, p->undo.count, NULL, NULL, &why) != 0)
		fabric_log_note(c->live->log, live_clock(&c->live->drive), FABRIC_LOG_REFUSED,
				diag_first_error(&why));
	diag_free(&why);
}

static int
apply_parts(struct changes *c, struct parts *p, struct diag *diag)
{
	struct attach_change attached = {0};
	bool others_first = p->others.count != 0 && !is_valid_alone(c, &p->attach);
	int rc = others_first ? apply_others(c, p, diag) : 0;

	if (rc == 0)
		rc = attach_change_begin(&attached, c->live, &p->attach, diag);
	if (rc == 0 && p->others.count != 0 && !others_first)
		rc = events_edit(c->live->events, p->others.edits, p->others.count, p->commit,
				 p->context, diag);
	else if (rc == 0 && p->commit != NULL)
		rc = p->commit(p->context);
	if (rc == 0) {
		attach_change_keep(&attached);
	} else {
		attach_change_undo(&attached);
		undo_others(c, p);
	}
	note_lost(c, &attached);
	attach_change_free(&attached);
	return rc;
}

// The device of a host that is attached by that process, or NULL.
static const struct device_port *
find_process(const struct live_fabric *live, const struct config_attach *attach)
{
	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];

		if (!d->detached && d->attach != NULL && d->attach->pid == attach->pid &&
		    strcmp(d->attach->host.text, attach->host.text) == 0)
			return d;
	}
	return NULL;
}

// The number of a process may be another's by now. Who attaches a host names the process; but one
// that is attached again, or as it was before a change, must be the same.
static int
check_processes(const struct changes *c, const struct config *after, struct diag *diag)
{
	const struct yaml_node *now = config_attach_section(c->live->config);
	const struct yaml_node *then = config_attach_section(after);

	for (unsigned i = 0; i < after->attach_count; i++) {
		const struct config_attach *attach = &after->attach[i];
		const struct yaml_pair *was = yaml_tree_get(now, attach->host.text);
		const struct yaml_pair *is = yaml_tree_get(then, attach->host.text);
		const struct device_port *d = find_process(c->live, attach);
		bool same;

		if (attach->pid == 0 || is == NULL ||
		    (was != NULL && yaml_tree_equal(was->value, is->value)))
			continue;
		same = d == NULL || d->container == NULL || host_netns_has_process(d);
		if (d == NULL && c->waiting.open)
			same = attach_process_is_there(attach->pid, c->waiting.at);
		if (!same)
			return diag_fail(diag, ESRCH, "attach.%s: process %u has ended",
					 attach->host.text, attach->pid);
	}
	return 0;
}

static int
edit_attached(struct changes *c, struct parts *p, struct diag *diag)
{
	struct config *after = NULL;
	struct diag found = {0};
	int rc = try_running(c, p->all, &after, &found);

	if (rc != 0) {
		changes_add_without_lines(&found, c->live->config->file, diag);
	} else {
		rc = check_processes(c, after, diag);
	}
	if (rc == 0) {
		rc = try_tables(c, after, &p->others, diag);
	}
	config_free(after);
	diag_free(&found);
	return rc == 0 ? apply_parts(c, p, diag) : rc;
}

int
changes_edit(struct changes *c, const struct edit_list *edits, int (*commit)(void *context),
	     void *context, struct diag *diag)
{
	struct parts p = {.all = edits, .commit = commit, .context = context};
	int rc;

	edit_list_split(edits, &p.attach, &p.others);
	rc = p.attach.count != 0 ? edit_attached(c, &p, diag)
				 : events_edit(c->live->events, edits->edits, edits->count, commit,
					       context, diag);
	edit_list_free(&p.attach);
	edit_list_free(&p.others);
	edit_list_free(&p.undo);
	return rc;
}
