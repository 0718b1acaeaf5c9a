// SPDX-License-Identifier: BSD-3-Clause
// Messages to a client that streams: lines, with bytes behind them that are anything.
#include "bench.h"

#define LARGE (150u << 10)

static struct api_server *streaming;
static uint64_t client;

static int
begin(void *context, const json_t *params, json_t **result, struct diag *errors)
{
	(void)context;
	(void)params;
	(void)errors;
	client = api_server_client(streaming);
	api_server_set_stream(streaming, client, true);
	*result = json_true();
	return 0;
}

static const struct api_method stream_methods[] = {{.name = "begin", .call = begin},
						   {.name = NULL}};

static int
setup_stream(void **state)
{
	struct bench *b;

	setup(state);
	b = *state;
	api_server_destroy(b->server);
	assert_int_equal(create(&b->server, b->path, stream_methods), 0);
	streaming = b->server;
	return 0;
}

static int
send_message(const void *bytes, size_t count, int number)
{
	json_t *params = json_pack("{s:i}", "n", number);
	int rc;

	if (bytes != NULL)
		json_object_set_new(params, API_BYTES, json_integer((json_int_t)count));
	rc = api_server_send(streaming, client,
			     &(struct api_message){"take", params, bytes, count});
	json_decref(params);
	return rc;
}

static void
take(struct api_stream *stream, const void *bytes, size_t count, int number)
{
	json_t *params;
	const void *found;
	size_t found_count;

	assert_int_equal(api_stream_next(stream, 5000, NULL, &params), 0);
	assert_int_equal(json_integer_value(json_object_get(params, "n")), number);
	found = api_stream_bytes(stream, &found_count);
	assert_int_equal(found_count, count);
	assert_memory_equal(found, bytes, count);
	json_decref(params);
}

static void
test_bytes(void **state)
{
	static const char odd[] = "{\"a\":\n\n\0\xff}";
	struct bench *b = *state;
	const struct api_call call = {b->path, "begin", NULL, 5000};
	struct api_stream *stream;
	uint8_t *large = malloc(LARGE);
	json_t *result, *params;
	struct diag errors = {0};

	for (size_t i = 0; i < LARGE; i++)
		large[i] = (uint8_t)(i * 7 + i / 256);
	run_server(b);
	assert_int_equal(api_stream_open(&stream, &call, &result, &errors), 0);
	stop_server(b);
	assert_true(json_is_true(result));
	assert_int_equal(send_message(odd, sizeof(odd), 1), 0);
	assert_int_equal(send_message(NULL, 0, 2), 0);
	assert_int_equal(send_message(large, LARGE, 3), 0);
	assert_int_equal(send_message("", 0, 4), 0);
	assert_int_equal(send_message(odd, 3, 5), 0);
	take(stream, odd, sizeof(odd), 1);
	take(stream, "", 0, 2);
	take(stream, large, LARGE, 3);
	take(stream, "", 0, 4);
	take(stream, odd, 3, 5);
	assert_int_equal(api_stream_next(stream, 1, NULL, &params), -ETIMEDOUT);
	assert_int_equal(send_message(large, API_EVENTS_MAX, 6), -EAGAIN);
	api_stream_close(stream);
	json_decref(result);
	free(large);
}

// Further calls are the same client's, also after one that fails.
static void
test_calls(void **state)
{
	struct bench *b = *state;
	const struct api_call call = {b->path, "begin", NULL, 5000};
	const struct api_call unknown = {b->path, "beg", NULL, 5000};
	struct api_stream *stream;
	struct diag errors = {0};
	uint64_t first;
	json_t *result;

	run_server(b);
	assert_int_equal(api_stream_open(&stream, &call, &result, &errors), 0);
	json_decref(result);
	first = client;
	assert_int_equal(api_stream_call(stream, &unknown, &result, &errors), -EINVAL);
	assert_null(result);
	client = 0;
	assert_int_equal(api_stream_call(stream, &call, &result, &errors), 0);
	stop_server(b);
	assert_true(json_is_true(result));
	assert_int_equal(client, first);
	api_stream_close(stream);
	json_decref(result);
	diag_free(&errors);
}

// A server by hand, which answers one client and keeps its connection.
static void *
answer_one(void *argument)
{
	char request[256];
	int *fds = argument;

	fds[1] = accept(fds[0], NULL, NULL);
	assert_true(fds[1] >= 0);
	assert_true(recv(fds[1], request, sizeof(request), 0) > 0);
	say(fds[1], "{\"jsonrpc\":\"2.0\",\"result\":true,\"id\":1}\n");
	return NULL;
}

// A client that waits for bytes finds them, however they come.
static void
test_bytes_in_pieces(void **state)
{
	struct bench *b = *state;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct api_call call = {address.sun_path, "begin", NULL, 5000};
	int fds[2] = {socket(AF_UNIX, SOCK_STREAM, 0), -1};
	struct api_stream *stream;
	json_t *result, *params;
	struct diag errors = {0};
	pthread_t thread;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/by-hand", b->directory);
	assert_int_equal(bind(fds[0], (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fds[0], 1), 0);
	assert_int_equal(pthread_create(&thread, NULL, answer_one, fds), 0);
	assert_int_equal(api_stream_open(&stream, &call, &result, &errors), 0);
	pthread_join(thread, NULL);
	json_decref(result);
	say(fds[1], "{\"params\":{\"n\":7,\"raw_bytes\":6}}\nab\n");
	assert_int_equal(api_stream_next(stream, 20, NULL, &params), -ETIMEDOUT);
	assert_null(params);
	say(fds[1], "cde{\"params\":{\"raw_bytes\":-1}}\n");
	take(stream, "ab\ncde", 6, 7);
	assert_int_equal(api_stream_next(stream, 5000, NULL, &params), -EPROTO);
	api_stream_close(stream);
	close(fds[0]);
	close(fds[1]);
	unlink(address.sun_path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_bytes, setup_stream, teardown),
		cmocka_unit_test_setup_teardown(test_calls, setup_stream, teardown),
		cmocka_unit_test_setup_teardown(test_bytes_in_pieces, setup_stream, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
