// SPDX-License-Identifier: BSD-3-Clause
// The earlier configurations, the running one and the staged one.
//
//	"history"     {} -> {"revisions": [{"revision": 3, "at": "2025-11-21T18:33:00Z", "uid": 0,
//	              "user": "root", "what": "rollback 1", "file": "/root/lab.yaml"}, ...],
//	              "running": 3, "waiting": null, or {"what", "left-s"}}, oldest first
//	"config-diff" {} -> {"staged": CHANGES, "unsaved": CHANGES, or null with "why-not",
//	              "file": "/root/lab.yaml"}: from what runs to what is staged, and from the file
//	              to what runs
//	"config-diff" {"revision": 2} -> {"changes": CHANGES}, from that revision to what runs
//	"save"        {"file": "/root/lab.yaml"} -> {"file", "kept": the old one's new name, or
//	              null}
//
// CHANGES is a list of {"key": "tenants.red.hosts", "from": "[h1]", "to": "[h1, h2]"}; null where
// one has no such key.
#include "answer.h"

#include "control/base/file.h"
#include "control/base/memory.h"
#include "control/config/format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// A path, and what is said of one, is not always UTF-8.
static json_t *
text_or_null(const char *text)
{
	json_t *string = text != NULL ? json_string(text) : NULL;

	return string != NULL ? string : json_null();
}

static json_t *
describe_revision(const struct store_revision *r)
{
	time_t seconds = r->at;
	char at[40] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm) != NULL)
		strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return json_pack("{s:I, s:s, s:I, s:o, s:o, s:o}", "revision", (json_int_t)r->number, "at",
			 at, "uid", (json_int_t)r->uid, "user", text_or_null(r->user), "what",
			 text_or_null(r->what), "file", text_or_null(r->file));
}

int
answer_history(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	const struct answer *a = context;
	const struct store *store = changes_store(a->changes, diag);
	struct store_revision *list;
	uint64_t left_ms;
	const char *waiting = changes_waiting(a->changes, &left_ms);
	json_t *revisions;
	unsigned count;
	int rc = store != NULL ? store_list(store, &list, &count, diag) : -ENOENT;

	(void)params;
	if (rc != 0)
		return rc;
	revisions = json_array();
	for (unsigned i = 0; i < count; i++)
		json_array_append_new(revisions, describe_revision(&list[i]));
	free(list);
	*result = json_pack("{s:o, s:I, s:o}", "revisions", revisions, "running",
			    (json_int_t)a->changes->running, "waiting",
			    waiting != NULL ? json_pack("{s:s, s:I}", "what", waiting, "left-s",
							(json_int_t)((left_ms + 999) / 1000))
					    : json_null());
	return 0;
}

// The differences of two trees as a list; null if one is not UTF-8.
static json_t *
list_changes(const struct yaml_node *from, const struct yaml_node *to)
{
	struct config_differences found;
	struct arena arena = {0};
	json_t *out = config_diff(&found, &arena, from, to) == 0 ? json_array() : json_null();

	for (unsigned i = 0; json_is_array(out) && i < found.count; i++)
		json_array_append_new(out, json_pack("{s:s, s:s?, s:s?}", "key", found.items[i].key,
						     "from", found.items[i].from, "to",
						     found.items[i].to));
	arena_free(&arena);
	return out;
}

// From a text to what runs; null if the text is not YAML.
static json_t *
list_since(const struct answer *a, const char *text, size_t length)
{
	struct diag ignored = {0};
	struct arena arena = {0};
	struct yaml_node *tree;
	json_t *out = format_parse(&tree, &arena, text, length, "", &ignored) == 0
			      ? list_changes(tree, config_tree(a->live->config))
			      : json_null();

	diag_free(&ignored);
	arena_free(&arena);
	return out;
}

// Null if the staged edits do not fit what has been changed since: "apply" says why.
static json_t *
list_staged(const struct answer *a)
{
	struct diag ignored = {0};
	struct config *copy = NULL;
	json_t *out;

	if (a->changes->staged.count == 0)
		return json_array();
	out = changes_copy_staged(a->changes, &copy, &ignored) == 0
		      ? list_changes(config_tree(a->live->config), config_tree(copy))
		      : json_null();
	config_free(copy);
	diag_free(&ignored);
	return out;
}

// Reads the fabric's file, or says in one line, for free(), why not.
static char *
read_unsaved(const struct answer *a, char **text, size_t *length)
{
	const struct changes *c = a->changes;
	int rc;

	if (c->file == NULL)
		return memory_text("the fabric was not read from a file");
	// A client that may only read has no right to a file that the fabric can read: it may have
	// put another one, a link or a pipe there.
	if (api_server_peer(a->server)->right == API_READ) {
		if (c->saved == NULL)
			return memory_format("%s is read for root and the fabric's owner only",
					     c->file);
		*text = memory_array(c->saved_length + 1, 1, "bytes of a file");
		memcpy(*text, c->saved, c->saved_length);
		*length = c->saved_length;
		return NULL;
	}
	rc = file_read_at(AT_FDCWD, c->file, STORE_TEXT_MAX, text, length);
	if (rc == 0)
		return NULL;
	return memory_format("%s: %s", c->file,
			     rc == -EINVAL || rc == -ELOOP ? "it is not a regular file any more"
							   : strerror(-rc));
}

// Puts "unsaved" into an answer, and "why-not" if there is nothing to compare with.
static void
add_unsaved(const struct answer *a, json_t *answer)
{
	char *text, *why_not;
	json_t *unsaved = json_null();
	size_t length;

	why_not = read_unsaved(a, &text, &length);
	if (why_not == NULL) {
		unsaved = list_since(a, text, length);
		free(text);
		if (json_is_null(unsaved))
			why_not = memory_format("%s is not YAML", a->changes->file);
	}
	json_object_set_new(answer, "unsaved", unsaved);
	if (why_not != NULL)
		json_object_set_new(answer, "why-not", api_text(why_not));
	free(why_not);
}

static int
diff_revision(const struct answer *a, json_int_t number, json_t **result, struct diag *diag)
{
	const struct store *store = changes_store(a->changes, diag);
	struct store_revision r;
	char *text;
	size_t length;
	int rc = store != NULL ? store_read(store, number, &r, &text, &length, diag) : -ENOENT;

	if (rc != 0)
		return rc;
	*result = json_pack("{s:o}", "changes", list_since(a, text, length));
	free(text);
	return 0;
}

int
answer_config_diff(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	const struct answer *a = context;
	const json_t *revision = json_object_get(params, "revision");

	if (revision != NULL)
		return diff_revision(a, json_integer_value(revision), result, diag);
	*result = json_pack("{s:o, s:o}", "staged", list_staged(a), "file",
			    text_or_null(a->changes->file));
	add_unsaved(a, *result);
	return 0;
}

int
answer_save(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	const char *file = json_string_value(json_object_get(params, "file"));
	char *old = NULL;
	int kept, rc;

	if (file != NULL && file[0] != '/')
		return diag_fail(diag, EINVAL, "\"file\" is not an absolute path");
	rc = changes_save(a->changes, file, &kept, diag);
	if (rc != 0)
		return rc == -EINVAL ? -ECANCELED : rc;
	file = a->changes->file;
	if (kept)
		old = memory_format("%s~", file);
	*result = json_pack("{s:o, s:o}", "file", text_or_null(file), "kept", text_or_null(old));
	free(old);
	return 0;
}
