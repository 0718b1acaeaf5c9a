// SPDX-License-Identifier: BSD-3-Clause
// PortInfo: LIDs, states, and what a link can do (section 14.2.5.6).
#include "answer_mad.h"

// What a Set says of the states; 0: nothing changes.
struct wanted {
	unsigned state, link;
};

static bool
has_link(const struct agent_port *port)
{
	return port->peer_node != AGENT_NONE;
}

// ARMED follows INIT and ACTIVE follows ARMED; what is not up cannot be either. DOWN starts over.
static bool
is_allowed(const struct agent_port *port, struct wanted wanted)
{
	const unsigned now = agent_port_state(port);

	if (wanted.link != 0 && wanted.link != AGENT_LINK_POLLING &&
	    wanted.link != AGENT_LINK_DISABLED && wanted.link != 1) // sleep
		return false;
	if (wanted.state == 0 || wanted.state == AGENT_DOWN)
		return true;
	if (now == AGENT_DOWN)
		return false;
	return wanted.state == now || (wanted.state == AGENT_ARMED && now == AGENT_INIT) ||
	       (wanted.state == AGENT_ACTIVE && now == AGENT_ARMED);
}

// The link trains anew: it comes up again in INIT, at both ends.
static void
retrain(struct agents *agents, struct agent_place at)
{
	agents_link_changed(agents, at, false);
	agents_link_changed(agents, at, true);
}

static void
set_states(struct agents *agents, struct agent_place at, struct wanted wanted)
{
	struct agent_port *port = &agents->nodes[at.node].ports[at.port];
	const struct agent_hooks *hooks = &agents->hooks;

	if (!has_link(port))
		return;
	if (wanted.link == AGENT_LINK_DISABLED) {
		agents_link_changed(agents, at, false);
		mad_put_high(port->info + 33, AGENT_LINK_DISABLED);
		if (hooks->set_link != NULL)
			hooks->set_link(hooks->context, at.node, at.port, false);
	} else if (wanted.link != 0 && agent_port_link(port) == AGENT_LINK_DISABLED) {
		mad_put_high(port->info + 33, AGENT_LINK_POLLING);
		agents_link_changed(agents, at, true);
		if (hooks->set_link != NULL)
			hooks->set_link(hooks->context, at.node, at.port, true);
	} else if (wanted.link != 0 || wanted.state == AGENT_DOWN) {
		if (agent_port_link(port) == AGENT_LINK_UP)
			retrain(agents, at);
	} else if (wanted.state != 0) {
		mad_put_low(port->info + 32, wanted.state);
	}
}

// A switch has LID, prefix and the rest of the manager's at port 0 alone; its other ports only have
// what is of the link.
static void
copy_settings(struct agent_port *port, const uint8_t *data)
{
	uint8_t *info = port->info;

	memcpy(info, data, 20); // M_Key, prefix, LID, the manager's LID
	memcpy(info + 26, data + 26, 2);
	info[29] = data[29];
	mad_put_low(info + 33, data[33]);
	info[34] = data[34] & 0xc0;
	mad_put_low(info + 35, data[35]);
	info[36] = data[36];
	info[MAD_PORT_INFO_HIGH_LIMIT] = data[MAD_PORT_INFO_HIGH_LIMIT];
	info[42] = data[42];
	info[MAD_PORT_INFO_OPERATIONAL_VLS] = data[MAD_PORT_INFO_OPERATIONAL_VLS];
	memset(info + 44, 0, 6);               // violations: any value clears them
	info[51] = (uint8_t)(data[51] & 0x1f); // ClientReregister is for programs, and not kept
	info[53] = data[53];
	info[63] = data[63];
}

static bool
is_valid(const struct agent_port *port, const uint8_t *data, struct wanted wanted)
{
	return mad_get16(data + 16) <= MAD_LID_MAX && mad_get16(data + 18) <= MAD_LID_MAX &&
	       (data[34] & 7) == 0 && // LMC: a port has one LID
	       data[MAD_PORT_INFO_OPERATIONAL_VLS] >> 4 <= port->info[MAD_PORT_INFO_VL_CAP] >> 4 &&
	       data[36] >> 4 <= (port->info[41] & 0x0f) && // NeighborMTU
	       is_allowed(port, wanted);
}

// Tables say by LIDs where to send: with another one, they send somewhere else.
static void
note_lid(struct agents *agents)
{
	agents->changes++;
	for (uint32_t n = 0; n < agents->count; n++)
		agents->nodes[n].changed |= agents->nodes[n].managed;
}

// The modifier's low byte is the port. Bit 31 says that the manager knows extended speeds.
uint16_t
mad_port_info(struct agents *agents, const struct mad_request *r)
{
	const struct agent *node = r->node;
	const bool host = node->kind == AGENT_HOST;
	const uint8_t asked = r->modifier & 0xff, number = host && asked == 0 ? r->at.port : asked;
	const struct wanted wanted = {r->data[32] & 0x0f, r->data[33] >> 4};
	struct agent_port *port;

	if (number > node->port_count)
		return MAD_BAD_VALUE;
	port = &node->ports[number];
	if (r->set) {
		if (!is_valid(port, r->data, wanted) || (host && number != r->at.port))
			return MAD_BAD_VALUE;
		if ((host || number == 0) && mad_get16(r->data + 16) != agent_lid(port))
			note_lid(agents);
		if (r->data[MAD_PORT_INFO_HIGH_LIMIT] != port->info[MAD_PORT_INFO_HIGH_LIMIT])
			agents_note_arbitration(agents, r->node, port);
		copy_settings(port, r->data);
		if (number != 0)
			set_states(agents, (struct agent_place){r->at.node, number}, wanted);
	}
	memcpy(r->data, port->info, MAD_DATA_BYTES);
	r->data[28] = r->at.port;
	return MAD_OK;
}
