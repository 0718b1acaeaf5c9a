// SPDX-License-Identifier: BSD-3-Clause
#include "umad2sim.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>

#define MAGIC UINT32_C(0xdeadbeef)
#define STATUS_TIMEOUT 110 // ETIMEDOUT, as Linux numbers it
#define NUMBER_BITS 6      // of UMAD_PROGRAMS_MAX
#define GENERATIONS (1u << (16 - NUMBER_BITS))

// A control message.
struct control {
	uint32_t magic, program, type, length;
	uint8_t data[64];
};

enum control_type {
	CONTROL_ERROR,
	CONTROL_CONNECT,
	CONTROL_DISCONNECT,
	CONTROL_GET_PORT,
	CONTROL_GET_VENDOR,
	CONTROL_GET_GID,
	CONTROL_GET_GUID,
	CONTROL_GET_NODE_INFO,
	CONTROL_GET_PORT_INFO,
	CONTROL_SET_MANAGER,
	CONTROL_GET_PARTITIONS,
};

// The data of CONTROL_CONNECT.
struct connect_data {
	uint32_t id, queue_pair, manager;
	char node[32];
};

// A packet: LIDs and numbers of queue pairs are in network byte order.
struct packet {
	uint32_t destination, source, destination_qp, source_qp, status;
	uint32_t hole;
	uint64_t length;
	uint8_t mad[MAD_BYTES];
};

_Static_assert(sizeof(struct control) == UMAD_CONTROL_BYTES, "a control message");
_Static_assert(sizeof(struct packet) == UMAD_PACKET_BYTES, "a packet");
_Static_assert(offsetof(struct packet, mad) == UMAD_AT_MAD, "a packet's MAD");
_Static_assert(UMAD_PROGRAMS_MAX == 1 << NUMBER_BITS, "numbers of programs");

// ---- control messages ---------------------------------------------------------------------------

// The first port of a host, or a switch's own.
static struct agent_place
place_of(const struct agents *agents, uint32_t node)
{
	return (struct agent_place){node, agents->nodes[node].kind == AGENT_HOST ? 1 : 0};
}

// Opens the way to a program by the first free number whose socket can be opened. Returns the
// number, or UMAD_PROGRAMS_MAX.
static unsigned
open_program(struct umad *umad, uint32_t id)
{
	for (unsigned i = 0; i < UMAD_PROGRAMS_MAX; i++) {
		int rc = umad->programs[i].connected ? -EADDRINUSE
						     : umad->open(umad->context, i, id);

		if (rc != -EADDRINUSE)
			return rc == 0 ? i : UMAD_PROGRAMS_MAX;
	}
	return UMAD_PROGRAMS_MAX;
}

static bool
connect_program(struct umad *umad, struct control *control)
{
	struct connect_data data;
	uint32_t node = umad->first;
	struct umad_program *program;
	unsigned number;

	memcpy(&data, control->data, sizeof(data));
	data.node[sizeof(data.node) - 1] = '\0';
	if (data.node[0] != '\0')
		node = agents_find(umad->agents, data.node);
	if (node == AGENT_NONE || umad->agents->nodes[node].port_count == 0)
		return false;
	number = open_program(umad, data.id);
	if (number == UMAD_PROGRAMS_MAX)
		return false;
	program = &umad->programs[number];
	*program = (struct umad_program){
		.connected = true,
		.place = place_of(umad->agents, node),
		.generation = (uint16_t)(program->generation % (GENERATIONS - 1) + 1)};
	data.id = number;
	snprintf(data.node, sizeof(data.node), "%.31s", umad->agents->nodes[node].name);
	memcpy(control->data, &data, sizeof(data));
	return true;
}

// An attribute of the node that a program is at, as its agent answers it.
static void
get(struct umad *umad, const struct umad_program *program, uint16_t attribute, uint8_t data[64])
{
	uint8_t mad[MAD_BYTES] = {1, MAD_CLASS_SUBNET, 1, MAD_GET};

	mad_put16(mad + MAD_AT_ATTRIBUTE, attribute);
	agents_answer(umad->agents, program->place, mad);
	memcpy(data, mad + MAD_DATA, 64);
}

static void
get_port(struct umad *umad, const struct umad_program *program, uint8_t data[64])
{
	const struct agent_port *port = agents_owner(umad->agents, program->place);
	const uint16_t lid = agent_lid(port);

	memcpy(data, &lid, sizeof(lid));
	data[sizeof(lid)] = (uint8_t)agent_port_state(port);
}

static void
get_vendor(struct umad *umad, const struct umad_program *program, uint8_t data[64])
{
	const uint64_t firmware = 1;
	uint8_t info[64];
	uint32_t words[3];

	get(umad, program, MAD_NODE_INFO, info);
	words[0] = mad_get32(info + 36) & 0xffffff;
	words[1] = mad_get16(info + 30);
	words[2] = mad_get32(info + 32);
	memcpy(data, words, sizeof(words));
	memcpy(data + 16, &firmware, sizeof(firmware));
}

static void
get_gid(struct umad *umad, const struct umad_program *program, uint8_t data[64])
{
	memcpy(data, agents_owner(umad->agents, program->place)->info + 8, 8);
	mad_put64(data + 8, umad->agents->nodes[program->place.node].guid);
}

// The program of that node which is a subnet manager: the first, or UMAD_PROGRAMS_MAX.
static unsigned
find_manager(const struct umad *umad, uint32_t node)
{
	unsigned i = 0;

	while (i < UMAD_PROGRAMS_MAX &&
	       !(umad->programs[i].connected && umad->programs[i].manager &&
		 umad->programs[i].place.node == node))
		i++;
	return i;
}

// A node has a manager until the last of its programs that are managers ends.
static void
set_manager(struct umad *umad, unsigned number, bool manager)
{
	struct umad_program *program = &umad->programs[number];

	program->manager = manager;
	agents_set_manager(umad->agents, program->place,
			   find_manager(umad, program->place.node) != UMAD_PROGRAMS_MAX);
}

static void
answer_control(struct umad *umad, unsigned number, struct control *control)
{
	const struct umad_program *program = &umad->programs[number];
	uint8_t *data = control->data;
	uint32_t on;

	switch (control->type) {
	case CONTROL_DISCONNECT:
		umad_forget(umad, number);
		break;
	case CONTROL_GET_PORT:
		get_port(umad, program, data);
		break;
	case CONTROL_GET_VENDOR:
		get_vendor(umad, program, data);
		break;
	case CONTROL_GET_GID:
		get_gid(umad, program, data);
		break;
	case CONTROL_GET_GUID:
		mad_put64(data, umad->agents->nodes[program->place.node].guid);
		break;
	case CONTROL_GET_NODE_INFO:
		get(umad, program, MAD_NODE_INFO, data);
		break;
	case CONTROL_GET_PORT_INFO:
		get(umad, program, MAD_PORT_INFO, data);
		break;
	case CONTROL_SET_MANAGER:
		memcpy(&on, data, sizeof(on));
		set_manager(umad, number, on != 0);
		break;
	case CONTROL_GET_PARTITIONS:
		get(umad, program, MAD_PARTITIONS, data);
		break;
	default:
		control->type = CONTROL_ERROR;
	}
}

bool
umad_control(struct umad *umad, uint8_t message[static UMAD_CONTROL_BYTES])
{
	struct control control;

	memcpy(&control, message, sizeof(control));
	if (control.magic != MAGIC)
		return false;
	if (control.type == CONTROL_CONNECT) {
		if (!connect_program(umad, &control))
			control.type = CONTROL_ERROR;
	} else if (control.program < UMAD_PROGRAMS_MAX &&
		   umad->programs[control.program].connected) {
		answer_control(umad, control.program, &control);
	} else {
		control.type = CONTROL_ERROR;
	}
	memcpy(message, &control, sizeof(control));
	return true;
}

void
umad_forget(struct umad *umad, unsigned number)
{
	struct umad_program *program = &umad->programs[number];

	if (!program->connected)
		return;
	if (program->manager)
		set_manager(umad, number, false);
	program->connected = false;
	umad->close(umad->context, number);
}

// ---- packets ------------------------------------------------------------------------------------

static void
send_packet(struct umad *umad, unsigned number, const struct packet *packet)
{
	umad->send(umad->context, number, (const uint8_t *)packet);
}

// The program that asked something is in the upper bits of the transaction's number, which programs
// leave to those who pass packets on: its number, and its generation, so that a late answer does
// not reach the next program of that number.
static uint16_t
asker_of(const struct umad *umad, unsigned number)
{
	return (uint16_t)(umad->programs[number].generation << NUMBER_BITS | number);
}

static void
note_asker(const struct umad *umad, uint8_t *mad, unsigned number)
{
	mad_put16(mad + MAD_AT_TRANSACTION, asker_of(umad, number));
}

// Whether a subnet manager registers for such MADs. libumad2sim ends a program that gets one of a
// class for which it has not registered.
static bool
is_for_manager(const uint8_t *mad)
{
	return mad[MAD_AT_CLASS] == MAD_CLASS_ADMINISTRATION ||
	       (mad_is_subnet(mad) && (mad[MAD_AT_METHOD] == MAD_TRAP ||
				       mad_get16(mad + MAD_AT_ATTRIBUTE) == MAD_SM_INFO));
}

// The program at a place that a MAD is for: the one that asked, or the subnet manager. Returns its
// number, or UMAD_PROGRAMS_MAX.
static unsigned
find_receiver(const struct umad *umad, struct agent_place at, const uint8_t *mad)
{
	const uint16_t asker = mad_get16(mad + MAD_AT_TRANSACTION);
	const unsigned number = asker % UMAD_PROGRAMS_MAX;
	const struct umad_program *program = &umad->programs[number];

	if (!is_for_manager(mad))
		return UMAD_PROGRAMS_MAX;
	if (!mad_is_response(mad))
		return find_manager(umad, at.node);
	return program->connected && program->place.node == at.node &&
			       asker_of(umad, number) == asker
		       ? number
		       : UMAD_PROGRAMS_MAX;
}

static void
swap(uint32_t *a, uint32_t *b)
{
	const uint32_t kept = *a;

	*a = *b;
	*b = kept;
}

static void
return_unanswered(struct umad *umad, unsigned number, struct packet *packet)
{
	packet->status = htobe32(STATUS_TIMEOUT);
	send_packet(umad, number, packet);
}

// The answer goes back as its question came; by LIDs, there must be a way back.
static void
return_answer(struct umad *umad, unsigned number, struct agent_place at, struct packet *packet)
{
	const uint16_t lid = be16toh((uint16_t)packet->source);
	struct agent_place back;

	if (packet->mad[MAD_AT_CLASS] != MAD_CLASS_SUBNET_DIRECTED && lid != 0 &&
	    lid != MAD_LID_PERMISSIVE &&
	    (agents_route(umad->agents, at, lid, packet->mad, &back) != 0 ||
	     back.node != umad->programs[number].place.node)) {
		return_unanswered(umad, number, packet);
		return;
	}
	swap(&packet->destination, &packet->source);
	swap(&packet->destination_qp, &packet->source_qp);
	packet->status = 0;
	send_packet(umad, number, packet);
}

void
umad_packet(struct umad *umad, unsigned number, uint8_t bytes[static UMAD_PACKET_BYTES])
{
	const struct umad_program *program = &umad->programs[number];
	struct agent_place at;
	struct packet packet;
	unsigned receiver;

	memcpy(&packet, bytes, sizeof(packet));
	if (packet.mad[MAD_AT_BASE] != 1 || packet.mad[MAD_AT_VERSION] > 2)
		return;
	if (packet.mad[MAD_AT_METHOD] == MAD_TRAP_REPRESS) {
		agents_repress_trap(umad->agents, be16toh((uint16_t)packet.destination));
		return;
	}
	if (packet.source == 0)
		packet.source = htobe16(agent_lid(agents_owner(umad->agents, program->place)));
	packet.length = htobe64(MAD_BYTES);
	if (agents_route(umad->agents, program->place, be16toh((uint16_t)packet.destination),
			 packet.mad, &at) != 0) {
		if (!mad_is_response(packet.mad))
			return_unanswered(umad, number, &packet);
		return;
	}
	if (agents_answer(umad->agents, at, packet.mad)) {
		return_answer(umad, number, at, &packet);
		return;
	}
	receiver = find_receiver(umad, at, packet.mad);
	if (receiver == UMAD_PROGRAMS_MAX) {
		if (!mad_is_response(packet.mad))
			return_unanswered(umad, number, &packet);
		return;
	}
	if (!mad_is_response(packet.mad))
		note_asker(umad, packet.mad, number);
	send_packet(umad, receiver, &packet);
}

// ---- traps --------------------------------------------------------------------------------------

static void
send_trap(struct umad *umad, uint32_t node)
{
	const struct agent_port *port = &umad->agents->nodes[node].ports[0];
	struct packet packet = {.length = htobe64(MAD_BYTES)};
	struct agent_place at;
	unsigned receiver;

	if (!agents_make_trap(umad->agents, node, packet.mad) ||
	    agents_route(umad->agents, (struct agent_place){node, 0}, agent_sm_lid(port),
			 packet.mad, &at) != 0)
		return;
	packet.destination = htobe16(agent_sm_lid(port));
	packet.source = htobe16(agent_lid(port));
	receiver = find_receiver(umad, at, packet.mad);
	if (receiver != UMAD_PROGRAMS_MAX)
		send_packet(umad, receiver, &packet);
}

void
umad_send_traps(struct umad *umad)
{
	for (uint32_t n = 0; n < umad->agents->count; n++)
		if (umad->agents->nodes[n].kind == AGENT_SWITCH &&
		    umad->agents->nodes[n].ports[0].trap_due)
			send_trap(umad, n);
}
