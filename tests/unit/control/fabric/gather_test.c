// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/socket_ranks.h"

#include "control/fabric/gather.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_MAX 65536

struct list {
	uint32_t ranks, count;
	size_t chunk;
	uint32_t (*owner)(uint32_t index, uint32_t ranks);
	char text[TEXT_MAX]; // as the first rank has it
	size_t length;
};

static uint32_t
in_turn(uint32_t index, uint32_t ranks)
{
	return index % ranks;
}

static uint32_t
in_blocks(uint32_t index, uint32_t ranks)
{
	return index / 10 % ranks;
}

static uint32_t
the_last(uint32_t index, uint32_t ranks)
{
	(void)index;
	return ranks - 1;
}

static int
text_of(uint32_t index, uint32_t list, char text[static 32])
{
	return snprintf(text, 32, "%u.%u ", list, index);
}

static void
use(void *context, const struct gather_piece *piece)
{
	struct list *l = context;

	assert_true(l->length + piece->count < TEXT_MAX);
	memcpy(l->text + l->length, piece->data, piece->count);
	l->length += piece->count;
}

// Two lists, one after the other; entries that have a 7 consist of two pieces.
static int
run_lists(struct ranks *ranks, void *context)
{
	struct list *l = context;
	struct gather *g = gather_create(ranks, l->chunk);
	int rc = 0;

	l->length = 0;
	for (uint32_t list = 0; list < 2; list++) {
		FILE *to = gather_sends(g) ? gather_open(g, 1) : NULL;

		for (uint32_t i = 0; i < l->count; i++) {
			char text[32];
			size_t length = (size_t)text_of(i, list, text);

			gather_take(g, i, use, l);
			if (l->owner(i, ranks->count) != ranks->index)
				continue;
			gather_at(g, i);
			if (!gather_sends(g))
				use(l, &(struct gather_piece){i, 0, text, length});
			else if (i % 10 != 7)
				gather_put(g, 0, text, length);
			else {
				fwrite(text, 1, 2, to);
				fflush(to);
				gather_put(g, 0, text + 2, length - 2);
			}
		}
		rc |= gather_finish(g, use, l);
		if (to != NULL)
			fclose(to);
	}
	gather_destroy(g);
	return rc;
}

static void
check_list(struct list *l)
{
	char expected[TEXT_MAX] = "", text[32];
	size_t length = 0;

	for (uint32_t list = 0; list < 2; list++)
		for (uint32_t i = 0; i < l->count; i++) {
			length += (size_t)text_of(i, list, text);
			strcat(expected + length - strlen(text), text);
		}
	assert_int_equal(socket_ranks_run(l->ranks, run_lists, l), 0);
	assert_int_equal(l->length, length);
	assert_memory_equal(l->text, expected, length);
}

static void
test_lists_arrive_in_order(void **state)
{
	static const uint32_t ranks[] = {1, 2, 3, 5}, counts[] = {0, 1, 9, 1000};
	static const size_t chunks[] = {1, 64, 0};
	uint32_t (*const owners[])(uint32_t, uint32_t) = {in_turn, in_blocks, the_last};
	static struct list l;

	(void)state;
	for (unsigned int i = 0; i < 4 * 4 * 3 * 3; i++) {
		l.ranks = ranks[i % 4];
		l.count = counts[i / 4 % 4];
		l.chunk = chunks[i / 16 % 3];
		l.owner = owners[i / 48];
		check_list(&l);
	}
}

static int
leave(struct ranks *ranks, void *context)
{
	struct list *l = context;

	return ranks->index == 2 ? 0 : run_lists(ranks, l) != 0 ? 0 : -1;
}

// A rank that ends before its list does, so that the first one must not wait for it.
static void
test_a_rank_that_is_gone(void **state)
{
	static struct list l = {.count = 9, .owner = in_turn};
	struct ranks *none = NULL;

	(void)state;
	assert_null(gather_create(none, 0));
	assert_int_equal(gather_finish(NULL, use, &l), 0);
	assert_in_range(socket_ranks_run(3, leave, &l), 0, 1); // rank 1 has sent all of its own
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists_arrive_in_order),
		cmocka_unit_test(test_a_rank_that_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
