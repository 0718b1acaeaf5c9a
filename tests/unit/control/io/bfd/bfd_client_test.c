// SPDX-License-Identifier: BSD-3-Clause
// The connection to bfdd: who may be at the other end, and what ends it.
#include "control/io/bfd/bfd_client.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
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
#define STEADY_MS 5000
#define REPORTS_MS 60000

struct fixture {
	char directory[64], path[96];
	int listener; // bfdd's
	struct bfd_client *client;
	uid_t accepted; // besides root and the user of this process
	unsigned messages, ends, lines;
	char line[320];
	int64_t now_ms;
};

static const uint8_t counters[12] = {1, 0, 0, 5, 0, 42, 0, 12, 0, 0, 0, 7};

static void
take(void *context, const struct bfd_message *message)
{
	struct fixture *f = context;

	assert_int_equal(message->type, BFD_MESSAGE_REQUEST_COUNTERS);
	f->messages++;
}

static bool
accepts(void *context, uid_t user)
{
	return user == ((const struct fixture *)context)->accepted;
}

static void
ended(void *context)
{
	((struct fixture *)context)->ends++;
}

static void
notify(void *context, const char *line)
{
	struct fixture *f = context;

	f->lines++;
	snprintf(f->line, sizeof(f->line), "%s", line);
}

static int
listen_at(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    listen(fd, 4) != 0)
		return -1;
	return fd;
}

static int
set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct bfd_client_options options = {
		.accepts = accepts,
		.user_name = "frr",
		.take = take,
		.ended = ended,
		.notify = notify,
		.context = f,
	};

	assert_non_null(f);
	snprintf(f->directory, sizeof(f->directory), "/tmp/roost-bfd-XXXXXX");
	assert_non_null(mkdtemp(f->directory));
	assert_int_equal(chmod(f->directory, 0777), 0);
	snprintf(f->path, sizeof(f->path), "%s/dplane.sock", f->directory);
	f->listener = -1;
	f->now_ms = 1000;
	f->accepted = 12345;
	options.path = f->path;
	assert_int_equal(bfd_client_open(&f->client, &options), 0);
	*state = f;
	return 0;
}

static int
tear_down(void **state)
{
	struct fixture *f = *state;

	bfd_client_close(f->client);
	if (f->listener >= 0)
		close(f->listener);
	(void)unlink(f->path);
	assert_int_equal(rmdir(f->directory), 0);
	free(f);
	return 0;
}

// A turn in which it connects if it is to.
static void
turn(struct fixture *f)
{
	f->now_ms += bfd_client_wait_ms(f->client, f->now_ms, 1000);
	bfd_client_turn(f->client, f->now_ms);
}

static int
connected(struct fixture *f)
{
	int fd;

	f->listener = listen_at(f->path);
	assert_true(f->listener >= 0);
	turn(f);
	fd = accept4(f->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	assert_true(fd >= 0);
	assert_true(bfd_client_connected(f->client));
	assert_string_equal(f->line, "connected to bfdd");
	return fd;
}

static void
test_messages(void **state)
{
	struct fixture *f = *state;
	struct pollfd polled;
	uint8_t bytes[64];
	int fd;

	turn(f); // nobody listens
	assert_false(bfd_client_connected(f->client));
	assert_int_equal(f->lines, 0);
	assert_int_equal(bfd_client_wait_ms(f->client, f->now_ms, 1000), 500);
	fd = connected(f);
	assert_int_equal(bfd_client_wait_ms(f->client, f->now_ms, 1000), 1000);
	assert_int_equal(send(fd, counters, 7, 0), 7);
	polled = (struct pollfd){.fd = bfd_client_fd(f->client), .events = POLLIN};
	assert_int_equal(poll(&polled, 1, 1000), 1);
	turn(f);
	assert_int_equal(f->messages, 0);
	assert_int_equal(send(fd, counters + 7, 5, 0), 5);
	turn(f);
	assert_int_equal(f->messages, 1);
	bfd_client_send(f->client, counters, sizeof(counters));
	assert_int_equal(recv(fd, bytes, sizeof(bytes), 0), sizeof(counters));
	assert_int_equal(send(fd, "\x09\0\0\0\0\0\0\x08", 8, 0), 8);
	turn(f);
	assert_false(bfd_client_connected(f->client));
	assert_int_equal(f->ends, 1);
	assert_string_equal(f->line, "the connection to bfdd has ended: unknown protocol version");
	assert_int_equal(recv(fd, bytes, sizeof(bytes), 0), 0);
	close(fd);
}

// A bfdd that restarts is connected to again.
static void
test_restart(void **state)
{
	struct fixture *f = *state;
	int fd = connected(f);

	assert_int_equal(send(fd, counters, 7, 0), 7); // half of a message
	turn(f);
	f->now_ms += STEADY_MS;
	close(fd);
	close(f->listener);
	assert_int_equal(unlink(f->path), 0);
	turn(f);
	assert_false(bfd_client_connected(f->client));
	assert_string_equal(f->line, "the connection to bfdd has ended");
	turn(f);
	fd = connected(f);
	assert_int_equal(send(fd, counters, sizeof(counters), 0), sizeof(counters));
	turn(f);
	assert_int_equal(f->messages, 1);
	close(fd);
}

// Another user's socket is left at once, and reported once a minute. The user may become one who
// is accepted.
static void
test_other_user(void **state)
{
	struct fixture *f = *state;
	int ready[2], status, go_on[2];
	pid_t child;
	char byte;

	if (geteuid() != 0)
		skip();
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(go_on), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		close(go_on[1]);
		if (setuid(NOBODY) != 0 || listen_at(f->path) < 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		_exit(read(go_on[0], &byte, 1) == 0 ? 0 : 1);
	}
	close(go_on[0]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	for (int i = 0; i < 3; i++)
		turn(f);
	assert_false(bfd_client_connected(f->client));
	assert_int_equal(bfd_client_refused(f->client), 3);
	assert_int_equal(f->lines, 1);
	assert_int_equal(strncmp(f->line, "a process of user 65534 listens at /tmp/", 40), 0);
	assert_non_null(strstr(f->line, "Roost accepts root, its own user and frr"));
	f->accepted = NOBODY;
	turn(f);
	assert_true(bfd_client_connected(f->client));
	assert_string_equal(f->line, "connected to bfdd");
	close(go_on[1]);
	close(ready[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

// One that closes each connection at once is reported once a minute; one that lasts is reported.
static void
test_brief(void **state)
{
	struct fixture *f = *state;
	int64_t began;
	int fd = connected(f);

	close(fd);
	turn(f);
	assert_int_equal(f->lines, 2);
	assert_string_equal(f->line, "the connection to bfdd has ended");
	began = f->now_ms;
	while (f->now_ms < began + REPORTS_MS - STEADY_MS) {
		turn(f);
		fd = accept4(f->listener, NULL, NULL, SOCK_CLOEXEC);
		assert_true(fd >= 0);
		close(fd);
		turn(f);
		assert_false(bfd_client_connected(f->client));
	}
	assert_int_equal(f->lines, 2);
	assert_true(f->ends > 50);
	f->now_ms = began + REPORTS_MS;
	turn(f);
	assert_int_equal(f->lines, 3);
	assert_string_equal(f->line, "connected to bfdd");
	fd = accept4(f->listener, NULL, NULL, SOCK_CLOEXEC);
	close(fd);
	turn(f);
	assert_int_equal(f->lines, 4);
	turn(f);
	assert_true(bfd_client_connected(f->client));
	assert_int_equal(f->lines, 4);
	for (int i = 0; i < STEADY_MS / 1000; i++)
		turn(f);
	assert_int_equal(f->lines, 5);
	assert_string_equal(f->line, "connected to bfdd");
}

// Who does not read loses the connection, and no memory is taken for it.
static void
test_reader_that_sleeps(void **state)
{
	struct fixture *f = *state;
	int fd = connected(f);

	for (int i = 0; i < 200000; i++)
		bfd_client_send(f->client, counters, sizeof(counters));
	turn(f);
	assert_false(bfd_client_connected(f->client));
	assert_string_equal(f->line,
			    "the connection to bfdd has ended: bfdd does not read its socket");
	assert_int_equal(f->ends, 1);
	close(fd);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_messages),           TEST(test_restart),
		TEST(test_other_user),         TEST(test_brief),
		TEST(test_reader_that_sleeps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
