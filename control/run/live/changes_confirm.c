// SPDX-License-Identifier: BSD-3-Clause
// Edits that wait to be confirmed have been made to what runs, but to no revision. What would undo
// them is kept as edits too, of the keys that they touched and of no others: what the file's events
// change meanwhile stays.
#include "changes_internal.h"

#include "control/base/clock.h"
#include "control/edit/diff.h"
#include "live_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int
changes_wait(struct changes *c, const char *before, size_t length,
	     const struct changes_author *author, uint64_t confirm_ms)
{
	struct config_differences found;
	struct diag diag = {0};
	struct arena arena = {0};
	struct yaml_node *old;
	int rc = yaml_tree_parse(&old, &arena, before, length, "", &diag);

	if (rc == 0)
		rc = config_diff(&found, &arena, config_tree(c->live->config), old);
	if (rc == 0)
		edit_list_add_differences(&c->waiting.undo, &found);
	diag_free(&diag);
	arena_free(&arena);
	if (rc != 0) {
		edit_list_free(&c->waiting.undo);
		return rc;
	}
	c->waiting.open = true;
	c->waiting.until_ms = clock_ms() + (int64_t)confirm_ms;
	c->waiting.uid = author->uid;
	snprintf(c->waiting.what, sizeof(c->waiting.what), "%s", author->what);
	return 0;
}

static void
end_wait(struct changes *c)
{
	c->waiting.open = false;
	edit_list_free(&c->waiting.undo);
}

static int
refuse_none(const struct changes *c, char *err, size_t err_size)
{
	if (c->waiting.open)
		return 0;
	snprintf(err, err_size, "nothing waits to be confirmed");
	return -ENOENT;
}

int
changes_confirm(struct changes *c, struct changes_outcome *out, char *err, size_t err_size)
{
	const struct changes_author author = {c->waiting.uid, c->waiting.what};
	char *text;
	size_t length;
	int rc = refuse_none(c, err, err_size);

	if (rc == 0)
		rc = changes_emit(c, &text, &length, err, err_size);
	if (rc == 0)
		rc = changes_commit(c, text, length, &author, err, err_size);
	if (rc != 0)
		return rc;
	*out = (struct changes_outcome){.revision = c->running, .edits = c->waiting.undo.count};
	end_wait(c);
	return 0;
}

// why: "not confirmed in time".
static int
undo(struct changes *c, const char *why, char *err, size_t err_size)
{
	struct diag diag = {0};
	char line[STORE_WHAT_MAX + 600];
	int rc = 0;

	if (c->waiting.undo.count != 0)
		rc = events_edit(c->live->events, c->waiting.undo.edits, c->waiting.undo.count,
				 NULL, NULL, &diag);
	if (rc != 0)
		snprintf(err, err_size, "%s",
			 diag.errors != 0 ? live_message_text(&diag.messages[0]) : strerror(-rc));
	snprintf(line, sizeof(line), "%s, %s%s%.500s: %s", why,
		 rc == 0 ? "undone" : "cannot be undone", rc == 0 ? "" : ", ", rc == 0 ? "" : err,
		 c->waiting.what);
	if (rc == 0) {
		changes_note(c, line);
		changes_warn_of_workload(c, &c->waiting.undo, &diag);
	} else {
		fabric_log_note(c->live->log, live_clock(&c->live->drive), "configuration", line);
	}
	diag_free(&diag);
	return rc;
}

int
changes_undo(struct changes *c, char *err, size_t err_size)
{
	int rc = refuse_none(c, err, err_size);

	if (rc == 0)
		rc = undo(c, "not confirmed", err, err_size);
	if (rc == 0)
		end_wait(c);
	return rc;
}

void
changes_poll(struct changes *c)
{
	char err[512];

	if (!c->waiting.open || clock_ms() < c->waiting.until_ms)
		return;
	// What cannot be undone now will not be later; the revision is the old one all the same.
	undo(c, "not confirmed in time", err, sizeof(err));
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
