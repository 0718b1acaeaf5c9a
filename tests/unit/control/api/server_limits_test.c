// SPDX-License-Identifier: BSD-3-Clause
// What is too large, too slow or too much, and that it hinders nobody else.
#include "bench.h"

#include <time.h>

static void
test_an_answer_larger_than_any_buffer(void **state)
{
	struct bench *b = *state;
	json_t *result;

	run_server(b);
	assert_int_equal(call(b->path, "big", NULL, 20000, &result), 0);
	assert_int_equal(json_string_length(result), BIG_BYTES);
	json_decref(result);
	stop_server(b);
}

static void
test_a_request_that_is_too_large(void **state)
{
	struct bench *b = *state;
	char *text = malloc(API_REQUEST_MAX + 1);
	size_t sent = 0;
	int fd = join(b);
	char byte;

	memset(text, ' ', API_REQUEST_MAX);
	while (sent < API_REQUEST_MAX) {
		ssize_t more =
			send(fd, text + sent, API_REQUEST_MAX - sent, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (more > 0)
			sent += (size_t)more;
		assert_int_equal(api_server_poll(b->server, 0), 0);
	}
	assert_non_null(strstr(heard(b, fd), "larger than 1 MiB"));
	assert_int_equal(api_server_clients(b->server), 0);
	assert_int_equal(recv(fd, &byte, 1, 0), 0);
	close(fd);
	free(text);
}

// One byte less is a request like any other.
static void
test_the_largest_request(void **state)
{
	struct bench *b = *state;
	json_t *params = json_array(), *result;
	size_t length =
		API_REQUEST_MAX -
		strlen("{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":1,\"params\":[\"\"]}\n");
	char *text = malloc(length);

	memset(text, 'y', length);
	json_array_append_new(params, json_stringn(text, length));
	run_server(b);
	assert_int_equal(call(b->path, "echo", params, 10000, &result), 0);
	assert_true(json_equal(params, result));
	json_decref(result);
	stop_server(b);
	json_decref(params);
	free(text);
}

static void
test_a_client_that_never_reads(void **state)
{
	struct bench *b = *state;
	int deaf = join(b), other;

	api_server_set_patience(b->server, 200);
	say(deaf, "{\"jsonrpc\":\"2.0\",\"method\":\"big\",\"id\":1}\n{\"jsonrpc\":\"2.0\","
		  "\"method\":\"big\",\"id\":2}\n");
	assert_int_equal(api_server_poll(b->server, 1000), 0);
	other = join(b);
	say(other, "{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":1}\n");
	assert_string_equal(heard(b, other), "{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":1}\n");
	assert_int_equal(api_server_clients(b->server), 2);
	while (api_server_clients(b->server) == 2)
		assert_int_equal(api_server_poll(b->server, 1000), 0);
	say(other, "{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":2}\n");
	assert_string_equal(heard(b, other), "{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":2}\n");
	close(deaf);
	close(other);
}

// A byte now and then does not keep a request alive past its deadline.
static void
test_a_client_that_dawdles(void **state)
{
	struct bench *b = *state;
	int slow = join(b), idle = join(b);
	char byte;

	api_server_set_patience(b->server, 200);
	while (api_server_clients(b->server) == 2) {
		(void)!send(slow, "{", 1, MSG_NOSIGNAL);
		assert_int_equal(api_server_poll(b->server, 20), 0);
	}
	assert_true(recv(slow, &byte, 1, MSG_DONTWAIT) <= 0);
	assert_int_equal(api_server_clients(b->server), 1);
	say(idle, "{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":1}\n");
	assert_string_equal(heard(b, idle), "{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":1}\n");
	close(slow);
	close(idle);
}

static void
test_the_longest_idle_makes_room(void **state)
{
	struct bench *b = *state;
	int fds[API_CLIENTS_MAX + 2];
	char byte;

	for (unsigned int i = 0; i < API_CLIENTS_MAX; i++) {
		fds[i] = join(b);
		say(fds[i], "{");
	}
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(api_server_poll(b->server, 0), 0);
	// All are busy: the next one is told so.
	fds[API_CLIENTS_MAX] = join(b);
	assert_non_null(strstr(heard(b, fds[API_CLIENTS_MAX]), "too many clients"));
	assert_int_equal(api_server_clients(b->server), API_CLIENTS_MAX);
	// One has finished: it goes.
	say(fds[3], "}\n");
	assert_non_null(strstr(heard(b, fds[3]), "-32600"));
	fds[API_CLIENTS_MAX + 1] = join(b);
	assert_int_equal(recv(fds[3], &byte, 1, 0), 0);
	say(fds[API_CLIENTS_MAX + 1], "{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":1}\n");
	assert_string_equal(heard(b, fds[API_CLIENTS_MAX + 1]),
			    "{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":1}\n");
	for (unsigned int i = 0; i < API_CLIENTS_MAX + 2; i++)
		close(fds[i]);
}

// Thousands of requests at once are answered in order, and other clients have their turn
// meanwhile.
static void
test_a_flood_leaves_room_for_others(void **state)
{
	struct bench *b = *state;
	const char line[] = "{\"jsonrpc\":\"2.0\",\"method\":\"echo\"}\n";
	int flood = join(b), other = join(b);
	char text[sizeof(line) * 1000] = "";

	for (unsigned int i = 0; i < 1000; i++)
		memcpy(text + i * (sizeof(line) - 1), line, sizeof(line));
	say(flood, text);
	say(other, "{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":1}\n");
	assert_int_equal(api_server_poll(b->server, 1000), 0);
	assert_int_equal(api_server_poll(b->server, 1000), 0);
	assert_string_equal(heard(b, other), "{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":1}\n");
	say(flood, "{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":9}\n");
	for (unsigned int i = 0; i < 1000 / 8; i++)
		assert_int_equal(api_server_poll(b->server, 0), 0);
	assert_string_equal(heard(b, flood), "{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":9}\n");
	close(flood);
	close(other);
}

// Sends as fast as the server takes it, and returns how many polls that took.
static unsigned int
pour(struct bench *b, int fd, const char *text, size_t length)
{
	unsigned int polls = 0;

	for (size_t sent = 0; sent < length;) {
		ssize_t more = send(fd, text + sent, length - sent, MSG_DONTWAIT | MSG_NOSIGNAL);

		sent += more > 0 ? (size_t)more : 0;
		assert_int_equal(api_server_poll(b->server, 0), 0);
		polls++;
	}
	return polls;
}

// Blank lines take no turns.
static void
test_a_flood_of_blank_lines(void **state)
{
	struct bench *b = *state;
	const size_t length = 1400000;
	char *text = malloc(length);
	int fd = join(b);

	for (size_t i = 0; i < length; i++)
		text[i] = " \n\r\n"[i % 4];
	assert_true(pour(b, fd, text, length) < 1000);
	say(fd, "{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":1}\n");
	assert_string_equal(heard(b, fd), "{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":1}\n");
	free(text);
	close(fd);
}

// A line of blanks that comes in small pieces: looking at all of it for each piece would take
// minutes.
static void
test_blanks_in_small_pieces(void **state)
{
	struct bench *b = *state;
	const size_t length = API_REQUEST_MAX - 1024, piece = 32;
	const clock_t begun = clock();
	char text[32];
	int fd = join(b);

	memset(text, ' ', sizeof(text));
	for (size_t i = 0; i < length; i += piece)
		pour(b, fd, text, piece);
	say(fd, "{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":1}\n");
	assert_string_equal(heard(b, fd), "{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":1}\n");
	assert_true(clock() - begun < 10 * CLOCKS_PER_SEC);
	close(fd);
}

// Each line moves what stands behind it at most once more than it was received.
static void
test_many_short_lines(void **state)
{
	struct bench *b = *state;
	const char line[] = "{\"jsonrpc\":\"2.0\",\"method\":\"echo\"}\n";
	const size_t each = sizeof(line) - 1, count = 40000;
	char *text = malloc(each * count);
	int fd = join(b);

	for (size_t i = 0; i < count; i++)
		memcpy(text + i * each, line, each);
	pour(b, fd, text, each * count);
	say(fd, "{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":1}\n");
	for (size_t i = 0; i < count / 8; i++)
		assert_int_equal(api_server_poll(b->server, 0), 0);
	assert_string_equal(heard(b, fd), "{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":1}\n");
	free(text);
	close(fd);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_an_answer_larger_than_any_buffer),
		T(test_a_request_that_is_too_large),
		T(test_the_largest_request),
		T(test_a_client_that_never_reads),
		T(test_a_client_that_dawdles),
		T(test_the_longest_idle_makes_room),
		T(test_a_flood_leaves_room_for_others),
		T(test_a_flood_of_blank_lines),
		T(test_blanks_in_small_pieces),
		T(test_many_short_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
