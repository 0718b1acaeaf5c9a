// SPDX-License-Identifier: BSD-3-Clause
// Two programs at h1 and h2, one of them the subnet manager, whose messages are written out here.
#include "control/mad/umad2sim.h"

#include "small_subnet.h"

#include <endian.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct bed {
	struct agents agents;
	struct umad umad;
	unsigned sent, receiver, opened, closed;
	unsigned in_use; // programs below have sockets of others
	uint8_t last[UMAD_PACKET_BYTES];
};

static int
open_way(void *context, unsigned program, uint32_t id)
{
	struct bed *b = context;

	(void)id;
	if (program < b->in_use)
		return -EADDRINUSE;
	b->opened++;
	return 0;
}

static void
close_way(void *context, unsigned program)
{
	struct bed *b = context;

	(void)program;
	b->closed++;
}

static void
keep(void *context, unsigned program, const uint8_t packet[UMAD_PACKET_BYTES])
{
	struct bed *b = context;

	b->sent++;
	b->receiver = program;
	memcpy(b->last, packet, UMAD_PACKET_BYTES);
}

// A control message: magic, the program, the type, the length; then data. Returns the answer's
// type.
static uint32_t
control(struct bed *b, uint32_t program, uint32_t type, uint8_t data[64])
{
	uint32_t words[4] = {0xdeadbeef, program, type, 64};
	uint8_t message[UMAD_CONTROL_BYTES];

	memcpy(message, words, 16);
	memcpy(message + 16, data, 64);
	assert_true(umad_control(&b->umad, message));
	memcpy(words, message, 16);
	memcpy(data, message + 16, 64);
	return words[2];
}

static uint32_t
connect_at(struct bed *b, const char *node, uint32_t *number)
{
	uint8_t data[64] = {0};
	uint32_t type;

	strncpy((char *)data + 12, node, 32);
	type = control(b, 0, 1, data);
	memcpy(number, data, sizeof(*number));
	return type;
}

static void
set_up(struct bed *b)
{
	uint32_t number;

	*b = (struct bed){.agents = make_subnet()};
	b->umad = (struct umad){.agents = &b->agents, .first = H1, .context = b};
	b->umad.open = open_way;
	b->umad.close = close_way;
	b->umad.send = keep;
	bring_up(&b->agents);
	assert_int_equal(connect_at(b, "", &number), 1);
	assert_int_equal(number, 0);
	assert_int_equal(connect_at(b, "h2", &number), 1);
	assert_int_equal(number, 1);
	assert_int_equal(b->umad.programs[0].place.node, H1);
	assert_int_equal(b->umad.programs[1].place.node, H2);
}

static void
send_mad(struct bed *b, unsigned program, uint16_t lid, const uint8_t *mad)
{
	uint8_t packet[UMAD_PACKET_BYTES] = {0};

	mad_put16(packet, lid);
	packet[8] = 0xaa; // a queue pair's number
	memcpy(packet + 32, mad, MAD_BYTES);
	umad_packet(&b->umad, program, packet);
}

static void
test_control(void **state)
{
	struct bed b;
	uint8_t data[64] = {0};
	uint32_t number;

	(void)state;
	set_up(&b);
	assert_int_equal(connect_at(&b, "h9", &number), 0);           // an error
	assert_int_equal(control(&b, 7, 3, data), 0);                 // not connected
	assert_int_equal(control(&b, UMAD_PROGRAMS_MAX, 3, data), 0); // nor possible
	assert_int_equal(control(&b, 0, 11, data), 0);                // no such type
	assert_int_equal(control(&b, 0, 3, data), 3);
	assert_int_equal(data[0] | data[1] << 8, htole16(LID_H1));
	assert_int_equal(control(&b, 0, 7, data), 7);
	assert_int_equal(data[2], AGENT_HOST); // NodeInfo
	assert_int_equal(control(&b, 0, 8, data), 8);
	assert_int_equal(mad_get16(data + 16), LID_H1); // PortInfo
	assert_int_equal(control(&b, 0, 10, data), 10);
	assert_int_equal(mad_get16(data), 0xffff);
	assert_int_equal(control(&b, 0, 5, data), 5);
	assert_int_equal(mad_get64(data), UINT64_C(0xfe80000000000000));
	assert_int_equal(mad_get64(data + 8), b.agents.nodes[H1].guid);

	memset(data, 0, sizeof(data));
	data[0] = 1;
	assert_int_equal(control(&b, 1, 9, data), 9);
	assert_int_equal(mad_get32(b.agents.nodes[H2].ports[1].info + 20) & 2, 2); // IsSM
	assert_int_equal(control(&b, 1, 2, data), 2);
	assert_int_equal(mad_get32(b.agents.nodes[H2].ports[1].info + 20) & 2, 0);
	assert_int_equal(b.closed, 1);
	agents_free(&b.agents);
}

static void
test_bad_messages(void **state)
{
	uint8_t message[UMAD_CONTROL_BYTES] = {0}, mad[MAD_BYTES] = {0};
	struct bed b;
	uint32_t number = 0;

	(void)state;
	set_up(&b);
	assert_false(umad_control(&b.umad, message));
	send_mad(&b, 0, LID_H2, mad); // its version is 0
	assert_int_equal(b.sent, 0);
	for (unsigned i = 2; i < UMAD_PROGRAMS_MAX; i++)
		assert_int_equal(connect_at(&b, "h1", &number), 1);
	assert_int_equal(connect_at(&b, "h1", &number), 0); // no more
	agents_free(&b.agents);
}

static void
test_agent_answers(void **state)
{
	uint8_t mad[MAD_BYTES];
	struct bed b;

	(void)state;
	set_up(&b);
	make_request(mad, MAD_CLASS_PERFORMANCE, MAD_GET, MAD_CLASS_PORT_INFO, 0);
	send_mad(&b, 0, LID_LEAF2, mad);
	assert_int_equal(b.sent, 1);
	assert_int_equal(b.receiver, 0);
	assert_int_equal(mad_get16(b.last), LID_H1);        // destination
	assert_int_equal(mad_get16(b.last + 4), LID_LEAF2); // source
	assert_int_equal(b.last[12], 0xaa);                 // the queue pair asked
	assert_int_equal(b.last[32 + MAD_AT_METHOD], MAD_GET_RESPONSE);
	assert_int_equal(mad_get64(b.last + 24), MAD_BYTES);

	// leaf2 does not know the way back.
	b.agents.nodes[LEAF2].lft[LID_H1] = 255;
	send_mad(&b, 0, LID_LEAF2, mad);
	assert_int_equal(mad_get32(b.last + 16), 110);
	send_mad(&b, 0, 99, mad);
	assert_int_equal(b.sent, 3);
	assert_int_equal(mad_get32(b.last + 16), 110);
	agents_free(&b.agents);
}

static void
make_manager(struct bed *b, uint32_t program)
{
	uint8_t data[64] = {1};

	assert_int_equal(control(b, program, 9, data), 9);
}

// h2's program asks the manager at h1, which answers.
static void
test_programs_talk(void **state)
{
	uint8_t mad[MAD_BYTES];
	struct bed b;

	(void)state;
	set_up(&b);
	make_request(mad, MAD_CLASS_ADMINISTRATION, MAD_GET, 0x35, 0);
	send_mad(&b, 1, LID_H1, mad);
	assert_int_equal(mad_get32(b.last + 16), 110); // there is none yet
	make_manager(&b, 0);
	send_mad(&b, 1, LID_H1, mad);
	assert_int_equal(b.receiver, 0);
	assert_int_equal(mad_get16(b.last + 4), LID_H2);
	memcpy(mad, b.last + 32, MAD_BYTES);
	mad[MAD_AT_METHOD] |= MAD_RESPONSE;
	send_mad(&b, 0, LID_H2, mad);
	assert_int_equal(b.sent, 3);
	assert_int_equal(b.receiver, 1);
	assert_int_equal(b.last[32 + MAD_AT_METHOD], MAD_GET_RESPONSE);
	// The part of the transaction's number that is the program's own.
	assert_int_equal(mad_get32(b.last + 32 + MAD_AT_TRANSACTION + 4), 0x12345678);
	assert_int_equal(mad_get16(b.last + 32 + MAD_AT_TRANSACTION + 2), 5);
	agents_free(&b.agents);
}

// Other classes are not for it, and would end it.
static void
test_manager_gets_its_classes(void **state)
{
	static const struct {
		uint8_t class, method;
		uint16_t attribute;
		bool passed;
	} cases[] = {
		{MAD_CLASS_SUBNET, MAD_GET, MAD_SM_INFO, true},
		{MAD_CLASS_SUBNET, MAD_TRAP, MAD_NOTICE, true},
		{MAD_CLASS_ADMINISTRATION, MAD_GET, 0x35, true},
		{0x32, MAD_GET, 1, false}, // ibping
		{0x07, MAD_GET, 1, false},
		{MAD_CLASS_PERFORMANCE, MAD_TRAP, MAD_NOTICE, false},
	};
	uint8_t mad[MAD_BYTES];
	struct bed b;

	(void)state;
	set_up(&b);
	make_manager(&b, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make_request(mad, cases[i].class, cases[i].method, cases[i].attribute, 0);
		send_mad(&b, 1, LID_H1, mad);
		assert_int_equal(b.sent, i + 1);
		assert_int_equal(b.receiver, cases[i].passed ? 0 : 1);
		assert_int_equal(mad_get32(b.last + 16), cases[i].passed ? 0 : 110);
	}
	agents_free(&b.agents);
}

// Nor is a response that cannot be delivered returned.
static void
test_late_answers_are_lost(void **state)
{
	uint8_t mad[MAD_BYTES], data[64] = {0};
	uint32_t number;
	struct bed b;

	(void)state;
	set_up(&b);
	make_manager(&b, 0);
	make_request(mad, MAD_CLASS_ADMINISTRATION, MAD_GET, 0x35, 0);
	send_mad(&b, 1, LID_H1, mad);
	memcpy(mad, b.last + 32, MAD_BYTES);
	mad[MAD_AT_METHOD] |= MAD_RESPONSE;
	assert_int_equal(b.sent, 1);
	assert_int_equal(control(&b, 1, 2, data), 2);
	assert_int_equal(connect_at(&b, "h2", &number), 1);
	assert_int_equal(number, 1);
	send_mad(&b, 0, LID_H2, mad); // for the program that has ended
	send_mad(&b, 0, 99, mad);
	assert_int_equal(b.sent, 1);
	agents_free(&b.agents);
}

// IsSM goes when the last manager of a host ends.
static void
test_two_managers(void **state)
{
	const uint8_t *info;
	uint8_t data[64] = {0};
	uint32_t number;
	struct bed b;

	(void)state;
	set_up(&b);
	info = b.agents.nodes[H1].ports[1].info;
	assert_int_equal(connect_at(&b, "h1", &number), 1);
	make_manager(&b, 0);
	make_manager(&b, number);
	assert_int_equal(control(&b, number, 2, data), 2);
	assert_int_equal(mad_get32(info + 20) & 2, 2);
	assert_int_equal(control(&b, 0, 2, data), 2);
	assert_int_equal(mad_get32(info + 20) & 2, 0);
	agents_free(&b.agents);
}

static void
test_socket_in_use(void **state)
{
	uint32_t number;
	struct bed b;

	(void)state;
	set_up(&b);
	b.in_use = 5;
	assert_int_equal(connect_at(&b, "h1", &number), 1);
	assert_int_equal(number, 5);
	b.in_use = UMAD_PROGRAMS_MAX;
	assert_int_equal(connect_at(&b, "h1", &number), 0);
	agents_free(&b.agents);
}

static void
test_traps(void **state)
{
	uint8_t mad[MAD_BYTES];
	struct bed b;

	(void)state;
	set_up(&b);
	make_manager(&b, 0);
	umad_send_traps(&b.umad);
	assert_int_equal(b.sent, 0);
	agents_link_changed(&b.agents, (struct agent_place){LEAF1, 2}, false);
	umad_send_traps(&b.umad);
	assert_int_equal(b.sent, 1); // the spine's does not come through
	assert_int_equal(mad_get16(b.last), LID_H1);
	assert_int_equal(mad_get16(b.last + 4), LID_LEAF1);
	assert_int_equal(b.last[32 + MAD_AT_METHOD], MAD_TRAP);
	umad_send_traps(&b.umad);
	assert_int_equal(b.sent, 2); // nobody has said that it came
	make_request(mad, MAD_CLASS_SUBNET, MAD_TRAP_REPRESS, MAD_NOTICE, 0);
	send_mad(&b, 0, LID_LEAF1, mad);
	umad_send_traps(&b.umad);
	assert_int_equal(b.sent, 2);
	agents_free(&b.agents);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_control),
		cmocka_unit_test(test_bad_messages),
		cmocka_unit_test(test_agent_answers),
		cmocka_unit_test(test_programs_talk),
		cmocka_unit_test(test_traps),
		cmocka_unit_test(test_manager_gets_its_classes),
		cmocka_unit_test(test_late_answers_are_lost),
		cmocka_unit_test(test_two_managers),
		cmocka_unit_test(test_socket_in_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
