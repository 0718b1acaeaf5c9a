// SPDX-License-Identifier: BSD-3-Clause
#include "messages.h"

#include "control/io/learn/fpm.h"
#include "control/io/learn/peer.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <arpa/inet.h>

static uint32_t taken;

static void
take(void *context, const struct nlmsghdr *message)
{
	static struct learn_message got;

	(void)context;
	assert_int_equal(learn_decode(message, RT_TABLE_MAIN, &got), 0);
	assert_int_equal(got.kind, LEARN_ROUTE);
	taken++;
}

// A frame of one route, as zebra sends it. Returns its length.
static uint32_t
frame(uint8_t *to, uint32_t address)
{
	static struct made made;
	static const uint8_t gateway[4] = {10, 0, 2, 2};

	made_route4(&made, RTM_NEWROUTE, 0, address, 24);
	made_number(&made, RTA_OIF, 2);
	made_attr(&made, RTA_GATEWAY, gateway, 4);
	to[0] = 1;
	to[1] = 1;
	to[2] = (uint8_t)((made.length + 4) >> 8);
	to[3] = (uint8_t)(made.length + 4);
	memcpy(to + 4, made.bytes, made.length);
	return made.length + 4;
}

// In pieces of any size a stream gives the same frames, each once.
static void
test_pieces(void **state)
{
	uint8_t stream[1000];
	uint32_t length = 0;
	const char *why;

	(void)state;
	for (uint32_t i = 0; i < 10; i++)
		length += frame(stream + length, 0x0a000000 + (i << 8));
	for (uint32_t piece = 1; piece < length; piece++) {
		uint32_t held = 0, done = 0;

		taken = 0;
		while (done < length) {
			long used;

			held = held + piece < length - done ? held + piece : length - done;
			used = fpm_take_frames(stream + done, held, take, NULL, &why);
			assert_true(used >= 0 && used <= (long)held);
			done += (uint32_t)used;
			held -= (uint32_t)used;
		}
		assert_int_equal(taken, 10);
	}
}

static void
test_refused(void **state)
{
	uint8_t stream[200];
	const char *why = NULL;
	uint32_t length;

	(void)state;
	length = frame(stream, 0x0a000000);
	stream[0] = 2;
	assert_int_equal(fpm_take_frames(stream, length, take, NULL, &why), -EPROTO);
	assert_string_equal(why, "its version is not 1");
	length = frame(stream, 0x0a000000);
	stream[1] = 2;
	assert_int_equal(fpm_take_frames(stream, length, take, NULL, &why), -EPROTO);
	frame(stream, 0x0a000000);
	stream[2] = 0;
	stream[3] = 4;
	assert_int_equal(fpm_take_frames(stream, length, take, NULL, &why), -EPROTO);
	// Every length that the message inside may claim.
	for (uint32_t lie = 0; lie < 70000; lie += 13) {
		frame(stream, 0x0a000000);
		memcpy(stream + 4, &lie, 4);
		if (lie < 16 || lie > length - 4)
			assert_int_equal(fpm_take_frames(stream, length, take, NULL, &why),
					 -EPROTO);
	}
}

// ---- the server ------------------------------------------------------------------------------

struct server {
	struct topo_node place;
	struct rib *rib;
	struct learn_fpm *fpm;
	struct config_listen listen;
	int peer;
	int64_t now;
	unsigned told;
	char last[256]; // line
	uid_t user;     // that may connect, besides root and this one
	bool any;
};

static void
count_told(void *context, const char *line)
{
	assert_non_null(strstr(line, "FPM: "));
	((struct server *)context)->told++;
	snprintf(((struct server *)context)->last, sizeof(((struct server *)context)->last), "%s",
		 line);
}

static void
open_server(struct server *s)
{
	struct learn_fpm_options options = {.netns_fd = -1,
					    .table = RT_TABLE_MAIN,
					    .epoll = epoll_create1(EPOLL_CLOEXEC),
					    .listen = &s->listen,
					    .notify = count_told,
					    .context = s,
					    .any = s->any,
					    .user = s->user,
					    .user_name = "somebody"};

	s->listen.pos = (struct diag_pos){0};
	s->now = 1000;
	if (s->listen.version == 0) {
		s->listen.version = 4;
		memcpy(s->listen.address, (uint8_t[]){127, 0, 0, 1}, 4);
	}
	s->rib = rib_create(&s->place);
	options.rib = s->rib;
	// A port that is free just now.
	for (uint16_t port = (uint16_t)(20000 + getpid() % 20000);; port++) {
		s->listen.port = port;
		if (learn_fpm_open(&s->fpm, &options) == 0)
			return;
	}
}

static void
connect_peer(struct server *s)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons(s->listen.port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	s->peer = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(s->peer, (struct sockaddr *)&to, sizeof(to)), 0);
}

// Waits until the server has nothing more to read.
static void
turn(struct server *s, uint32_t prefixes)
{
	for (unsigned i = 0; i < 1000 && s->rib->prefixes != prefixes; i++) {
		learn_fpm_turn(s->fpm, s->now);
		usleep(1000);
	}
	assert_int_equal(s->rib->prefixes, prefixes);
}

// 20 s, in which the server reads what has come.
static void
pass_seconds(struct server *s)
{
	for (unsigned i = 0; i < 20; i++) {
		learn_fpm_turn(s->fpm, s->now += 1000);
		usleep(500);
	}
}

// Waits until the server has no peer.
static void
await_end(struct server *s)
{
	for (unsigned i = 0; i < 1000 && learn_fpm_connected(s->fpm); i++) {
		learn_fpm_turn(s->fpm, s->now);
		usleep(1000);
	}
	assert_false(learn_fpm_connected(s->fpm));
}

static void
send_routes(struct server *s, uint32_t first, uint32_t count)
{
	uint8_t bytes[200];

	for (uint32_t i = 0; i < count; i++) {
		uint32_t length = frame(bytes, 0x0a000000 + ((first + i) << 8));

		assert_int_equal(write(s->peer, bytes, length), length);
	}
}

// A server whose peer has said the first `count` routes.
static void
open_with_routes(struct server *s, uint32_t count)
{
	open_server(s);
	connect_peer(s);
	send_routes(s, 0, count);
	turn(s, count);
}

static void
close_server(struct server *s)
{
	close(s->peer);
	learn_fpm_close(s->fpm);
	rib_destroy(s->rib);
}

// A daemon that comes back says what it knows; the rest goes once it is quiet.
static void
test_reconnect(void **state)
{
	struct server s = {0};

	(void)state;
	open_with_routes(&s, 20);
	close(s.peer);
	await_end(&s);
	s.now += 30000;
	learn_fpm_turn(s.fpm, s.now);
	assert_int_equal(s.rib->prefixes, 20); // held
	connect_peer(&s);
	send_routes(&s, 10, 20);
	turn(&s, 30);
	s.now += 10000;
	turn(&s, 20);
	assert_int_equal(learn_fpm_wait_ms(s.fpm, s.now), -1);
	assert_int_equal(s.told, 3);
	close_server(&s);
}

// One that does not come back is forgotten.
static void
test_gone(void **state)
{
	struct server s = {0};

	(void)state;
	open_with_routes(&s, 20);
	s.now += 5000;
	learn_fpm_turn(s.fpm, s.now); // swept, of nothing
	assert_int_equal(s.rib->prefixes, 20);
	close(s.peer);
	await_end(&s);
	assert_true(learn_fpm_wait_ms(s.fpm, s.now) > 30000);
	s.now += 61000;
	turn(&s, 0);
	close_server(&s);
}

// What is no FPM ends the connection, and leaves what was said before.
static void
test_hostile(void **state)
{
	struct server s = {0};

	(void)state;
	open_server(&s);
	connect_peer(&s);
	send_routes(&s, 0, 3);
	assert_int_equal(write(s.peer, "GET / HTTP/1.0\r\n\r\n", 18), 18);
	turn(&s, 3);
	await_end(&s);
	assert_int_equal(s.told, 2);
	close_server(&s);
}

// ---- who may connect ---------------------------------------------------------------------------

#define NOBODY 65534

// What another user does with its connection; `told` says what the server has done first.
enum deed { STAYS, LEAVES, RESETS };

// A child of another user that connects, sends a route and then stays, or has gone by the time the
// server looks.
static pid_t
send_as(const struct server *s, uid_t user, uint32_t address, enum deed deed)
{
	const struct linger reset = {.l_onoff = 1};
	struct server own = *s;
	uint8_t bytes[200];
	uint32_t length = frame(bytes, address);
	int pipes[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		if (setgid(user) != 0 || setuid(user) != 0)
			_exit(1);
		connect_peer(&own);
		if (write(own.peer, bytes, length) != length)
			_exit(1);
		if (deed == RESETS)
			setsockopt(own.peer, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		if (deed != STAYS)
			close(own.peer);
		if (write(pipes[1], "x", 1) == 1 && deed == STAYS)
			pause();
		_exit(0);
	}
	assert_int_equal(read(pipes[0], &byte, 1), 1);
	close(pipes[0]);
	close(pipes[1]);
	return child;
}

// A child of another user that may connect: its route is the server's only one.
static pid_t
send_first_as(struct server *s, uid_t user)
{
	pid_t child = send_as(s, user, 0x0b000000, STAYS);

	turn(s, 1);
	return child;
}

static void
end(pid_t child)
{
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

// Neither the routes nor the connection of the one that may.
static void
test_other_users(void **state)
{
	struct server s = {0};

	(void)state;
	if (geteuid() != 0)
		skip();
	open_with_routes(&s, 3);
	for (enum deed deed = STAYS; deed <= RESETS; deed++) {
		pid_t child = send_as(&s, NOBODY, 0x0b000000, deed);

		pass_seconds(&s);
		assert_int_equal(s.rib->prefixes, 3);
		assert_true(learn_fpm_connected(s.fpm));
		assert_int_equal(learn_fpm_refused(s.fpm), deed + 1u);
		end(child);
	}
	// One line for all of them.
	assert_int_equal(s.told, 2);
	assert_non_null(strstr(s.last,
			       "FPM: a connection of user 65534 was refused (1 so far): only "
			       "root, this process's user and somebody may connect"));
	send_routes(&s, 10, 2);
	turn(&s, 5);
	close_server(&s);
}

static void
test_the_user_named(void **state)
{
	struct server s = {.user = NOBODY, .peer = -1};
	pid_t child;

	(void)state;
	if (geteuid() != 0)
		skip();
	open_server(&s);
	end(send_first_as(&s, NOBODY));
	await_end(&s);
	child = send_as(&s, NOBODY - 1, 0x0c000000, STAYS);
	learn_fpm_turn(s.fpm, s.now);
	assert_int_equal(learn_fpm_refused(s.fpm), 1);
	end(child);
	close_server(&s);
}

static void
test_anybody(void **state)
{
	struct server s = {.any = true, .peer = -1};

	(void)state;
	if (geteuid() != 0)
		skip();
	open_server(&s);
	end(send_first_as(&s, NOBODY));
	close_server(&s);
}

// By IPv6, and without inet_diag.
static void
test_how_users_are_found(void **state)
{
	static const struct {
		struct sockaddr_in6 at;
		int domain;
	} cases[] = {
		{{.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT}, AF_INET6},
		{{.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT}, AF_INET},
		{{.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT}, AF_INET6},
	};
	struct learn_peers peers, lists;

	(void)state;
	learn_peers_open(&peers);
	lists = peers;
	lists.diag = -1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sockaddr_in6 at = cases[i].at, ip6 = {.sin6_family = AF_INET6,
							     .sin6_addr = IN6ADDR_LOOPBACK_INIT};
		struct sockaddr_in ip4 = {.sin_family = AF_INET,
					  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
		int listener = socket(AF_INET6, SOCK_STREAM, 0), one, other;
		socklen_t size = sizeof(at);
		uid_t user = 77;

		assert_int_equal(bind(listener, (struct sockaddr *)&at, size), 0);
		assert_int_equal(listen(listener, 1), 0);
		assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &size), 0);
		ip4.sin_port = ip6.sin6_port = at.sin6_port;
		one = socket(cases[i].domain, SOCK_STREAM, 0);
		if (cases[i].domain == AF_INET)
			assert_int_equal(connect(one, (struct sockaddr *)&ip4, sizeof(ip4)), 0);
		else
			assert_int_equal(connect(one, (struct sockaddr *)&ip6, sizeof(ip6)), 0);
		other = accept(listener, NULL, NULL);
		assert_int_equal(learn_peers_user(&peers, other, &user), 0);
		assert_int_equal(user, geteuid());
		user = 77;
		assert_int_equal(learn_peers_user(&lists, other, &user), 0);
		assert_int_equal(user, geteuid());
		close(one);
		assert_int_equal(learn_peers_user(&peers, other, &user), -ENOENT);
		assert_int_equal(learn_peers_user(&lists, other, &user), -ENOENT);
		close(other);
		close(listener);
	}
	learn_peers_close(&peers);
}

// A connection that says nothing takes nothing away, until it would have anyway.
static void
test_silent(void **state)
{
	struct server s = {0};

	(void)state;
	open_with_routes(&s, 20);
	connect_peer(&s);
	pass_seconds(&s);
	assert_int_equal(s.rib->prefixes, 20);
	send_routes(&s, 0, 1);
	turn(&s, 20);
	s.now += 10000;
	for (unsigned i = 0; i < 1000 && s.rib->prefixes != 1; i++) {
		learn_fpm_turn(s.fpm, s.now += 10);
		usleep(1000);
	}
	assert_int_equal(s.rib->prefixes, 1);
	close_server(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_reconnect),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_other_users),
		cmocka_unit_test(test_the_user_named),
		cmocka_unit_test(test_anybody),
		cmocka_unit_test(test_how_users_are_found),
		cmocka_unit_test(test_silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
