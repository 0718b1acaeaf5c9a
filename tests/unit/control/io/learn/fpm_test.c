// SPDX-License-Identifier: BSD-3-Clause
#include "messages.h"

#include "control/io/learn/fpm.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>

static uint32_t taken;

static void
take(void *context, const struct nlmsghdr *message)
{
	static struct learn_message got;

	(void)context;
	assert_int_equal(learn_decode(message, &got), 0);
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
};

static void
count_told(void *context, const char *line)
{
	assert_non_null(strstr(line, "FPM: "));
	((struct server *)context)->told++;
}

static void
open_server(struct server *s)
{
	struct learn_fpm_options options = {.netns_fd = -1,
					    .epoll = epoll_create1(EPOLL_CLOEXEC),
					    .listen = &s->listen,
					    .notify = count_told,
					    .context = s};

	*s = (struct server){.listen = {.version = 4, .address = {127, 0, 0, 1}}, .now = 1000};
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
	struct server s;

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
	struct server s;

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
	struct server s;

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),    cmocka_unit_test(test_refused),
		cmocka_unit_test(test_reconnect), cmocka_unit_test(test_gone),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
