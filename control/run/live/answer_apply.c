// SPDX-License-Identifier: BSD-3-Clause
// Whole configurations: what is staged, a file, an earlier revision.
//
//	"apply"    {"text": YAML, "file": "/root/lab.yaml", "confirm-s": 300} -> the outcome; without
//	           "text": of what is staged
//	"confirm"  {"keep": true} -> the outcome; false: what waits is undone
//	"rollback" {"revision": 3, "confirm-s": 300} -> the outcome
//
// The outcome is that of answer_edit.c. What cannot change while the fabric runs refuses the whole,
// and every such key is reported, with its place in the file where there is one.
#include "answer_internal.h"

#include "control/edit/diff.h"
#include "control/base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONFIRM_MAX_S (24 * 3600)

// What the fabric is to be like.
struct wanted {
	const struct yaml_node *tree;
	const char *file; // of which positions are; NULL: of none
	const char *what;
	uint64_t confirm_ms;
};

static int
read_confirm(const json_t *params, uint64_t *out_ms, char *why, size_t why_size)
{
	const json_t *given = json_object_get(params, "confirm-s");
	json_int_t seconds = json_integer_value(given);

	*out_ms = (uint64_t)seconds * 1000;
	if (given == NULL || (seconds >= 1 && seconds <= CONFIRM_MAX_S))
		return 0;
	snprintf(why, why_size, "\"confirm-s\" is not between 1 and %d", CONFIRM_MAX_S);
	return -EINVAL;
}

// The difference that a message, which begins with its key, is about.
static const struct config_difference *
find_difference(const struct config_differences *found, const char *message)
{
	const struct config_difference *best = NULL;
	size_t longest = 0;

	for (unsigned i = 0; i < found->count; i++) {
		size_t length = strlen(found->items[i].key);

		if (length > longest && strncmp(message, found->items[i].key, length) == 0 &&
		    strchr(":. ", message[length]) != NULL) {
			best = &found->items[i];
			longest = length;
		}
	}
	return best;
}

static void
tell_places(const struct wanted *w, const struct config_differences *found, const struct diag *diag,
	    char *why, size_t why_size)
{
	size_t used = 0;

	for (unsigned i = 0; i < diag->count && used < why_size; i++) {
		const struct diag_message *m = &diag->messages[i];
		const struct config_difference *d = find_difference(found, m->words);

		if (m->warning)
			continue;
		used += (size_t)snprintf(why + used, why_size - used, "%s", used != 0 ? "; " : "");
		if (used < why_size && d != NULL && w->file != NULL)
			used += (size_t)snprintf(why + used, why_size - used, "%s:%u:%u: ", w->file,
						 d->pos.line, d->pos.column);
		if (used < why_size)
			used += (size_t)snprintf(why + used, why_size - used, "%s", m->words);
	}
}

// Makes the fabric what is wanted.
static int
become(struct answer *a, const struct wanted *w, json_t **result, char *why, size_t why_size)
{
	struct config_differences found;
	struct edit_list edits = {0};
	struct diag diag = {0};
	struct arena arena = {0};
	int rc = config_diff(&found, &arena, config_tree(a->live->config), w->tree);

	if (rc == 0) {
		edit_list_add_differences(&edits, &found);
		rc = answer_apply_edits(a, &edits, w->what, w->confirm_ms, result, &diag, why,
					why_size);
	}
	if (rc == -EINVAL) {
		if (why[0] == '\0')
			tell_places(w, &found, &diag, why, why_size);
		rc = -ECANCELED;
	}
	diag_free(&diag);
	edit_list_free(&edits);
	arena_free(&arena);
	return rc;
}

static int
apply_staged(struct answer *a, uint64_t confirm_ms, json_t **result, char *why, size_t why_size)
{
	const struct edit_list *staged = changes_staged(a->changes);
	char what[STORE_WHAT_MAX] = "apply: ";
	int rc;

	if (staged->count == 0) {
		snprintf(why, why_size, "nothing is staged");
		return -ENOENT;
	}
	edit_list_describe(staged, what + strlen(what), sizeof(what) - strlen(what));
	rc = answer_apply_joined(a, staged, what, confirm_ms, result, why, why_size);
	if (rc == 0)
		changes_detach(a->changes);
	return rc;
}

static int
apply_text(struct answer *a, const json_t *params, uint64_t confirm_ms, json_t **result, char *why,
	   size_t why_size)
{
	const char *text = json_string_value(json_object_get(params, "text"));
	const char *file = json_string_value(json_object_get(params, "file"));
	char what[STORE_WHAT_MAX];
	struct wanted w = {.file = file, .what = what, .confirm_ms = confirm_ms};
	struct diag diag = {0};
	struct config *config = NULL;
	int rc;

	if (file == NULL) {
		snprintf(why, why_size, "apply needs \"file\": the name of what \"text\" is");
		return -EINVAL;
	}
	snprintf(what, sizeof(what), "apply %s",
		 strrchr(file, '/') != NULL ? strrchr(file, '/') + 1 : file);
	utf8_end(what, strlen(what));
	rc = config_load_text(&config, text, strlen(text), file, &diag);
	if (rc == 0) {
		w.tree = config_tree(config);
		rc = become(a, &w, result, why, why_size);
	} else if (rc == -EINVAL) {
		answer_join_errors(&diag, why, why_size);
		rc = -ECANCELED;
	}
	config_free(config);
	diag_free(&diag);
	return rc;
}

int
answer_apply(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	uint64_t confirm_ms;
	int rc = read_confirm(params, &confirm_ms, why, why_size);

	if (rc != 0)
		return rc;
	if (json_object_get(params, "text") == NULL)
		return apply_staged(context, confirm_ms, result, why, why_size);
	return apply_text(context, params, confirm_ms, result, why, why_size);
}

int
answer_confirm(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	struct answer *a = context;
	struct changes_outcome outcome = {.revision = changes_running(a->changes)};
	int rc = json_is_true(json_object_get(params, "keep"))
			 ? changes_confirm(a->changes, &outcome, why, why_size)
			 : changes_undo(a->changes, why, why_size);

	if (rc != 0)
		return rc == -EINVAL ? -ECANCELED : rc;
	*result = json_pack("{s:o, s:i, s:b, s:[]}", "revision",
			    outcome.revision != 0 ? json_integer(outcome.revision) : json_null(),
			    "edits", (int)outcome.edits, "draining",
			    (int)events_draining(a->live->events), "warnings");
	return *result == NULL ? -ENOMEM : 0;
}

int
answer_rollback(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	struct answer *a = context;
	json_int_t number = json_integer_value(json_object_get(params, "revision"));
	const struct store *store = changes_store(a->changes, why, why_size);
	struct diag diag = {0};
	struct arena arena = {0};
	struct store_revision r;
	struct yaml_node *tree;
	char what[64], *text;
	struct wanted w = {.what = what};
	size_t length;
	int rc = read_confirm(params, &w.confirm_ms, why, why_size);

	if (rc != 0 || store == NULL)
		return rc != 0 ? rc : -ENOENT;
	snprintf(what, sizeof(what), "rollback %" JSON_INTEGER_FORMAT, number);
	rc = store_read(store, number, &r, &text, &length, &diag);
	snprintf(why, why_size, "%s", diag_first_error(&diag));
	if (rc != 0) {
		diag_free(&diag);
		return rc;
	}
	rc = yaml_tree_parse(&tree, &arena, text, length, what, &diag);
	free(text);
	if (rc == 0) {
		w.tree = tree;
		rc = become(a, &w, result, why, why_size);
	} else if (rc == -EINVAL) {
		answer_join_errors(&diag, why, why_size);
		rc = -EBADMSG;
	}
	diag_free(&diag);
	arena_free(&arena);
	return rc;
}
