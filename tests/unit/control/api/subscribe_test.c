// SPDX-License-Identifier: BSD-3-Clause
// Events to clients that have subscribed: whole lines, in order, between answers; what is not read
// is bounded and its loss told.
#include "bench.h"

#include <poll.h>

#define KIND_A 1u
#define KIND_B 2u

static struct api_server *asked;

static int
subscribe(void *context, const json_t *params, json_t **result, struct diag *errors)
{
	int status;

	(void)context;
	(void)errors;
	assert_int_equal(api_server_peer(asked)->uid, getuid());
	assert_int_equal(api_server_peer(asked)->pid, getpid());
	assert_int_equal(api_server_peer(asked)->right, API_WRITE);
	status = api_server_subscribe(
		asked, (uint32_t)json_integer_value(json_object_get(params, "kinds")),
		(uint64_t)json_integer_value(json_object_get(params, "least")));
	*result = status == 0 ? json_true() : NULL;
	return status;
}

static const struct api_method told_methods[] = {
	{.name = "subscribe", .call = subscribe}, {.name = "echo", .call = echo}, {.name = NULL}};

static int
setup_told(void **state)
{
	struct bench *b;

	setup(state);
	b = *state;
	api_server_destroy(b->server);
	assert_int_equal(create(&b->server, b->path, told_methods), 0);
	asked = b->server;
	return 0;
}

static void
tell(struct bench *b, uint32_t kind, uint64_t size, int number)
{
	json_t *event = json_pack("{s:i}", "n", number);

	api_server_notify(b->server, kind, size, event);
	json_decref(event);
}

static int
join_told(struct bench *b, const char *params)
{
	char text[256];
	int fd = join(b);

	snprintf(text, sizeof(text),
		 "{\"jsonrpc\":\"2.0\",\"method\":\"subscribe\",\"id\":1,\"params\":%s}\n", params);
	say(fd, text);
	return fd;
}

#define ANSWER "{\"jsonrpc\":\"2.0\",\"result\":true,\"id\":1}\n"
#define EVENT(n) "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"n\":" #n "}}\n"

static void
test_kinds_and_sizes(void **state)
{
	struct bench *b = *state;
	int all, some;

	assert_int_equal(api_server_wanted(b->server), 0);
	tell(b, KIND_A, 9, 0);
	all = join_told(b, "{\"kinds\":3}");
	assert_string_equal(heard(b, all), ANSWER);
	some = join_told(b, "{\"kinds\":2,\"least\":10}");
	assert_string_equal(heard(b, some), ANSWER);
	assert_int_equal(api_server_wanted(b->server), 3);
	tell(b, KIND_A, 10, 1);
	tell(b, KIND_B, 9, 2);
	tell(b, KIND_B, 10, 3);
	assert_string_equal(heard(b, all), EVENT(1) EVENT(2) EVENT(3));
	assert_string_equal(heard(b, some), EVENT(3));
	close(all);
	close(some);
	assert_string_equal(heard(b, some), "");
	assert_int_equal(api_server_wanted(b->server), 0);
}

static void
test_a_subscriber_may_ask_on_and_end_his_side(void **state)
{
	struct bench *b = *state;
	int fd = join_told(b, "{\"kinds\":1}");

	assert_string_equal(heard(b, fd), ANSWER);
	tell(b, KIND_A, 0, 1);
	say(fd, "{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":2}\n");
	assert_string_equal(heard(b, fd),
			    EVENT(1) "{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":2}\n");
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	tell(b, KIND_A, 0, 2);
	assert_string_equal(heard(b, fd), EVENT(2));
	assert_int_equal(api_server_clients(b->server), 1);
	close(fd);
	assert_int_equal(api_server_poll(b->server, 1000), 0);
	assert_int_equal(api_server_clients(b->server), 0);
}

// What is heard is whole lines from the first to the last, the loss between them told exactly, and
// at once: it may be long until another event.
static void
test_one_who_does_not_read(void **state)
{
	struct bench *b = *state;
	int fd = join_told(b, "{\"kinds\":1}"), n = 0, last = -1;
	uint64_t lost = 0;
	char text[65536];
	size_t kept = 0;

	assert_int_equal(api_server_poll(b->server, 1000), 0);
	for (; n < 40000; n++)
		tell(b, KIND_A, 0, n);
	while (last != n - 1) {
		ssize_t got;
		char *line = text, *end;

		assert_int_equal(api_server_poll(b->server, 0), 0);
		got = recv(fd, text + kept, sizeof(text) - 1 - kept, MSG_DONTWAIT);
		if (got <= 0) { // all that was kept has been read
			assert_int_equal(last + (int)lost, n - 1);
			tell(b, KIND_A, 0, n++);
			continue;
		}
		text[kept += (size_t)got] = '\0';
		for (; (end = strchr(line, '\n')) != NULL; line = end + 1) {
			json_t *message = json_loadb(line, (size_t)(end - line), 0, NULL);
			json_t *event = json_object_get(message, "params");

			if (event == NULL) {
				assert_int_equal(last, -1); // the answer to the subscription
			} else if (json_object_get(event, "n") != NULL) {
				assert_int_equal(json_integer_value(json_object_get(event, "n")),
						 last + 1 + (int)lost);
				last += 1 + (int)lost;
				lost = 0;
			} else {
				assert_string_equal(
					json_string_value(json_object_get(event, "kind")), "lost");
				lost = (uint64_t)json_integer_value(
					json_object_get(event, "events"));
				assert_true(lost > 1000);
			}
			json_decref(message);
		}
		kept = strlen(line);
		memmove(text, line, kept + 1);
	}
	close(fd);
}

static void
test_one_who_never_reads_is_let_go(void **state)
{
	struct bench *b = *state;
	int fd = join_told(b, "{\"kinds\":1}");

	assert_int_equal(api_server_poll(b->server, 1000), 0);
	api_server_set_patience(b->server, 50);
	for (int n = 0; n < 40000; n++)
		tell(b, KIND_A, 0, n);
	while (api_server_clients(b->server) != 0)
		assert_int_equal(api_server_poll(b->server, 1000), 0);
	close(fd);
}

static void
test_no_more_than_so_many(void **state)
{
	struct bench *b = *state;
	int fds[API_SUBSCRIBERS_MAX + 1];

	for (unsigned int i = 0; i <= API_SUBSCRIBERS_MAX; i++)
		fds[i] = join_told(b, "{\"kinds\":1}");
	assert_non_null(strstr(heard(b, fds[API_SUBSCRIBERS_MAX]), "-32000"));
	tell(b, KIND_A, 0, 5);
	assert_string_equal(heard(b, fds[0]), ANSWER EVENT(5));
	assert_string_equal(heard(b, fds[API_SUBSCRIBERS_MAX]), "");
	for (unsigned int i = 0; i <= API_SUBSCRIBERS_MAX; i++)
		close(fds[i]);
}

// Those who have begun nothing make room for others, subscribers do not.
static void
test_a_subscriber_is_not_idle(void **state)
{
	struct bench *b = *state;
	int fds[API_CLIENTS_MAX + 1], told = join_told(b, "{\"kinds\":1}");
	char byte;

	assert_string_equal(heard(b, told), ANSWER);
	for (unsigned int i = 0; i < API_CLIENTS_MAX; i++)
		fds[i] = join(b);
	assert_int_equal(recv(fds[0], &byte, 1, 0), 0);
	tell(b, KIND_A, 0, 7);
	assert_string_equal(heard(b, told), EVENT(7));
	for (unsigned int i = 0; i < API_CLIENTS_MAX; i++)
		close(fds[i]);
	close(told);
}

struct followed {
	struct bench *b;
	bool answered;
	int seen;
};

static void
take_answer(void *context, const json_t *answer)
{
	struct followed *f = context;

	assert_true(json_is_true(answer));
	assert_int_equal(f->seen, 0);
	f->answered = true;
}

static bool
take(void *context, const json_t *event)
{
	struct followed *f = context;

	assert_int_equal(json_integer_value(json_object_get(event, "n")), f->seen);
	return ++f->seen < 1000;
}

static void *
tell_until_read(void *argument)
{
	struct bench *b = argument;

	while (api_server_wanted(b->server) == 0)
		api_server_poll(b->server, 10);
	for (int n = 0; n < 1000; n++) {
		tell(b, KIND_A, 0, n);
		api_server_poll(b->server, 0);
	}
	while (api_server_clients(b->server) != 0)
		api_server_poll(b->server, 10);
	return NULL;
}

static void
test_following(void **state)
{
	struct bench *b = *state;
	struct followed f = {.b = b};
	const struct api_follower follower = {&f, take_answer, take};
	json_t *params = json_pack("{s:i}", "kinds", 1);

	assert_int_equal(pthread_create(&b->thread, NULL, tell_until_read, b), 0);
	assert_int_equal(api_follow(&(struct api_call){b->path, "subscribe", params, 10000},
				    &follower, &diag),
			 0);
	assert_true(f.answered);
	assert_int_equal(f.seen, 1000);
	pthread_join(b->thread, NULL);
	json_decref(params);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup_told, teardown)
	const struct CMUnitTest tests[] = {
		T(test_kinds_and_sizes),
		T(test_a_subscriber_may_ask_on_and_end_his_side),
		T(test_one_who_does_not_read),
		T(test_one_who_never_reads_is_let_go),
		T(test_no_more_than_so_many),
		T(test_a_subscriber_is_not_idle),
		T(test_following),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
