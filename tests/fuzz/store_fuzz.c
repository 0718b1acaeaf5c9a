// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a revision's file: its beginning reads or does not, and what reads is written as the
// same; the rest, if it is YAML, is written as YAML that reads as the same tree and differs from it
// in nothing.
#include "control/edit/edit.h"
#include "control/config/yaml_emit.h"
#include "control/edit/store_internal.h"
#include "text_fuzz.h"
#include "dataplane/base/headers.h"

static void
require_header(const char *text, size_t length)
{
	struct store_revision r, back;
	ssize_t got = header_read(&r, text, length);
	char again[HEADER_MAX];
	size_t wrote;

	if (got < 0)
		return;
	require(r.number > 0 && r.at >= 0 && (size_t)got <= length);
	wrote = header_write(&r, again);
	require(header_read(&back, again, wrote) == (ssize_t)wrote);
	require(back.number == r.number && back.at == r.at && back.uid == r.uid);
	require(strcmp(back.user, r.user) == 0 && strcmp(back.what, r.what) == 0);
	require(strcmp(back.file, r.file) == 0 && strcmp(back.part, r.part) == 0);
}

static void
require_tree(struct arena *arena, const struct yaml_node *root)
{
	struct diag diag = {0};
	struct config_differences found;
	struct yaml_node *again;
	char *text;
	size_t length;

	require(yaml_emit(root, &text, &length) == 0);
	// Escapes may make a text larger than one that is read.
	if (length <= YAML_TREE_BYTES_MAX) {
		require(yaml_tree_parse(&again, arena, text, length, "f", &diag) == 0);
		require(yaml_tree_equal(root, again));
		require(config_diff(&found, arena, root, again) == 0 && found.count == 0);
	}
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct diag diag = {0};
	struct yaml_node *root;

	require_header((const char *)data, size);
	if (yaml_tree_parse(&root, &arena, (const char *)data, size, "f", &diag) == 0)
		require_tree(&arena, root);
	diag_free(&diag);
	arena_free(&arena);
	return 0;
}
