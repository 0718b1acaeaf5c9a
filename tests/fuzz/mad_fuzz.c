// SPDX-License-Identifier: BSD-3-Clause
// Any messages of programs to a small subnet: control messages and packets with MADs. Nothing is
// read or written outside of them, tables that lead in circles end, and every packet causes at most
// one.
//
// Input: records of a byte and a message. The byte's lowest bits say of which program a packet is,
// or 7: a control message. Then the length of what follows, and bytes that replace the beginning of
// a valid message; a second byte says where.
#include "require.h"

#include "control/mad/umad2sim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned sent;

static int
open_way(void *context, unsigned program, uint32_t id)
{
	(void)context;
	(void)id;
	require(program < UMAD_PROGRAMS_MAX);
	return 0;
}

static void
close_way(void *context, unsigned program)
{
	(void)context;
	require(program < UMAD_PROGRAMS_MAX);
}

static void
count(void *context, unsigned program, const uint8_t packet[UMAD_PACKET_BYTES])
{
	const struct umad *umad = context;

	require(umad->programs[program].connected);
	require(packet[32 + MAD_AT_BASE] == 1);
	sent++;
}

static struct agents
make_subnet(void)
{
	// Tables of more than one MAD.
	static const struct agent_lanes lanes = {.of_level = {7}, .counts = {64, 40}, .limit = 9};
	struct agents a = {0};

	agents_add(&a, "leaf1", AGENT_SWITCH, 4);
	agents_add(&a, "leaf2", AGENT_SWITCH, 9);
	agents_add(&a, "h1", AGENT_HOST, 2);
	agents_add(&a, "h2", AGENT_HOST, 0);
	agents_connect(&a, (struct agent_place){0, 1}, (struct agent_place){1, 9},
		       UINT64_C(100000000000));
	agents_connect(&a, (struct agent_place){0, 2}, (struct agent_place){1, 3}, 0);
	agents_connect(&a, (struct agent_place){0, 3}, (struct agent_place){2, 1}, UINT64_MAX);
	agents_set_lid(&a, (struct agent_place){0, 0}, 1);
	agents_set_lid(&a, (struct agent_place){1, 0}, 2);
	agents_set_lid(&a, (struct agent_place){2, 1}, 3);
	agent_set_lanes(&a.nodes[1], 9, &lanes);
	agents_set_partition(&a, (struct agent_place){2, 1}, 0x8001);
	return a;
}

static void
control(struct umad *umad, const uint8_t *bytes, size_t count_bytes, size_t where)
{
	uint8_t message[UMAD_CONTROL_BYTES] = {0};
	const uint32_t words[3] = {0xdeadbeef, 0, 1};

	memcpy(message, words, sizeof(words));
	memcpy(message + 28, "h1", 3);
	for (size_t i = 0; i < count_bytes && where + i < sizeof(message); i++)
		message[where + i] = bytes[i];
	umad_control(umad, message);
}

static void
packet(struct umad *umad, unsigned program, const uint8_t *bytes, size_t count_bytes, size_t where)
{
	uint8_t message[UMAD_PACKET_BYTES] = {0};
	const unsigned before = sent;

	message[32 + MAD_AT_BASE] = 1;
	message[32 + MAD_AT_CLASS] = MAD_CLASS_SUBNET_DIRECTED;
	message[32 + MAD_AT_METHOD] = MAD_SET;
	memset(message + 32 + MAD_AT_DIRECTED_SOURCE, 0xff, 4);
	for (size_t i = 0; i < count_bytes && where + i < sizeof(message); i++)
		message[where + i] = bytes[i];
	if (umad->programs[program].connected)
		umad_packet(umad, program, message);
	require(sent <= before + 1);
}

// Whatever has been set, the comparisons with the fabric end.
static void
compare(const struct agents *agents)
{
	struct agent_difference found;

	agents_compare_levels(agents, &found);
	require(found.nodes <= agents->count);
	agents_compare_partitions(agents, &found);
	require(found.nodes <= agents->count);
	for (uint32_t n = 0; n < agents->count; n++)
		require(agent_common_arbitration(&agents->nodes[n]) <= agents->nodes[n].port_count);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct agents agents = make_subnet();
	struct umad umad = {.agents = &agents, .first = 2, .context = &umad};
	size_t at = 0;

	umad.open = open_way;
	umad.close = close_way;
	umad.send = count;
	while (at + 3 <= size) {
		const unsigned what = data[at] & 7;
		const size_t where = data[at + 1] + (data[at] & 8 ? 32u : 0);
		size_t length = data[at + 2];

		at += 3;
		if (length > size - at)
			length = size - at;
		if (what == 7)
			control(&umad, data + at, length, where);
		else
			packet(&umad, what, data + at, length, where);
		at += length;
	}
	umad_send_traps(&umad);
	compare(&agents);
	agents_free(&agents);
	return 0;
}
