// SPDX-License-Identifier: BSD-3-Clause
// Complete configurations: what is staged, a file, an earlier revision.
//
//	"apply"    {"text": YAML, "file": "/root/lab.yaml", "confirm-s": 300} -> the outcome;
//	           without "text": of what is staged
//	"confirm"  {"keep": true} -> the outcome; false: what waits is undone
//	"rollback" {"revision": 3, "confirm-s": 300} -> the outcome
//
// The outcome is that of answer_edit.c. If one key cannot change while the fabric runs, none does;
// every such key is reported, with its place in the file if there is one.
#include "answer.h"

#include "control/base/text.h"
#include "control/config/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CONFIRM_MAX_S (24 * 3600)

// The configuration that a fabric is to have.
struct wanted {
	const struct yaml_node *tree;
	const char *file; // that its positions are in; NULL: none
	const char *what;
	uint64_t confirm_ms;
	const struct diag *warnings; // so far; NULL: none
};

static int
read_confirm(const json_t *params, uint64_t *out_ms, struct diag *diag)
{
	const json_t *given = json_object_get(params, "confirm-s");
	json_int_t seconds = json_integer_value(given);

	*out_ms = (uint64_t)seconds * 1000;
	if (given == NULL || (seconds >= 1 && seconds <= CONFIRM_MAX_S))
		return 0;
	return diag_fail(diag, EINVAL, "\"confirm-s\" is not between 1 and %d", CONFIRM_MAX_S);
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

// Copies errors of edits with the places in the file that these come from.
static void
add_places(const struct wanted *w, const struct config_differences *found, const struct diag *from,
	   struct diag *to)
{
	for (unsigned i = 0; i < from->count; i++) {
		const struct diag_message *m = &from->messages[i];
		const struct config_difference *d = find_difference(found, m->words);

		if (m->warning)
			continue;
		if (d != NULL && w->file != NULL)
			diag_error(to, w->file, d->pos, NULL, "%s", m->words);
		else
			diag_fail(to, EINVAL, "%s", m->words);
	}
}

static int
apply_wanted(struct answer *a, const struct wanted *w, json_t **result, struct diag *diag)
{
	struct config_differences found;
	struct edit_list edits = {0};
	const struct changes_request request = {
		.edits = &edits, .author.what = w->what, .confirm_ms = w->confirm_ms};
	struct diag errors = {0};
	struct arena arena = {0};
	int rc = config_diff(&found, &arena, config_tree(a->live->config), w->tree);

	if (rc == 0) {
		edit_list_add_differences(&edits, &found);
		if (w->warnings != NULL)
			diag_soften(w->warnings, NULL, &errors);
		rc = answer_apply_edits(a, &request, result, &errors);
	}
	if (rc != 0)
		add_places(w, &found, &errors, diag);
	diag_free(&errors);
	edit_list_free(&edits);
	arena_free(&arena);
	return rc == -EINVAL ? -ECANCELED : rc;
}

static int
apply_staged(struct answer *a, uint64_t confirm_ms, json_t **result, struct diag *diag)
{
	const struct edit_list *staged = &a->changes->staged;
	char what[STORE_WHAT_MAX] = "apply: ";
	const struct changes_request request = {
		.edits = staged, .author.what = what, .confirm_ms = confirm_ms};
	int rc;

	if (staged->count == 0)
		return diag_fail(diag, ENOENT, "nothing is staged");
	edit_list_describe(staged, what + strlen(what), sizeof(what) - strlen(what));
	rc = answer_apply_edits(a, &request, result, diag);
	if (rc == 0)
		changes_discard(a->changes);
	return rc;
}

static int
apply_text(struct answer *a, const json_t *params, uint64_t confirm_ms, json_t **result,
	   struct diag *diag)
{
	const char *text = json_string_value(json_object_get(params, "text"));
	const char *file = json_string_value(json_object_get(params, "file"));
	char what[STORE_WHAT_MAX];
	struct wanted w = {.file = file, .what = what, .confirm_ms = confirm_ms};
	struct config *config = NULL;
	int rc;

	if (file == NULL)
		return diag_fail(diag, EINVAL,
				 "apply needs \"file\": the name of what \"text\" is");
	snprintf(what, sizeof(what), "apply %s", basename(file));
	utf8_end(what, strlen(what));
	rc = config_load_text(&config, text, strlen(text), file, diag);
	if (rc == 0) {
		w.tree = config_tree(config);
		rc = apply_wanted(a, &w, result, diag);
	}
	config_free(config);
	return rc == -EINVAL ? -ECANCELED : rc;
}

int
answer_apply(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	uint64_t confirm_ms;
	int rc = read_confirm(params, &confirm_ms, diag);

	if (rc != 0)
		return rc;
	if (json_object_get(params, "text") == NULL)
		return apply_staged(context, confirm_ms, result, diag);
	return apply_text(context, params, confirm_ms, result, diag);
}

int
answer_confirm(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	struct changes_outcome outcome = {0};
	int rc = json_is_true(json_object_get(params, "keep"))
			 ? changes_confirm(a->changes, &outcome, diag)
			 : changes_undo(a->changes, diag);

	outcome.revision = a->changes->running;
	if (rc == 0)
		*result = answer_outcome(a, &outcome, diag);
	return rc == -EINVAL ? -ECANCELED : rc;
}

int
answer_rollback(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	json_int_t number = json_integer_value(json_object_get(params, "revision"));
	const struct store *store = changes_store(a->changes, diag);
	struct arena arena = {0};
	struct store_revision r;
	struct yaml_node *tree;
	char what[64], *text = NULL;
	struct diag warnings = {0};
	struct wanted w = {.what = what, .warnings = &warnings};
	size_t length;
	int rc = store != NULL ? read_confirm(params, &w.confirm_ms, diag) : -ENOENT;

	if (rc == 0)
		rc = store_read(store, number, &r, &text, &length, diag);
	if (rc != 0)
		return rc;
	snprintf(what, sizeof(what), "rollback %" JSON_INTEGER_FORMAT, number);
	rc = format_parse(&tree, &arena, text, length, what, diag);
	free(text);
	if (rc == 0) {
		attach_leave_out_of(tree, a->live->config, store, r.number, &warnings);
		w.tree = tree;
		rc = apply_wanted(a, &w, result, diag);
		diag_free(&warnings);
	} else if (rc == -EINVAL) {
		rc = -EBADMSG;
	}
	arena_free(&arena);
	return rc;
}
