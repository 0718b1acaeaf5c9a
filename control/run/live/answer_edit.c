// SPDX-License-Identifier: BSD-3-Clause
// Single edits of what runs, at once or staged for an "apply".
//
//	"set"      {"key": "switch.qos.tc.3.ecn.min", "value": "100KB"} -> the outcome
//	"edit"     {"edits": [{"kind": "add", "key": "tenants.green.hosts", "value": "[h5, h6]"}, ...],
//	            "stage": false} -> the outcome; staged: {"staged": how many edits now}
//	"detach"   {} -> {"detached": how many were staged}
//	"draining" {} -> {"draining": boolean}
//
// An edit's kind is set, unset (without a value), add or remove (items of a list). The outcome is
// {"revision": 7, "edits": 2, "draining": true, "warnings": [...]}.
#include "answer_internal.h"

#include "live_events.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void
answer_join_errors(const struct diag *diag, char *why, size_t why_size)
{
	size_t used = 0;

	for (unsigned i = 0; i < diag->count && used < why_size; i++)
		if (!diag->messages[i].warning)
			used += (size_t)snprintf(why + used, why_size - used, "%s%s",
						 used != 0 ? "; " : "",
						 live_message_text(&diag->messages[i]));
}

json_t *
answer_list_warnings(const struct diag *diag)
{
	json_t *out = json_array();

	for (unsigned i = 0; out != NULL && i < diag->count; i++)
		if (diag->messages[i].warning)
			json_array_append_new(out,
					      json_string(live_message_text(&diag->messages[i])));
	return out;
}

int
answer_apply_edits(struct answer *a, const struct edit_list *edits, const char *what,
		   uint64_t confirm_ms, json_t **result, struct diag *diag, char *why,
		   size_t why_size)
{
	const struct changes_author author = {api_server_peer(a->server)->uid, what};
	struct changes_outcome outcome;
	int rc = changes_apply(a->changes, edits, &author, confirm_ms, &outcome, diag, why,
			       why_size);

	if (rc != 0)
		return rc;
	*result = json_pack("{s:o, s:i, s:b, s:o}", "revision",
			    outcome.revision != 0 ? json_integer(outcome.revision) : json_null(),
			    "edits", (int)outcome.edits, "draining",
			    (int)events_draining(a->live->events), "warnings",
			    answer_list_warnings(diag));
	return *result == NULL ? -ENOMEM : 0;
}

int
answer_apply_joined(struct answer *a, const struct edit_list *edits, const char *what,
		    uint64_t confirm_ms, json_t **result, char *why, size_t why_size)
{
	struct diag diag = {0};
	int rc = answer_apply_edits(a, edits, what, confirm_ms, result, &diag, why, why_size);

	if (rc == -EINVAL) {
		if (why[0] == '\0')
			answer_join_errors(&diag, why, why_size);
		rc = -ECANCELED; // the question was in order
	}
	diag_free(&diag);
	return rc;
}

// Applies a list that the caller gives up, with the tunnels that its new tenants need.
static int
apply_list(struct answer *a, struct edit_list *list, json_t **result, char *why, size_t why_size)
{
	char what[STORE_WHAT_MAX];
	int rc;

	edit_list_describe(list, what, sizeof(what));
	edit_list_assign_encap(list, a->live->config);
	rc = answer_apply_joined(a, list, what, 0, result, why, why_size);
	edit_list_free(list);
	return rc;
}

int
answer_set(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	struct edit_list list = {0};

	edit_list_add(&list, CONFIG_EDIT_SET, json_string_value(json_object_get(params, "key")),
		      json_string_value(json_object_get(params, "value")));
	return apply_list(context, &list, result, why, why_size);
}

// Which edit a word stands for. Returns false when none.
static bool
find_kind(const char *word, enum config_edit_kind *out)
{
	static const char *const words[] = {
		[CONFIG_EDIT_SET] = "set",
		[CONFIG_EDIT_UNSET] = "unset",
		[CONFIG_EDIT_ADD] = "add",
		[CONFIG_EDIT_REMOVE] = "remove",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i], word) == 0) {
			*out = (enum config_edit_kind)i;
			return true;
		}
	return false;
}

static int
read_edits(const json_t *edits, struct edit_list *list, char *why, size_t why_size)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)edits, i, one)
	{
		const char *word, *key, *value = NULL;
		enum config_edit_kind kind;
		json_error_t error;

		if (json_unpack_ex(one, &error, JSON_STRICT, "{s:s,s:s,s?:s}", "kind", &word, "key",
				   &key, "value", &value) != 0) {
			snprintf(why, why_size, "edit %zu: %s", i + 1, error.text);
			return -EINVAL;
		}
		if (!find_kind(word, &kind)) {
			snprintf(why, why_size,
				 "edit %zu: \"%.40s\" is none of set, unset, add, remove", i + 1,
				 word);
			return -EINVAL;
		}
		if ((value == NULL) != (kind == CONFIG_EDIT_UNSET)) {
			snprintf(why, why_size, "edit %zu: %s \"value\"", i + 1,
				 value == NULL ? "needs" : "unset takes no");
			return -EINVAL;
		}
		edit_list_add(list, kind, key, value);
	}
	return 0;
}

static int
stage(struct answer *a, struct edit_list *list, json_t **result, char *why, size_t why_size)
{
	struct diag diag = {0};
	int rc = changes_stage(a->changes, list, &diag);

	if (rc == 0)
		*result = json_pack("{s:i, s:o}", "staged", (int)changes_staged(a->changes)->count,
				    "warnings", answer_list_warnings(&diag));
	if (rc == -EINVAL) {
		answer_join_errors(&diag, why, why_size);
		rc = -ECANCELED;
	}
	diag_free(&diag);
	return rc != 0 ? rc : *result == NULL ? -ENOMEM : 0;
}

int
answer_edit(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	struct edit_list list = {0};
	int rc = read_edits(json_object_get(params, "edits"), &list, why, why_size);

	if (rc == 0 && list.count == 0) {
		snprintf(why, why_size, "\"edits\" has none");
		rc = -EINVAL;
	}
	if (rc == 0 && !json_is_true(json_object_get(params, "stage")))
		return apply_list(context, &list, result, why, why_size);
	if (rc == 0)
		rc = stage(context, &list, result, why, why_size);
	edit_list_free(&list);
	return rc;
}

int
answer_detach(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	struct answer *a = context;

	(void)params;
	(void)why;
	(void)why_size;
	*result = json_pack("{s:i}", "detached", (int)changes_staged(a->changes)->count);
	changes_detach(a->changes);
	return *result == NULL ? -ENOMEM : 0;
}

int
answer_draining(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	const struct answer *a = context;

	(void)params;
	(void)why;
	(void)why_size;
	*result = json_pack("{s:b}", "draining", (int)events_draining(a->live->events));
	return *result == NULL ? -ENOMEM : 0;
}
