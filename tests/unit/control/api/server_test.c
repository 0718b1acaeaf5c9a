// SPDX-License-Identifier: BSD-3-Clause
// Calls and their answers, who may ask, and where a server may stand.
#include "bench.h"

#include <sys/stat.h>
#include <sys/wait.h>

#define NOBODY 65534

static void
test_call_and_answer(void **state)
{
	struct bench *b = *state;
	json_t *params = json_pack("{s:s}", "what", "queue"), *result;

	run_server(b);
	assert_int_equal(call(b->path, "echo", params, 5000, &result), 0);
	assert_true(json_equal(params, result));
	json_decref(result);
	assert_int_equal(call(b->path, "echo", NULL, -1, &result), 0);
	assert_true(json_is_null(result));
	json_decref(result);
	assert_int_equal(call(b->path, "refuse", params, 5000, &result), -EINVAL);
	assert_string_equal(diag_first_error(&diag), "never");
	assert_int_equal(call(b->path, "refuse", NULL, 5000, &result), -EREMOTEIO);
	assert_int_equal(call(b->path, "nope", NULL, 5000, &result), -EINVAL);
	assert_string_equal(diag_first_error(&diag), "there is no method nope");
	assert_null(result);
	json_decref(params);
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

		if (setuid(NOBODY) != 0 ||
		    call(b->path, "echo", NULL, 5000, &result) != -EREMOTEIO ||
		    strcmp(diag_first_error(&diag), "only root and the fabric's owner may ask") !=
			    0)
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

	assert_int_equal(create(&second, b->path, methods), -EADDRINUSE);
	assert_null(second);
	assert_non_null(strstr(diag_first_error(&diag), "somebody serves this socket already"));
	close(join(b)); // the first still serves
}

// A daemon that was killed leaves its socket behind; the next one takes its place.
static void
test_a_stale_socket_is_replaced(void **state)
{
	struct bench *b = *state;
	struct api_server *server;
	char path[API_PATH_MAX];
	int status;
	pid_t child;

	snprintf(path, sizeof(path), "%s/run/killed.sock", b->directory);
	child = fork();
	if (child == 0)
		_exit(create(&server, path, methods) != 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(create(&server, path, methods), 0);
	close(connect_to(path));
	api_server_destroy(server);
	assert_int_equal(access(path, F_OK), -1);
}

static void
test_a_file_that_is_no_socket_is_left_alone(void **state)
{
	struct bench *b = *state;
	struct api_server *server;
	char path[API_PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/run/file.sock", b->directory);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(create(&server, path, methods), -EADDRINUSE);
	assert_int_equal(unlink(path), 0);
}

static void
test_paths_that_cannot_be(void **state)
{
	struct api_server *server;
	char path[256];
	json_t *result;

	(void)state;
	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(create(&server, path, methods), -ENAMETOOLONG);
	assert_int_equal(call(path, "echo", NULL, 100, &result), -ENAMETOOLONG);
	assert_int_equal(create(&server, "/nowhere/at/all.sock", methods), -ENOENT);
	assert_int_equal(call("/nowhere/at/all.sock", "echo", NULL, 100, &result), -ENOENT);
	assert_string_equal(diag_first_error(&diag),
			    "/nowhere/at/all.sock: No such file or directory");
	api_server_destroy(NULL);
}

// Nobody polls: the call ends by itself.
static void
test_a_server_that_does_not_answer(void **state)
{
	struct bench *b = *state;
	json_t *result;

	assert_int_equal(call(b->path, "echo", NULL, 50, &result), -ETIMEDOUT);
	assert_null(result);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_call_and_answer),
		T(test_lines_in_pieces_and_in_packs),
		T(test_a_last_line_without_newline),
		T(test_nonsense_is_answered_and_survived),
		T(test_only_root_and_the_owner),
		T(test_a_second_server_is_refused),
		T(test_a_stale_socket_is_replaced),
		T(test_a_file_that_is_no_socket_is_left_alone),
		cmocka_unit_test(test_paths_that_cannot_be),
		T(test_a_server_that_does_not_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
