// SPDX-License-Identifier: BSD-3-Clause
// Single edits of the running configuration, at once or staged for an "apply".
//
//	"set"      {"key": "switch.qos.tc.3.ecn.min", "value": "100KB"} -> the outcome
//	"edit"     {"edits": [{"kind": "add", "key": "tenants.red.hosts", "value": "[h5]"}, ...],
//	            "stage": false} -> the outcome; staged: {"staged": how many edits now}
//	"discard"  {} -> {"discarded": how many were staged}
//	"draining" {} -> {"draining": boolean}
//
// An edit's kind is set, unset (without a value), add or remove (items of a list). The outcome is
// {"revision": 7, "edits": 2, "draining": true, "warnings": [...]}.
#include "answer.h"

#include "control/advice/advice.h"

#include <errno.h>
#include <string.h>

static json_t *
list_warnings(const struct diag *diag)
{
	json_t *out = json_array();

	for (unsigned i = 0; i < diag->count; i++)
		if (diag->messages[i].warning)
			json_array_append_new(out, api_text(diag_text(&diag->messages[i])));
	return out;
}

json_t *
answer_outcome(const struct answer *a, const struct changes_outcome *outcome,
	       const struct diag *diag)
{
	return json_pack("{s:o, s:i, s:b, s:o}", "revision",
			 outcome->revision != 0 ? json_integer(outcome->revision) : json_null(),
			 "edits", (int)outcome->edits, "draining",
			 (int)events_draining(a->live->events), "warnings", list_warnings(diag));
}

int
answer_apply_edits(struct answer *a, const struct changes_request *request, json_t **result,
		   struct diag *diag)
{
	struct changes_request from_peer = *request;
	struct changes_outcome outcome;
	struct diag before = {0}, now = {0};
	int rc;

	live_attach_advice(a->live, &before);
	from_peer.author.uid = api_server_peer(a->server)->uid;
	rc = changes_apply(a->changes, &from_peer, &outcome, diag);
	if (rc == 0) {
		live_attach_advice(a->live, &now);
		advice_add_new(a->live->fabric, &before, &now, diag);
	}
	diag_free(&before);
	diag_free(&now);
	if (rc == 0)
		*result = answer_outcome(a, &outcome, diag);
	return rc == -EINVAL ? -ECANCELED : rc; // the parameters were valid
}

// Applies a list that it frees, with the tunnels that its new tenants need.
static int
apply_list(struct answer *a, struct edit_list *list, json_t **result, struct diag *diag)
{
	char what[STORE_WHAT_MAX];
	const struct changes_request request = {
		.edits = list, .author.what = edit_list_describe(list, what, sizeof(what))};
	int rc;

	edit_list_assign_encap(list, a->live->config);
	rc = answer_apply_edits(a, &request, result, diag);
	edit_list_free(list);
	return rc;
}

int
answer_set(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct edit_list list = {0};

	edit_list_add(&list, CONFIG_EDIT_SET, json_string_value(json_object_get(params, "key")),
		      json_string_value(json_object_get(params, "value")));
	return apply_list(context, &list, result, diag);
}

static int
read_edits(const json_t *edits, struct edit_list *list, struct diag *diag)
{
	json_t *one;
	size_t i;

	json_array_foreach(edits, i, one)
	{
		const char *word, *key, *value = NULL;
		unsigned kind = 0;
		json_error_t error;

		if (json_unpack_ex(one, &error, JSON_STRICT, "{s:s,s:s,s?:s}", "kind", &word, "key",
				   &key, "value", &value) != 0)
			return diag_fail(diag, EINVAL, "edit %zu: %s", i + 1, error.text);
		while (kind < EDIT_KINDS && strcmp(edit_kinds[kind], word) != 0)
			kind++;
		if (kind == EDIT_KINDS)
			return diag_fail(diag, EINVAL,
					 "edit %zu: \"%.40s\" is none of set, unset, add, remove",
					 i + 1, word);
		if ((value == NULL) != (kind == CONFIG_EDIT_UNSET))
			return diag_fail(diag, EINVAL, "edit %zu: %s \"value\"", i + 1,
					 value == NULL ? "needs" : "unset takes no");
		edit_list_add(list, kind, key, value);
	}
	return list->count != 0 ? 0 : diag_fail(diag, EINVAL, "\"edits\" has none");
}

static int
stage(struct answer *a, struct edit_list *list, json_t **result, struct diag *diag)
{
	int rc = changes_stage(a->changes, list, diag);

	edit_list_free(list);
	if (rc == 0)
		*result = json_pack("{s:i, s:o}", "staged", (int)a->changes->staged.count,
				    "warnings", list_warnings(diag));
	return rc == -EINVAL ? -ECANCELED : rc;
}

int
answer_edit(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct edit_list list = {0};
	int rc = read_edits(json_object_get(params, "edits"), &list, diag);

	if (rc != 0)
		edit_list_free(&list);
	else if (json_is_true(json_object_get(params, "stage")))
		rc = stage(context, &list, result, diag);
	else
		rc = apply_list(context, &list, result, diag);
	return rc;
}

int
answer_discard(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;

	(void)params;
	(void)diag;
	*result = json_pack("{s:i}", "discarded", (int)a->changes->staged.count);
	changes_discard(a->changes);
	return 0;
}

int
answer_draining(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	const struct answer *a = context;

	(void)params;
	(void)diag;
	*result = json_pack("{s:b}", "draining", (int)events_draining(a->live->events));
	return 0;
}
