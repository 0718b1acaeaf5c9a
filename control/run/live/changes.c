// SPDX-License-Identifier: BSD-3-Clause
// A change takes four steps: it is prepared on all nodes; the configuration that it makes is
// written as a revision; it is published; and packets admitted before it drain. The second step
// decides: after a crash before it the fabric comes up as the last revision, after a crash behind
// it as this one. So the text is loaded once before it is written. A change that waits to be
// confirmed is in force without a revision, so that a crash undoes it too.
#include "changes.h"

#include "control/base/file.h"
#include "control/base/memory.h"
#include "control/config/yaml_emit.h"
#include "control/model/workload/workload.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EMIT_ERRORS_MAX 3 // reported of a configuration that does not load

int
changes_load(const struct changes *c, const char *text, size_t length, struct config **out,
	     struct diag *diag)
{
	const struct config *running = c->live->config;

	return config_load_revision(out, text, length, running->file, running->beside, diag);
}

int
changes_emit(const struct changes *c, char **text, size_t *length, struct diag *diag)
{
	struct diag errors = {0};
	struct config *copy = NULL;
	unsigned reported = 0;
	int rc;

	config_emit(c->live->config, text, length);
	rc = changes_load(c, *text, *length, &copy, &errors);
	for (unsigned i = 0; rc != 0 && i < errors.count && reported < EMIT_ERRORS_MAX; i++)
		if (!errors.messages[i].warning)
			diag_fail(diag, EPROTO, "%s%s", reported++ == 0 ? CHANGES_NOT_UP : "",
				  errors.messages[i].words);
	config_free(copy);
	diag_free(&errors);
	if (rc == 0)
		return 0;
	free(*text);
	return -EPROTO;
}

static void
name_user(uid_t uid, char name[static STORE_USER_MAX])
{
	char room[4096];
	struct passwd entry, *found = NULL;

	name[0] = '\0';
	if (getpwuid_r(uid, &entry, room, sizeof(room), &found) == 0 && found != NULL)
		snprintf(name, STORE_USER_MAX, "%s", found->pw_name);
}

int
changes_commit(struct changes *c, char *text, size_t length, const struct changes_author *author,
	       struct diag *diag)
{
	bool same = c->text != NULL && c->length == length && memcmp(c->text, text, length) == 0;
	struct store_revision r = {.at = time(NULL), .uid = author->uid};
	int rc = 0;

	if (c->store != NULL && !(same && c->running != 0)) {
		name_user(author->uid, r.user);
		snprintf(r.what, sizeof(r.what), "%s", author->what);
		snprintf(r.file, sizeof(r.file), "%s", c->file != NULL ? c->file : "");
		if (c->live->part != NULL)
			snprintf(r.part, sizeof(r.part), "%s", c->live->part->name.text);
		rc = store_commit(c->store, &r, text, length, diag);
		if (rc == 0)
			c->running = r.number;
	}
	if (rc != 0) {
		free(text);
		return rc;
	}
	free(c->text);
	c->text = text;
	c->length = length;
	return 0;
}

// Whether the last revision is of this file and text, below its comments. Then it is what runs.
static bool
adopt_last(struct changes *c, const char *text, size_t length)
{
	const char *part = c->live->part != NULL ? c->live->part->name.text : "";
	struct store_revision r;
	struct diag ignored = {0};
	char *last;
	size_t last_length, header;
	bool same;
	int rc = store_read(c->store, store_last(c->store), &r, &last, &last_length, &ignored);

	diag_free(&ignored);
	if (rc != 0)
		return false;
	header = last_length >= length ? last_length - length : 0;
	same = last_length >= length && memcmp(last + header, text, length) == 0 &&
	       (header == 0 || last[header - 1] == '\n') &&
	       strcmp(r.file, c->file != NULL ? c->file : "") == 0 && strcmp(r.part, part) == 0;
	if (same)
		c->running = r.number;
	free(last);
	return same;
}

// The first revision of what came up, unless the last one is the same.
static int
begin(struct changes *c, const struct changes_author *author, struct diag *diag)
{
	size_t length;
	char *text;

	config_emit(c->live->config, &text, &length);
	if (!adopt_last(c, text, length))
		return changes_commit(c, text, length, author, diag);
	c->text = text;
	c->length = length;
	return 0;
}

// ---- the workload ------------------------------------------------------------------------------
// Its items became lists of flows when the fabric came up. Those that the present tenants would
// refuse are left out when it comes up again; each is reported once, to the user who changes the
// tenants.

static void
find_misfits(const struct changes *c, struct diag *out)
{
	const struct fabric *f = c->live->fabric;
	struct workload *workload = NULL;

	if (f->config->work_count != 0)
		(void)workload_create(&workload, f->topology, f->routes, f->hosts, out);
	workload_destroy(workload);
}

static void
warn_of_misfits(struct changes *c, const struct edit_list *edits, struct diag *diag)
{
	struct diag now = {0};
	bool tenants = false;

	for (unsigned i = 0; i < edits->count; i++)
		tenants |= strncmp(edits->edits[i].key, "tenants", strlen("tenants")) == 0;
	if (!tenants)
		return;
	find_misfits(c, &now);
	diag_soften(&now, &c->misfits, diag);
	diag_free(&c->misfits);
	c->misfits = now;
}

// ---- changes -----------------------------------------------------------------------------------

struct changes *
changes_create(struct live_fabric *live, const char *file, const struct changes_author *author)
{
	struct changes *c = memory_new(sizeof(*c), "changes");
	struct diag errors = {0};
	int rc;

	c->live = live;
	c->file = memory_text(file);
	if (live->config->restored) // else it came up because all items fit
		find_misfits(c, &c->misfits);
	rc = store_open_to_write(&c->store, live->name, &errors);
	if (rc == 0)
		rc = begin(c, author, &errors);
	if (rc != 0) {
		c->why_not = memory_format("no revisions are kept: %s", diag_first_error(&errors));
		fprintf(live->notes, "roost: note: %s\n", c->why_not);
		store_close(c->store);
		c->store = NULL;
	}
	if (c->file != NULL && !live->config->restored)
		config_emit(live->config, &c->saved, &c->saved_length);
	diag_free(&errors);
	return c;
}

void
changes_destroy(struct changes *c)
{
	if (c == NULL)
		return;
	store_close(c->store);
	edit_list_free(&c->staged);
	edit_list_free(&c->waiting.undo);
	diag_free(&c->misfits);
	free(c->why_not);
	free(c->file);
	free(c->saved);
	free(c->text);
	free(c);
}

// What the commit of a change needs to know.
struct commit {
	struct changes *c;
	const struct changes_request *request;
	char *before; // what runs, if the change waits to be confirmed
	size_t before_length;
	struct diag *diag;
};

// Prepared on all nodes, published on none.
static int
commit_change(void *context)
{
	const struct commit *commit = context;
	const struct changes_request *request = commit->request;
	char *text;
	size_t length;
	int rc = changes_emit(commit->c, &text, &length, commit->diag);

	if (rc != 0)
		return rc;
	if (request->confirm_ms == 0)
		return changes_commit(commit->c, text, length, &request->author, commit->diag);
	free(text);
	return changes_wait(commit->c, commit->before, commit->before_length, request);
}

void
changes_finish(struct changes *c, const struct edit_list *edits, const char *what,
	       struct diag *diag)
{
	bool others = false;

	for (unsigned i = 0; i < edits->count; i++)
		others |= !config_edit_attaches(&edits->edits[i]);
	// If a tenant's hosts move, the log has the change once their packets have drained.
	if (!others || !events_name_change(c->live->events, what))
		fabric_log_note(c->live->log, live_clock(&c->live->drive), FABRIC_LOG_CONFIGURATION,
				what);
	warn_of_misfits(c, edits, diag);
}

static int
refuse_waiting(const struct changes *c, struct diag *diag)
{
	if (!c->waiting.open)
		return 0;
	return diag_fail(diag, EBUSY,
			 "\"%s\" waits to be confirmed: roost apply --confirm-yes, or --confirm-no",
			 c->waiting.what);
}

int
changes_apply(struct changes *c, const struct changes_request *request, struct changes_outcome *out,
	      struct diag *diag)
{
	struct commit commit = {.c = c, .request = request, .diag = diag};
	const struct edit_list *edits = request->edits;
	int rc = refuse_waiting(c, diag);

	if (rc != 0)
		return rc;
	*out = (struct changes_outcome){.revision = c->running, .edits = edits->count};
	if (edits->count == 0)
		return 0;
	if (request->confirm_ms != 0)
		config_emit(c->live->config, &commit.before, &commit.before_length);
	rc = changes_edit(c, edits, commit_change, &commit, diag);
	free(commit.before);
	if (rc != 0)
		return rc;
	out->revision = request->confirm_ms != 0 ? 0 : c->running;
	changes_finish(c, edits, request->author.what, diag);
	return 0;
}

// ---- staged edits ------------------------------------------------------------------------------
// Each is tried, with those before it, on a copy of what runs. Whether all nodes can hold it shows
// only when it is applied.

int
changes_copy_staged(const struct changes *c, struct config **out, struct diag *diag)
{
	struct diag ignored = {0}; // warnings that were reported when the fabric came up
	char *text;
	size_t length;
	int rc;

	config_emit(c->live->config, &text, &length);
	rc = changes_load(c, text, length, out, &ignored);
	diag_free(&ignored);
	free(text);
	if (rc == 0 && c->staged.count != 0)
		rc = edit_list_try(&c->staged, *out, diag);
	if (rc != 0) {
		config_free(*out);
		*out = NULL;
	}
	return rc;
}

int
changes_stage(struct changes *c, const struct edit_list *edits, struct diag *diag)
{
	struct diag found = {0};
	struct edit_list all = {0};
	struct config *copy = NULL;
	int rc = changes_copy_staged(c, &copy, &found);

	if (rc == 0) {
		edit_list_append(&all, edits);
		edit_list_assign_encap(&all, copy);
		rc = changes_try(c, &all, &copy, &found);
	}
	if (rc == 0)
		edit_list_append(&c->staged, &all);
	changes_add_without_lines(&found, c->live->config->file, diag);
	diag_free(&found);
	config_free(copy);
	edit_list_free(&all);
	return rc;
}

void
changes_discard(struct changes *c)
{
	edit_list_free(&c->staged);
}

// ---- what there is -----------------------------------------------------------------------------

const struct store *
changes_store(const struct changes *c, struct diag *diag)
{
	if (c->store == NULL)
		diag_fail(diag, ENOENT, "%s", c->why_not);
	return c->store;
}

int
changes_save(struct changes *c, const char *path, int *kept, struct diag *diag)
{
	const char *to = path != NULL ? path : c->file;
	struct file_part part;
	char *text, *real;
	int rc = refuse_waiting(c, diag);

	if (rc != 0)
		return rc;
	if (to == NULL)
		return diag_fail(diag, ENOENT,
				 "the fabric was not read from a file: name the FILE to write");
	config_emit(c->live->config, &text, &part.length);
	part.text = text;
	rc = file_replace(to, &part, 1, kept);
	if (rc != 0) {
		free(text);
		return diag_fail(diag, -rc, "%s: %s", to,
				 rc == -EEXIST ? "it is no regular file" : strerror(-rc));
	}
	// Where it was written, and the old one kept: a link may lead elsewhere tomorrow.
	real = realpath(to, NULL);
	if (real == NULL)
		real = memory_text(to);
	free(c->file);
	free(c->saved);
	c->file = real;
	c->saved = text;
	c->saved_length = part.length;
	return 0;
}
