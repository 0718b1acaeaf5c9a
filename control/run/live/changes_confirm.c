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

int
changes_wait(struct changes *c, const char *before, size_t length,
	     const struct changes_request *request)
{
	struct config_differences found;
	struct diag ignored = {0};
	struct arena arena = {0};
	struct yaml_node *old;
	int rc = yaml_tree_parse(&old, &arena, before, length, "", &ignored);

	if (rc == 0)
		rc = config_diff(&found, &arena, config_tree(c->live->config), old);
	if (rc == 0) {
		edit_list_add_differences(&c->waiting.undo, &found);
		c->waiting.open = true;
		c->waiting.until_ms = clock_ms() + (int64_t)request->confirm_ms;
		c->waiting.uid = request->author.uid;
		snprintf(c->waiting.what, sizeof(c->waiting.what), "%s", request->author.what);
	}
	diag_free(&ignored);
	arena_free(&arena);
	return rc;
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

// reason: "not confirmed in time".
static int
undo(struct changes *c, const char *reason, struct diag *diag)
{
	const struct edit_list *edits = &c->waiting.undo;
	struct diag found = {0};
	const char *why;
	char *line;
	int rc = 0;

	if (edits->count != 0)
		rc = changes_edit(c, edits, NULL, NULL, &found);
	if (rc == 0) {
		line = memory_format("%s, undone: %s", reason, c->waiting.what);
		changes_finish(c, edits, line, &found);
	} else {
		why = found.errors != 0 ? diag_text(&found.messages[0]) : strerror(-rc);
		line = memory_format("%s, cannot be undone (%.500s): %s", reason, why,
				     c->waiting.what);
		fabric_log_note(c->live->log, live_clock(&c->live->drive), FABRIC_LOG_CONFIGURATION,
				line);
		diag_fail(diag, -rc, "%s", why);
	}
	free(line);
	diag_free(&found);
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
