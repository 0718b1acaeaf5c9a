// SPDX-License-Identifier: BSD-3-Clause
// Any stream as bfdd's, in one piece and in two: nothing is read behind it, the same messages come
// out of both, and each fits what it says.
//
// Input: a byte that says where the stream is cut, then the stream.
#include "require.h"

#include "control/io/bfd/bfd_message.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	uint64_t count, sum;
};

static void
take(void *context, const struct bfd_message *m)
{
	const struct bfd_request *r = &m->session;
	struct seen *seen = context;
	uint8_t answer[BFD_REPLY_MAX];
	const struct bfd_counts counts = {0};

	require(m->version == 1 || m->version == 2);
	require(strnlen(r->interface, sizeof(r->interface)) < sizeof(r->interface));
	for (const char *at = r->interface; *at != '\0'; at++)
		require(*at > ' ' && *at < 0x7f && *at != '/');
	if (m->type == BFD_MESSAGE_ADD_SESSION)
		require(r->version == 4 || r->version == 6);
	require(bfd_build_counters(m, &counts, answer) <= BFD_REPLY_MAX);
	require(bfd_build_echo(m, 1, answer) <= BFD_REPLY_MAX);
	seen->count++;
	seen->sum = seen->sum * 31 + m->type + m->id + m->discr + r->settings.min_tx_us;
}

// Returns how many bytes were taken, or -errno.
static long
feed(const uint8_t *bytes, size_t count, struct seen *seen)
{
	uint8_t *copy = malloc(count + 1);
	const char *why = NULL;
	long done;

	require(copy != NULL);
	memcpy(copy + 1, bytes, count); // exactly as long as it is, for the sanitizer
	done = bfd_take_messages(copy + 1, count, take, seen, &why);
	require(done <= (long)count && (done >= 0 || why != NULL));
	free(copy);
	return done;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen whole = {0}, parts = {0};
	long first, rest, all;
	size_t cut;

	if (size < 2 || size > 4000)
		return 0;
	cut = data[0] * (size - 1) / 256;
	all = feed(data + 1, size - 1, &whole);
	first = feed(data + 1, cut, &parts);
	if (first < 0) {
		require(all < 0);
		return 0;
	}
	rest = feed(data + 1 + first, size - 1 - (size_t)first, &parts);
	require(rest < 0 ? all < 0 : all == first + rest);
	require(whole.count == parts.count && whole.sum == parts.sum);
	return 0;
}
