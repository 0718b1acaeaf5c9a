// SPDX-License-Identifier: BSD-3-Clause
// A directory of a test's own for revisions, and what the tests of the store do to it.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/edit/store.h"

#define PLACE_FABRIC "demo"

struct place {
	char path[64]; // ROOST_STATE
};

static inline void
place_make(struct place *p)
{
	snprintf(p->path, sizeof(p->path), "/tmp/roost-store-XXXXXX");
	assert_non_null(mkdtemp(p->path));
	assert_int_equal(setenv("ROOST_STATE", p->path, 1), 0);
}

static inline void
place_remove(struct place *p)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -r %s", p->path);
	assert_int_equal(system(command), 0);
	assert_int_equal(unsetenv("ROOST_STATE"), 0);
}

static inline struct store *
place_open(void)
{
	struct store *store;
	struct diag diag = {0};

	if (store_open_to_write(&store, PLACE_FABRIC, &diag) != 0)
		fail_msg("%s", diag_first_error(&diag));
	return store;
}

// Commits a text; returns the revision's number, or -errno.
static inline int
place_commit(struct store *store, const char *what, const char *text)
{
	struct store_revision r = {.at = 1763750000, .uid = 7, .user = "somebody"};
	struct diag diag = {0};
	int rc;

	snprintf(r.what, sizeof(r.what), "%s", what);
	snprintf(r.file, sizeof(r.file), "/tmp/lab.yaml");
	rc = store_commit(store, &r, text, strlen(text), &diag);
	diag_free(&diag);
	return rc == 0 ? (int)r.number : rc;
}

// That a revision's text, behind its comments, is this.
static inline void
place_require_text(const struct store *store, uint32_t number, const char *wanted)
{
	struct store_revision r;
	struct diag diag = {0};
	char *text;
	size_t length;

	if (store_read(store, number, &r, &text, &length, &diag) != 0)
		fail_msg("%s", diag_first_error(&diag));
	assert_int_equal(r.number, number);
	assert_true(length >= strlen(wanted));
	assert_memory_equal(text + length - strlen(wanted), wanted, strlen(wanted));
	free(text);
}
