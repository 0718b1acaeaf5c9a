// SPDX-License-Identifier: BSD-3-Clause
// Server and client over a real socket in a directory of the test's own; clients that misbehave
// by hand. The server is polled by the test, so that what happens when is the test's to say;
// where it must run beside a blocking call, a thread polls it.
#include "control/api/api.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define NOBODY 65534
#define BIG_BYTES (4u * 1024 * 1024)

struct bench {
	char directory[64];
	char path[API_PATH_MAX];
	struct api_server *server;
	pthread_t thread;
	atomic_bool stop;
};

static int
echo(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	(void)context;
	(void)why;
	(void)why_size;
	*result = params != NULL ? json_deep_copy(params) : json_null();
	return 0;
}

static int
big(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	char *text = malloc(BIG_BYTES);

	(void)context;
	(void)params;
	(void)why;
	(void)why_size;
	memset(text, 'x', BIG_BYTES);
	*result = json_stringn(text, BIG_BYTES);
	free(text);
	return 0;
}

static int
refuse(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	(void)context;
	(void)result;
	snprintf(why, why_size, "never");
	return params != NULL ? -EINVAL : -EPERM;
}

static const struct api_method methods[] = {{"echo", echo}, {"big", big}, {"refuse", refuse}};

static int
setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));
	char err[256];

	strcpy(b->directory, "/tmp/roost-api-XXXXXX");
	assert_non_null(mkdtemp(b->directory));
	snprintf(b->path, sizeof(b->path), "%s/run/demo.sock", b->directory);
	assert_int_equal(api_server_create(&b->server, b->path, methods, 3, NULL, err, sizeof(err)),
			 0);
	*state = b;
	return 0;
}

// Nothing is left behind: the directories are empty once the server is gone.
static int
teardown(void **state)
{
	struct bench *b = *state;
	char run[API_PATH_MAX];

	api_server_destroy(b->server);
	snprintf(run, sizeof(run), "%s/run", b->directory);
	assert_int_equal(rmdir(run), 0);
	assert_int_equal(rmdir(b->directory), 0);
	free(b);
	return 0;
}

static void *
poll_until_stopped(void *argument)
{
	struct bench *b = argument;

	while (!atomic_load(&b->stop))
		api_server_poll(b->server, 10);
	return NULL;
}

static void
run_server(struct bench *b)
{
	atomic_store(&b->stop, false);
	assert_int_equal(pthread_create(&b->thread, NULL, poll_until_stopped, b), 0);
}

static void
stop_server(struct bench *b)
{
	atomic_store(&b->stop, true);
	pthread_join(b->thread, NULL);
}

static int
connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

// A client that the server has accepted.
static int
join(struct bench *b)
{
	int fd = connect_to(b->path);

	assert_int_equal(api_server_poll(b->server, 1000), 0);
	return fd;
}

static void
say(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

// What the client has been sent so far; the server is polled while there is anything to do at
// once.
static const char *
heard(struct bench *b, int fd)
{
	static char text[8192];
	size_t length = 0;

	for (unsigned int i = 0; i < 8; i++) {
		ssize_t got;

		assert_int_equal(api_server_poll(b->server, 0), 0);
		got = recv(fd, text + length, sizeof(text) - 1 - length, MSG_DONTWAIT);
		if (got > 0)
			length += (size_t)got;
	}
	text[length] = '\0';
	return text;
}

static void
test_call_and_answer(void **state)
{
	struct bench *b = *state;
	json_t *params = json_pack("{s:s}", "what", "queue"), *result;
	char err[256] = "";

	run_server(b);
	assert_int_equal(api_call(b->path, "echo", params, 5000, &result, err, sizeof(err)), 0);
	assert_true(json_equal(params, result));
	json_decref(result);
	assert_int_equal(api_call(b->path, "echo", NULL, -1, &result, err, sizeof(err)), 0);
	assert_true(json_is_null(result));
	json_decref(result);
	assert_int_equal(api_call(b->path, "refuse", params, 5000, &result, err, sizeof(err)),
			 -EINVAL);
	assert_string_equal(err, "never");
	assert_int_equal(api_call(b->path, "refuse", NULL, 5000, &result, err, sizeof(err)),
			 -EREMOTEIO);
	assert_int_equal(api_call(b->path, "nope", NULL, 5000, &result, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "there is no method nope");
	assert_null(result);
	json_decref(params);
	stop_server(b);
}

static void
test_an_answer_larger_than_any_buffer(void **state)
{
	struct bench *b = *state;
	json_t *result;
	char err[256];

	run_server(b);
	assert_int_equal(api_call(b->path, "big", NULL, 20000, &result, err, sizeof(err)), 0);
	assert_int_equal(json_string_length(result), BIG_BYTES);
	json_decref(result);
	stop_server(b);
}

static void
test_lines_in_pieces_and_in_packs(void **state)
{
	struct bench *b = *state;
	int fd = join(b);

	say(fd, "{\"jsonrpc\":\"2.0\",\"method\":\"ec");
	assert_string_equal(heard(b, fd), "");
	say(fd, "ho\",\"id\":1}\n\n "
		"\r\n{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":2}\n{\"jsonrpc\"");
	assert_string_equal(heard(b, fd), "{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":1}\n"
					  "{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":2}\n");
	say(fd, ":\"2.0\",\"method\":\"echo\",\"id\":3}\n");
	assert_string_equal(heard(b, fd), "{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":3}\n");
	close(fd);
	assert_string_equal(heard(b, connect_to(b->path)), "");
}

// `echo -n ... | socat`: the end of what a client sends ends its line too.
static void
test_a_last_line_without_newline(void **state)
{
	struct bench *b = *state;
	int fd = join(b);
	char byte;

	say(fd, "{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":1}");
	shutdown(fd, SHUT_WR);
	assert_string_equal(heard(b, fd), "{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":1}\n");
	assert_int_equal(api_server_clients(b->server), 0);
	assert_int_equal(recv(fd, &byte, 1, 0), 0);
	close(fd);
}

static void
test_nonsense_is_answered_and_survived(void **state)
{
	struct bench *b = *state;
	int fd = join(b);

	say(fd, "GET / HTTP/1.1\r\n");
	assert_non_null(strstr(heard(b, fd), "\"code\":-32700"));
	say(fd, "{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":1}\n");
	assert_string_equal(heard(b, fd), "{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":1}\n");
	close(fd);
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
	char err[256] = "";

	memset(text, 'y', length);
	json_array_append_new(params, json_stringn(text, length));
	run_server(b);
	assert_int_equal(api_call(b->path, "echo", params, 10000, &result, err, sizeof(err)), 0);
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

static void
test_only_root_and_the_owner(void **state)
{
	struct bench *b = *state;
	struct stat file;
	char run[API_PATH_MAX];
	int status;
	pid_t child;

	assert_int_equal(stat(b->path, &file), 0);
	assert_int_equal(file.st_mode & 07777, 0600);
	snprintf(run, sizeof(run), "%s/run", b->directory);
	assert_int_equal(stat(run, &file), 0);
	assert_int_equal(file.st_mode & 07777, 0700);
	if (geteuid() != 0)
		skip(); // needs another user to try
	// Even where the file's mode does not keep them out.
	chmod(b->directory, 0755);
	chmod(run, 0755);
	chmod(b->path, 0666);
	run_server(b);
	child = fork();
	if (child == 0) {
		json_t *result;
		char err[256] = "";

		if (setuid(NOBODY) != 0 ||
		    api_call(b->path, "echo", NULL, 5000, &result, err, sizeof(err)) !=
			    -EREMOTEIO ||
		    strcmp(err, "only root and the fabric's owner may ask") != 0)
			_exit(1);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	stop_server(b);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void
test_a_second_server_is_refused(void **state)
{
	struct bench *b = *state;
	struct api_server *second;
	char err[256];

	assert_int_equal(api_server_create(&second, b->path, methods, 3, NULL, err, sizeof(err)),
			 -EADDRINUSE);
	assert_null(second);
	assert_non_null(strstr(err, "somebody serves this socket already"));
	close(join(b)); // the first still serves
}

// A daemon that was killed leaves its socket behind; the next one takes its place.
static void
test_a_stale_socket_is_replaced(void **state)
{
	struct bench *b = *state;
	struct api_server *server;
	char path[API_PATH_MAX], err[256];
	int status;
	pid_t child;

	snprintf(path, sizeof(path), "%s/run/killed.sock", b->directory);
	child = fork();
	if (child == 0)
		_exit(api_server_create(&server, path, methods, 3, NULL, err, sizeof(err)) != 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(api_server_create(&server, path, methods, 3, NULL, err, sizeof(err)), 0);
	close(connect_to(path));
	api_server_destroy(server);
	assert_int_equal(access(path, F_OK), -1);
}

static void
test_a_file_that_is_no_socket_is_left_alone(void **state)
{
	struct bench *b = *state;
	struct api_server *server;
	char path[API_PATH_MAX], err[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/run/file.sock", b->directory);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(api_server_create(&server, path, methods, 3, NULL, err, sizeof(err)),
			 -EADDRINUSE);
	assert_int_equal(unlink(path), 0);
}

static void
test_paths_that_cannot_be(void **state)
{
	struct api_server *server;
	char path[256], err[512];
	json_t *result;

	(void)state;
	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(api_server_create(&server, path, methods, 3, NULL, err, sizeof(err)),
			 -ENAMETOOLONG);
	assert_int_equal(api_call(path, "echo", NULL, 100, &result, err, sizeof(err)),
			 -ENAMETOOLONG);
	assert_int_equal(api_server_create(&server, "/nowhere/at/all.sock", methods, 3, NULL, err,
					   sizeof(err)),
			 -ENOENT);
	assert_int_equal(
		api_call("/nowhere/at/all.sock", "echo", NULL, 100, &result, err, sizeof(err)),
		-ENOENT);
	assert_string_equal(err, "/nowhere/at/all.sock: No such file or directory");
	api_server_destroy(NULL);
}

// Nobody polls: the call ends by itself.
static void
test_a_server_that_does_not_answer(void **state)
{
	struct bench *b = *state;
	json_t *result;
	char err[256];

	assert_int_equal(api_call(b->path, "echo", NULL, 50, &result, err, sizeof(err)),
			 -ETIMEDOUT);
	assert_null(result);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_call_and_answer),
		T(test_an_answer_larger_than_any_buffer),
		T(test_lines_in_pieces_and_in_packs),
		T(test_a_last_line_without_newline),
		T(test_nonsense_is_answered_and_survived),
		T(test_a_request_that_is_too_large),
		T(test_the_largest_request),
		T(test_a_client_that_never_reads),
		T(test_a_client_that_dawdles),
		T(test_the_longest_idle_makes_room),
		T(test_a_flood_leaves_room_for_others),
		T(test_only_root_and_the_owner),
		T(test_a_second_server_is_refused),
		T(test_a_stale_socket_is_replaced),
		T(test_a_file_that_is_no_socket_is_left_alone),
		cmocka_unit_test(test_paths_that_cannot_be),
		T(test_a_server_that_does_not_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
