// SPDX-License-Identifier: BSD-3-Clause
// A fabric that a thread plays: it answers by the methods it is given, and what it was asked last
// is kept.
#pragma once

#include "captured.h"

#include "control/api/api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct played {
	char name[32];
	char directory[64]; // XDG_RUNTIME_DIR of a user that is not root
	struct api_server *server;
	pthread_t thread;
	atomic_bool stop;
	const char *method; // the last that was called, with what
	json_t *asked;
};

// For the methods, whose context is the fabric played.
static inline void
played_note(struct played *p, const char *method, const json_t *params)
{
	json_decref(p->asked);
	p->method = method;
	p->asked = json_deep_copy(params);
}

static inline void *
played_serve(void *argument)
{
	struct played *p = argument;

	while (!atomic_load(&p->stop))
		api_server_poll(p->server, 10);
	return NULL;
}

// The fabric is named after `what` and this process.
static inline struct played *
played_start(const char *what, const struct api_method *methods)
{
	struct played *p = calloc(1, sizeof(*p));
	char path[API_PATH_MAX];
	struct diag diag = {0};

	assert_non_null(p);
	snprintf(p->name, sizeof(p->name), "unit-%s-%d", what, (int)getpid());
	snprintf(p->directory, sizeof(p->directory), "/tmp/roost-%s-XXXXXX", what);
	assert_non_null(mkdtemp(p->directory));
	setenv("XDG_RUNTIME_DIR", p->directory, 1);
	assert_int_equal(api_socket_path(p->name, path, &diag), 0);
	assert_int_equal(api_server_create(&p->server, path, methods, p, &diag), 0);
	assert_int_equal(pthread_create(&p->thread, NULL, played_serve, p), 0);
	return p;
}

// Stops the thread and leaves nothing behind.
static inline void
played_stop(struct played *p)
{
	char run[96];

	atomic_store(&p->stop, true);
	pthread_join(p->thread, NULL);
	api_server_destroy(p->server);
	json_decref(p->asked);
	snprintf(run, sizeof(run), "%s/roost", p->directory);
	rmdir(run);
	rmdir(p->directory);
	free(p);
}
