// SPDX-License-Identifier: BSD-3-Clause
// Edits that wait to be confirmed are part of what runs, but of no revision. The edits that would
// undo them are kept, of the keys that they touched and of no others: what the file's events change
// meanwhile stays.
#include "changes.h"

#include "control/base/clock.h"
#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int
changes_find_undo(const struct changes *c, const char *before, size_t length, struct edit_list *out)
{
	struct config_differences found;
	struct diag ignored = {0};
	struct arena arena = {0};
	struct yaml_node *old;
	int rc = yaml_tree_parse(&old, &arena, before, length, "", &ignored);

	if (rc == 0)
		rc = config_diff(&found, &arena, config_tree(c->live->config), old);
	if (rc == 0)
		edit_list_add_differences(out, &found);
	diag_free(&ignored);
	arena_free(&arena);
	return rc;
}

int
changes_wait(struct changes *c, const char *before, size_t length,
	     const struct changes_request *request)
{
	int rc = changes_find_undo(c, before, length, &c->waiting.undo);

	if (rc != 0)
		return rc;
	c->waiting.open = true;
	c->waiting.until_ms = clock_ms() + (int64_t)request->confirm_ms;
	c->waiting.at = time(NULL);
	c->waiting.uid = request->author.uid;
	snprintf(c->waiting.what, sizeof(c->waiting.what), "%s", request->author.what);
	return 0;
}

static void
end_wait(struct changes *c)
{
	c->waiting.open = false;
	edit_list_free(&c->waiting.undo);
}

static int
refuse_none(const struct changes *c, struct diag *diag)
{
	return c->waiting.open ? 0 : diag_fail(diag, ENOENT, "nothing waits to be confirmed");
}

int
changes_confirm(struct changes *c, struct changes_outcome *out, struct diag *diag)
{
	const struct changes_author author = {c->waiting.uid, c->waiting.what};
	char *text;
	size_t length;
	int rc = refuse_none(c, diag);

	if (rc == 0)
		rc = changes_emit(c, &text, &length, diag);
	if (rc == 0)
		rc = changes_commit(c, text, length, &author, diag);
	if (rc != 0)
		return rc;
	*out = (struct changes_outcome){.revision = c->running, .edits = c->waiting.undo.count};
	end_wait(c);
	return 0;
}

// ---- undoing ------------------------------------------------------------------------------------
// All at once, if that is possible. If it is not, because a host cannot be attached as it was, the
// rest is undone all the same, and such a host is detached: what was not confirmed does not stay.
// What runs is then neither what was there before nor what waited, so a revision is made of it.

// The edits of one host from the first on; the edits of a host follow each other.
static unsigned
count_of_host(const struct edit_list *edits, unsigned first)
{
	const char *key = edits->edits[first].key;
	size_t length = config_edit_attached(&edits->edits[first]);
	unsigned end = first + 1;

	while (end < edits->count && config_edit_attached(&edits->edits[end]) == length &&
	       strncmp(edits->edits[end].key, key, length) == 0)
		end++;
	return end - first;
}

static bool
is_attached(const struct changes *c, const char *host)
{
	return yaml_tree_get(config_attach_section(c->live->config), host) != NULL;
}

static int
edit_host(struct changes *c, const struct edit_list *edits, unsigned first, struct diag *why)
{
	const struct edit_list host = {.edits = &edits->edits[first],
				       .count = count_of_host(edits, first)};

	return changes_edit(c, &host, NULL, NULL, why);
}

// Detaches a host that cannot be attached as it was. The log says why.
static void
give_host_up(struct changes *c, const struct edit_list *edits, unsigned first, FILE *lost,
	     struct diag *diag)
{
	const struct config_edit *edit = &edits->edits[first];
	char *key = memory_format("%.*s", (int)config_edit_attached(edit), edit->key);
	const char *host = strchr(key, '.') != NULL ? strchr(key, '.') + 1 : "hosts";
	struct edit_list detach = {0};
	struct diag why = {0}, ignored = {0};
	int rc = edit_host(c, edits, first, &why);

	// Unless it was not to be attached, and is not.
	if (rc != 0 && !(edit->kind == CONFIG_EDIT_UNSET && strcmp(edit->key, key) == 0 &&
			 !is_attached(c, host))) {
		edit_list_add(&detach, CONFIG_EDIT_UNSET, key, NULL);
		if (is_attached(c, host))
			(void)changes_edit(c, &detach, NULL, NULL, &ignored);
		fprintf(lost, "%s%s", ftell(lost) == 0 ? "" : ", ", host);
		fabric_log_note(c->live->log, live_clock(&c->live->drive), FABRIC_LOG_REFUSED,
				diag_first_error(&why));
		diag_warning(diag, c->live->config->file, (struct diag_pos){0}, NULL,
			     "%s cannot be attached as before: %s", host, diag_first_error(&why));
	}
	edit_list_free(&detach);
	diag_free(&ignored);
	diag_free(&why);
	free(key);
}

// One by one, in an order in which that is possible: a host may need the namespace of another.
static void
undo_hosts(struct changes *c, const struct edit_list *edits, FILE *lost, struct diag *diag)
{
	bool *done = memory_array(edits->count, sizeof(*done), "edits"), progress = true;

	while (progress) {
		progress = false;
		for (unsigned i = 0; i < edits->count; i += count_of_host(edits, i)) {
			struct diag ignored = {0};

			if (!done[i] && edit_host(c, edits, i, &ignored) == 0)
				done[i] = progress = true;
			diag_free(&ignored);
		}
	}
	for (unsigned i = 0; i < edits->count; i += count_of_host(edits, i))
		if (!done[i])
			give_host_up(c, edits, i, lost, diag);
	free(done);
}

// Makes a revision of what runs, if it is another than that of the last one.
static void
commit_running(struct changes *c, const char *what, struct diag *diag)
{
	const struct changes_author author = {getuid(), what};
	struct diag errors = {0};
	size_t length;
	char *text;

	if (changes_emit(c, &text, &length, &errors) != 0 ||
	    changes_commit(c, text, length, &author, &errors) != 0)
		diag_warning(diag, c->live->config->file, (struct diag_pos){0}, NULL,
			     "no revision: %s", diag_first_error(&errors));
	diag_free(&errors);
}

// Returns 0, or -errno with an error in diag if the edits of sections other than `attach:` cannot
// be undone.
static int
undo_parts(struct changes *c, char **lost, struct diag *diag)
{
	struct edit_list attach = {0}, others = {0};
	size_t size;
	FILE *to = memory_stream_open(lost, &size);
	int rc = 0;

	edit_list_split(&c->waiting.undo, &attach, &others);
	if (others.count != 0)
		rc = changes_edit(c, &others, NULL, NULL, diag);
	undo_hosts(c, &attach, to, diag);
	if (rc != 0 && attach.count != 0) { // it may have needed an address of a host
		diag_free(diag);
		*diag = (struct diag){0};
		rc = changes_edit(c, &others, NULL, NULL, diag);
	}
	fclose(to);
	edit_list_free(&attach);
	edit_list_free(&others);
	return rc;
}

static void
log_undone(struct changes *c, const char *reason, const char *result, struct diag *found)
{
	char *line = memory_format("%s, %s: %s", reason, result, c->waiting.what);

	changes_finish(c, &c->waiting.undo, line, found);
	free(line);
}

// reason: "not confirmed in time".
static int
undo(struct changes *c, const char *reason, struct diag *diag)
{
	const struct edit_list *edits = &c->waiting.undo;
	struct diag found = {0};
	char *lost = NULL, *result = NULL;
	const char *why;
	int rc = edits->count != 0 ? changes_edit(c, edits, NULL, NULL, &found) : 0;

	if (rc == 0) {
		log_undone(c, reason, "undone", &found);
	} else {
		diag_free(&found);
		found = (struct diag){0};
		rc = undo_parts(c, &lost, &found);
		why = found.errors != 0 ? diag_first_error(&found) : strerror(-rc);
		if (rc == 0)
			result = memory_format("undone, but %s cannot be attached as before", lost);
		else
			result = memory_format("cannot be undone (%.500s)", why);
		if (rc == 0)
			diag_soften(&found, NULL, diag);
		else
			diag_fail(diag, -rc, "%s", why);
		log_undone(c, reason, result, &found);
		if (rc == 0)
			commit_running(c, result, diag);
	}
	diag_free(&found);
	free(result);
	free(lost);
	return rc;
}

int
changes_undo(struct changes *c, struct diag *diag)
{
	int rc = refuse_none(c, diag);

	if (rc == 0)
		rc = undo(c, "not confirmed", diag);
	if (rc == 0)
		end_wait(c);
	return rc;
}

void
changes_poll(struct changes *c)
{
	struct diag ignored = {0}; // the log has it

	if (!c->waiting.open || clock_ms() < c->waiting.until_ms)
		return;
	// What cannot be undone now will not be later; the revision is the old one all the same.
	undo(c, "not confirmed in time", &ignored);
	diag_free(&ignored);
	end_wait(c);
}

int
changes_next_ms(const struct changes *c, int most)
{
	int64_t left = c->waiting.until_ms - clock_ms();

	if (!c->waiting.open || left >= most)
		return most;
	return left > 0 ? (int)left : 0;
}

const char *
changes_waiting(const struct changes *c, uint64_t *left_ms)
{
	int64_t left = c->waiting.until_ms - clock_ms();

	if (!c->waiting.open)
		return NULL;
	*left_ms = left > 0 ? (uint64_t)left : 0;
	return c->waiting.what;
}
