// SPDX-License-Identifier: BSD-3-Clause
#include "control/base/memory.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define ROOM ((size_t)256 << 20)

static void
take_tables(void)
{
	memory_array(1048576, 2100, "switch tables");
}

static void
take_one(void)
{
	memory_new(ROOM * 4, "schedule");
}

static void
take_too_many(void)
{
	memory_array(SIZE_MAX / 2, 3000, "links");
}

static void
take_more_and_more(void)
{
	uint64_t *items = NULL;

	for (size_t count = 0;; count++) {
		items = memory_grow(items, count, sizeof(*items), "events");
		items[count] = count;
	}
}

static void
take_text(void)
{
	memory_format("%*d", (int)ROOM, 1);
}

static void
take_stream(void)
{
	char *text;
	size_t size;
	FILE *stream = memory_stream_open(&text, &size);

	for (size_t i = 0; i < ROOM; i += 16)
		fputs("sixteen letters ", stream);
	fclose(stream);
}

static void
take_json(void)
{
	json_t *list;

	memory_use_for_json();
	list = json_array();
	for (;;)
		json_array_append_new(list, json_integer(1));
}

// What a process with little room says on standard error, in `line`; returns its wait status.
static int
said_by(void (*take)(void), char *line, size_t size)
{
	struct rlimit limit = {ROOM, ROOM};
	int ends[2], status;
	size_t length = 0;
	ssize_t got;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (dup2(ends[1], STDERR_FILENO) < 0 || setrlimit(RLIMIT_AS, &limit) != 0)
			_exit(2);
		take();
		_exit(3); // it was granted
	}
	close(ends[1]);
	while ((got = read(ends[0], line + length, size - 1 - length)) > 0)
		length += (size_t)got;
	line[length] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void
running_out_ends_the_process_with_what_was_built(void **state)
{
	static const struct {
		void (*take)(void);
		const char *said;
	} cases[] = {
		{take_tables, "roost: out of memory: 1,048,576 switch tables of 2.1 KB (2.2 GB)\n"},
		{take_one, "roost: out of memory: schedule (1.07 GB)\n"},
		{take_too_many, "roost: out of memory: 9,223,372,036,854,775,807 links of 3 KB\n"},
		{take_more_and_more, "roost: out of memory: 33,554,432 events of 8 B (268 MB)\n"},
		{take_text, "roost: out of memory: text ("},
		{take_stream, "roost: out of memory: text (268 MB)\n"},
		{take_json, "roost: out of memory: JSON ("},
	};
	char line[300];

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip(); // its own memory does not fit below the limit
#endif
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int status = said_by(cases[i].take, line, sizeof(line));

		if (strncmp(line, cases[i].said, strlen(cases[i].said)) != 0)
			fail_msg("said '%s', not '%s'", line, cases[i].said);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 1);
		assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
	}
}

// Puts things in order, and in doing so runs out of memory again.
static void
end_badly(void *context)
{
	int said = (int)write(STDERR_FILENO, context, strlen(context));

	memory_new(ROOM * 5, "order");
	_exit(said > 0 ? 4 : 5);
}

static void
take_and_end(void)
{
	static char words[] = "ended\n";

	memory_at_exhaustion(end_badly, words);
	take_one();
}

static void
things_are_put_in_order_once(void **state)
{
	char line[300];
	int status;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	status = said_by(take_and_end, line, sizeof(line));
	assert_string_equal(line, "roost: out of memory: schedule (1.07 GB)\nended\n"
				  "roost: out of memory: order (1.34 GB)\n");
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

static void
arrays_are_zeroed_copied_and_grown(void **state)
{
	unsigned *items = memory_array(100, sizeof(*items), "numbers"), *copy, *grown = NULL;

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(items[i], 0);
	items[99] = 7;
	copy = memory_copy(items, 100, sizeof(*items), "numbers");
	assert_memory_equal(copy, items, 100 * sizeof(*items));
	free(copy);
	items = memory_resize(items, 200, sizeof(*items), "numbers");
	assert_int_equal(items[99], 7);
	free(items);
	for (unsigned i = 0; i < 1000; i++) {
		grown = memory_grow(grown, i, sizeof(*grown), "numbers");
		grown[i] = i;
	}
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(grown[i], i);
	free(grown);
	free(memory_array(0, 8, "numbers"));
	free(memory_resize(NULL, 0, 8, "numbers"));
}

static void
texts_are_copied_and_formatted(void **state)
{
	char *text = memory_text("leaf1"), *part = memory_text_part("leaf1.swp3", 5),
	     *made = memory_format("%s.swp%u", part, 3u), *streamed;
	size_t size;
	FILE *stream = memory_stream_open(&streamed, &size);

	(void)state;
	assert_string_equal(text, part);
	assert_string_equal(made, "leaf1.swp3");
	assert_null(memory_text(NULL));
	fprintf(stream, "%s and %s", text, made);
	fclose(stream);
	assert_string_equal(streamed, "leaf1 and leaf1.swp3");
	assert_int_equal(size, 20);
	free(text);
	free(part);
	free(made);
	free(streamed);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(running_out_ends_the_process_with_what_was_built),
		cmocka_unit_test(things_are_put_in_order_once),
		cmocka_unit_test(arrays_are_zeroed_copied_and_grown),
		cmocka_unit_test(texts_are_copied_and_formatted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
