// SPDX-License-Identifier: BSD-3-Clause
// A change goes in four steps: it is prepared on all nodes, the configuration that it makes is
// written as a revision, it is published, and packets admitted before drain. The second is the one
// that counts: who brings the fabric up again after a crash finds the revision before it until
// then, and this one from then on; so what is written must load again, and is loaded to see that it
// does. A change that waits to be confirmed is in force without a revision, so that a crash undoes
// it too.
#include "changes_internal.h"

#include "control/config/yaml_emit.h"
#include "control/base/file.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE_ERRORS 3 // told of a configuration that does not load

// Where what runs is said to be, and what the files that it names are beside.
static const char *
beside(const struct changes *c)
{
	return c->live->config->beside;
}

// What there is to warn of in what runs has been said when it came to be.
int
changes_copy_running(const struct changes *c, struct config **out)
{
	struct diag said = {0};
	char *text;
	size_t length;
	int rc = config_emit(c->live->config, &text, &length);

	if (rc != 0)
		return rc;
	rc = config_load_revision(out, text, length, c->live->config->file, beside(c), &said);
	diag_free(&said);
	free(text);
	return rc;
}

int
changes_emit(const struct changes *c, char **text, size_t *length, char *err, size_t err_size)
{
	struct diag diag = {0};
	struct config *copy = NULL;
	int rc = config_emit(c->live->config, text, length);
	size_t used;

	if (rc == 0)
		rc = config_load_revision(&copy, *text, *length, c->live->config->file, beside(c),
					  &diag);
	config_free(copy);
	if (rc == 0) {
		diag_free(&diag);
		return 0;
	}
	used = (size_t)snprintf(err, err_size, "the configuration would not come up again: ");
	if (diag.errors == 0 && used < err_size)
		snprintf(err + used, err_size - used, "%s", strerror(-rc));
	for (unsigned i = 0, told = 0; i < diag.count && told < MESSAGE_ERRORS; i++)
		if (!diag.messages[i].warning && used < err_size)
			used += (size_t)snprintf(err + used, err_size - used, "%s%s",
						 told++ != 0 ? "; " : "", diag.messages[i].words);
	free(*text);
	diag_free(&diag);
	return rc == -ENOMEM ? rc : -EPROTO;
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
	       char *err, size_t err_size)
{
	bool same = c->text != NULL && c->length == length && memcmp(c->text, text, length) == 0;
	struct store_revision r = {.at = time(NULL), .uid = author->uid};
	struct diag diag = {0};
	int rc = 0;

	if (c->store != NULL && !(same && c->running != 0)) {
		name_user(author->uid, r.user);
		snprintf(r.what, sizeof(r.what), "%s", author->what);
		snprintf(r.file, sizeof(r.file), "%s", c->file != NULL ? c->file : "");
		rc = store_commit(c->store, &r, text, length, &diag);
		if (rc == 0)
			c->running = r.number;
		else
			snprintf(err, err_size, "%s", diag_first_error(&diag));
		diag_free(&diag);
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

// Takes over the last revision as what runs if that is what it says.
static bool
adopt_last(struct changes *c, const char *text, size_t length)
{
	struct store_revision r;
	struct diag diag = {0};
	char *last;
	size_t last_length, header;
	bool same;
	int rc = store_read(c->store, store_last(c->store), &r, &last, &last_length, &diag);

	diag_free(&diag);
	if (rc != 0)
		return false;
	header = last_length >= length ? last_length - length : 0;
	same = last_length >= length && memcmp(last + header, text, length) == 0 &&
	       (header == 0 || last[header - 1] == '\n') &&
	       strcmp(r.file, c->file != NULL ? c->file : "") == 0;
	if (same)
		c->running = r.number;
	free(last);
	return same;
}

// The first revision of what came up, unless the last one says so already.
static int
begin(struct changes *c, const struct changes_author *author, char *err, size_t err_size)
{
	size_t length;
	char *text;
	int rc = config_emit(c->live->config, &text, &length);

	if (rc != 0)
		return rc;
	if (adopt_last(c, text, length)) {
		c->text = text;
		c->length = length;
		return 0;
	}
	return changes_commit(c, text, length, author, err, err_size);
}

int
changes_create(struct changes **out, struct live_fabric *live, const char *file,
	       const struct changes_author *author, struct live_report *report)
{
	struct changes *c = calloc(1, sizeof(*c));
	char err[sizeof(c->why_not) - 32] = "";
	struct diag diag = {0};
	int rc;

	*out = c;
	if (c == NULL)
		return -ENOMEM;
	c->live = live;
	c->file = file != NULL ? strdup(file) : NULL;
	if (file != NULL && c->file == NULL)
		return -ENOMEM;
	changes_know_workload(c);
	rc = store_open_to_write(&c->store, live->config->fabric.name.text, &diag);
	snprintf(err, sizeof(err), "%s", diag_first_error(&diag));
	diag_free(&diag);
	if (rc == 0)
		rc = begin(c, author, err, sizeof(err));
	if (rc == 0 || rc == -ENOMEM)
		return rc;
	snprintf(c->why_not, sizeof(c->why_not), "no revisions are kept: %.480s", err);
	fprintf(report->notes, "roost: note: %s\n", c->why_not);
	store_close(c->store);
	c->store = NULL;
	return 0;
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
	free(c->file);
	free(c->text);
	free(c);
}

// What the commit of a change needs to know.
struct commit {
	struct changes *c;
	const struct changes_author *author;
	uint64_t confirm_ms; // 0: at once
	char *before;        // what runs, where it waits to be confirmed
	size_t before_length;
	char *err;
	size_t err_size;
};

// Prepared on all nodes, published on none.
static int
commit_change(void *context)
{
	const struct commit *commit = context;
	char *text;
	size_t length;
	int rc = changes_emit(commit->c, &text, &length, commit->err, commit->err_size);

	if (rc != 0)
		return rc;
	if (commit->confirm_ms == 0)
		return changes_commit(commit->c, text, length, commit->author, commit->err,
				      commit->err_size);
	free(text);
	return changes_wait(commit->c, commit->before, commit->before_length, commit->author,
			    commit->confirm_ms);
}

void
changes_note(struct changes *c, const char *what)
{
	if (events_name_change(c->live->events, what))
		return; // told when its packets have drained, with who has moved
	fabric_log_note(c->live->log, live_clock(&c->live->drive), "configuration", what);
}

static int
refuse_waiting(const struct changes *c, char *err, size_t err_size)
{
	if (!c->waiting.open)
		return 0;
	snprintf(err, err_size,
		 "\"%s\" waits to be confirmed: roost apply --confirm-yes, or --confirm-no",
		 c->waiting.what);
	return -EBUSY;
}

int
changes_apply(struct changes *c, const struct edit_list *edits, const struct changes_author *author,
	      uint64_t confirm_ms, struct changes_outcome *out, struct diag *diag, char *err,
	      size_t err_size)
{
	struct commit commit = {.c = c,
				.author = author,
				.confirm_ms = confirm_ms,
				.err = err,
				.err_size = err_size};
	int rc;

	err[0] = '\0';
	rc = refuse_waiting(c, err, err_size);
	if (rc != 0)
		return rc;
	*out = (struct changes_outcome){.revision = c->running, .edits = edits->count};
	if (edits->count == 0)
		return 0;
	if (confirm_ms != 0)
		rc = config_emit(c->live->config, &commit.before, &commit.before_length);
	if (rc == 0)
		rc = events_edit(c->live->events, edits->edits, edits->count, commit_change,
				 &commit, diag);
	free(commit.before);
	if (rc != 0)
		return rc;
	out->revision = confirm_ms != 0 ? 0 : c->running;
	changes_note(c, author->what);
	changes_warn_of_workload(c, edits, diag);
	return 0;
}

const struct store *
changes_store(const struct changes *c, char *err, size_t err_size)
{
	if (c->store == NULL)
		snprintf(err, err_size, "%s", c->why_not);
	return c->store;
}

uint32_t
changes_running(const struct changes *c)
{
	return c->running;
}

const char *
changes_file(const struct changes *c)
{
	return c->file;
}

int
changes_save(struct changes *c, const char *path, int *kept, char *err, size_t err_size)
{
	const char *to = path != NULL ? path : c->file;
	struct file_part part;
	char *text = NULL, *name;
	int rc = refuse_waiting(c, err, err_size);

	if (rc != 0)
		return rc;
	if (to == NULL) {
		snprintf(err, err_size, "the fabric came from no file: name one");
		return -ENOENT;
	}
	name = strdup(to);
	rc = name != NULL ? config_emit(c->live->config, &text, &part.length) : -ENOMEM;
	part.text = text;
	if (rc == 0)
		rc = file_replace(to, &part, 1, kept);
	free(text);
	if (rc != 0) {
		snprintf(err, err_size, "%s: %s", to,
			 rc == -EEXIST ? "it is no regular file" : strerror(-rc));
		free(name);
		return rc;
	}
	free(c->file);
	c->file = name;
	return 0;
}
