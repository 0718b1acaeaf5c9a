// SPDX-License-Identifier: BSD-3-Clause
// Any text as what a client or a user of `roost web` gives: addresses, headers that say who asks,
// and ranges. What is accepted keeps the rules.
#include "control/web/access.h"
#include "control/web/range.h"
#include "require.h"

#include <stdlib.h>
#include <string.h>

#define FIELDS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Splits the input at newlines; a field that is missing is NULL.
static void
split(char *text, const char *fields[static FIELDS])
{
	for (unsigned int i = 0; i < FIELDS && text != NULL; i++) {
		fields[i] = text;
		text = strchr(text, '\n');
		if (text != NULL)
			*text++ = '\0';
	}
}

static void
check_range(const char *text, uint64_t size)
{
	const struct range r = range_parse(text, size);

	if (r.kind == RANGE_PART)
		require(r.length != 0 && r.first < size && r.length <= size - r.first);
	if (r.kind == RANGE_ALL)
		require(r.first == 0 && r.length == size);
}

static void
check_address(const char *text)
{
	struct listen_address a, again;
	struct diag diag = {0};
	char written[LISTEN_TEXT_MAX];

	if (listen_parse(text, &a, &diag) == 0) {
		require(listen_parse(listen_text(&a, written), &again, &diag) == 0);
		require(again.port == a.port && again.loopback == a.loopback);
	}
	diag_free(&diag);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct access local, open;
	const char *f[FIELDS] = {NULL};
	struct access_request r;
	struct listen_address a;
	struct diag diag = {0};
	char *text = malloc(size + 1);

	if (local.token[0] == '\0') {
		require(listen_parse("127.0.0.1:8080", &a, &diag) == 0);
		require(access_init(&local, &a, true) == 0);
		require(listen_parse("0.0.0.0:8080", &a, &diag) == 0);
		require(access_init(&open, &a, true) == 0);
	}
	require(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	split(text, f);
	r = (struct access_request){f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]};
	// The secrets are random: nobody has them.
	require(access_right(&local, &r) == ACCESS_READ);
	require(access_right(&open, &r) == ACCESS_NONE);
	require(!access_has_query_token(&open, &r));
	if (access_refuse(&local, &r) == NULL)
		require(r.host != NULL);
	access_refuse(&open, &r);
	access_refuse_body(&r);
	check_range(f[0], size);
	check_range(f[0], UINT64_MAX);
	if (f[0] != NULL)
		check_address(f[0]);
	free(text);
	return 0;
}
