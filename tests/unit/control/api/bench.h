// SPDX-License-Identifier: BSD-3-Clause
// Server and client over a real socket in a directory of the test's own; clients that misbehave
// by hand. The server is polled by the test, so that what happens when is the test's to say;
// where it must run beside a blocking call, a thread polls it.
#pragma once

#include "control/api/api.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#define BIG_BYTES (4u * 1024 * 1024)

struct bench {
	char directory[64];
	char path[API_PATH_MAX];
	struct api_server *server;
	pthread_t thread;
	atomic_bool stop;
};

static inline int
echo(void *context, const json_t *params, json_t **result, struct diag *errors)
{
	(void)context;
	(void)errors;
	*result = params != NULL ? json_deep_copy(params) : json_null();
	return 0;
}

static inline int
big(void *context, const json_t *params, json_t **result, struct diag *errors)
{
	char *text = malloc(BIG_BYTES);

	(void)context;
	(void)params;
	(void)errors;
	memset(text, 'x', BIG_BYTES);
	*result = json_stringn(text, BIG_BYTES);
	free(text);
	return 0;
}

static inline int
refuse(void *context, const json_t *params, json_t **result, struct diag *errors)
{
	(void)context;
	(void)result;
	return diag_fail(errors, params != NULL ? EINVAL : EPERM, "never");
}

static const struct api_method methods[] = {
	{.name = "echo", .call = echo},
	{.name = "big", .call = big},
	{.name = "refuse", .call = refuse},
	{.name = NULL},
};

static struct diag diag; // of the last call

static inline int
call(const char *path, const char *method, const json_t *params, int timeout_ms, json_t **result)
{
	diag_free(&diag);
	return api_call(&(struct api_call){path, method, params, timeout_ms}, result, &diag);
}

static inline int
create(struct api_server **out, const char *path, const struct api_method *served)
{
	diag_free(&diag);
	return api_server_create(out, path, served, NULL, &diag);
}

static inline int
setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	strcpy(b->directory, "/tmp/roost-api-XXXXXX");
	assert_non_null(mkdtemp(b->directory));
	snprintf(b->path, sizeof(b->path), "%s/run/demo.sock", b->directory);
	assert_int_equal(create(&b->server, b->path, methods), 0);
	*state = b;
	return 0;
}

// Nothing is left behind: the directories are empty once the server is gone.
static inline int
teardown(void **state)
{
	struct bench *b = *state;
	char run[API_PATH_MAX];

	api_server_destroy(b->server);
	diag_free(&diag);
	snprintf(run, sizeof(run), "%s/run", b->directory);
	assert_int_equal(rmdir(run), 0);
	assert_int_equal(rmdir(b->directory), 0);
	free(b);
	return 0;
}

static inline void *
poll_until_stopped(void *argument)
{
	struct bench *b = argument;

	while (!atomic_load(&b->stop))
		api_server_poll(b->server, 10);
	return NULL;
}

static inline void
run_server(struct bench *b)
{
	atomic_store(&b->stop, false);
	assert_int_equal(pthread_create(&b->thread, NULL, poll_until_stopped, b), 0);
}

static inline void
stop_server(struct bench *b)
{
	atomic_store(&b->stop, true);
	pthread_join(b->thread, NULL);
}

static inline int
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
static inline int
join(struct bench *b)
{
	int fd = connect_to(b->path);

	assert_int_equal(api_server_poll(b->server, 1000), 0);
	return fd;
}

static inline void
say(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

// What the client has been sent so far; the server is polled while there is anything to do at
// once.
static inline const char *
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
