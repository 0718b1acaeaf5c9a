// SPDX-License-Identifier: BSD-3-Clause
// Credits on a node's links: which lanes there are, how large the receive buffer of each is at
// every port, and what the far end grants. A lane is a traffic class of switches, so
// `priority-to-tc` is InfiniBand's map of service levels to virtual lanes. Lanes take the place of
// priority groups: what a lane may hold is reserved for it, and nothing is shared.
#include "build_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define MOST_INFINIBAND 2048 // half of what 12 bits count
#define MOST_CBFC 0xfffff    // 20 bits
#define MASK_INFINIBAND 0xfff
#define MASK_CBFC 0xfffff
#define RESEND_BYTES 262144 // 65,536 symbol times of four lanes; CBFC's largest spacing

// What is on its way in a round trip at the port's rate, a frame at either end, and with CBFC the
// updates of the other lanes that go first, each of which may wait for a frame too.
uint64_t
tables_credit_needed(const struct config *config, const struct switch_config *settings,
		     const struct topo_port *port, ps_t latencies)
{
	const uint64_t block = config_block_bytes(settings->flow_control);
	const uint64_t frame = tables_frame_bytes(port) + tables_overhead(config);
	uint64_t bytes = tables_bytes_in(port, 2 * port->delay_ps + latencies) + 2 * frame;

	if (settings->flow_control == CONFIG_FLOW_CONTROL_CBFC)
		bytes += (settings->credit.spacing_bytes + frame) *
			 (uint64_t)__builtin_popcount(config_used_classes(settings));
	return (bytes + block - 1) / block * block;
}

// Blocks of each lane's receive buffer, by the settings of the end that has it. What InfiniBand
// never grants ahead fills no link: a buffer that is computed has none of it.
static uint32_t
buffer_blocks(const struct tables_draft *draft, const struct switch_config *settings,
	      const struct topo_port *port)
{
	const uint32_t block = config_block_bytes(settings->flow_control);
	const struct config_amount *buffer = &settings->credit.buffer;
	const uint64_t bytes = buffer->kind == CONFIG_AMOUNT_BYTES
				       ? buffer->value
				       : tables_credit_needed(draft->topology->config, settings,
							      port, 2 * settings->latency_ps);
	const uint64_t most = settings->flow_control != CONFIG_FLOW_CONTROL_CREDIT ? MOST_CBFC
			      : buffer->kind == CONFIG_AMOUNT_BYTES ? TABLES_CELLS_MAX
								    : MOST_INFINIBAND;

	return (uint32_t)(bytes / block < most ? bytes / block : most);
}

static void
grant(uint32_t blocks[static PRIORITIES], uint8_t lanes, uint32_t count)
{
	for (unsigned i = 0; i < PRIORITIES; i++)
		blocks[i] = lanes >> i & 1 ? count : 0;
}

const struct switch_config *
tables_settings_behind(const struct tables_draft *draft, const struct topo_port *port,
		       struct switch_config *far)
{
	const struct topology *t = draft->topology;
	const struct topo_node *peer;

	if (port->peer_node == TOPOLOGY_NONE || t->config->private == NULL)
		return draft->settings;
	peer = &t->nodes[port->peer_node];
	if (peer->role == CONFIG_ROLE_HOST ||
	    config_switch(t->config, peer->name, peer->role, far) != 0)
		return draft->settings;
	return far;
}

static int
refuse_buffer(struct tables_draft *draft, const struct switch_config *own,
	      const struct topo_port *port, uint32_t blocks)
{
	const uint64_t block = config_block_bytes(own->flow_control);
	const uint64_t frame = (tables_frame_bytes(port) + block - 1) / block * block;
	const bool small = frame > blocks * block;
	const char *key = small ? "qos.credit.buffer" : "qos.credit.update";
	struct config_error_origin cause = {0};

	tables_blame(draft, &cause, "%s", key);
	if (small)
		return tables_report(draft, false, cause.mark.pos, key,
				     "%s: %" PRIu64 " B is too small for a frame of MTU %u: at "
				     "least %" PRIu64 " B are needed",
				     port->name, own->credit.buffer.value, port->mtu,
				     frame + own->credit.update_bytes);
	return tables_report(draft, false, cause.mark.pos, key,
			     "%s: at most %" PRIu64 " B with %s of %" PRIu64
			     " B, which must also hold a frame of MTU %u",
			     port->name, blocks * block - frame,
			     blocks == draft->t->credits->most ? "a largest grant"
							       : "a receive buffer",
			     blocks * block, port->mtu);
}

// A lane that one end sends on, and for which the other has no receive buffer, would wait for ever.
static int
refuse_lane(struct tables_draft *draft, const struct topo_port *port, uint8_t lanes, bool far_sends)
{
	const char *near = draft->node->name;
	const char *far = draft->topology->nodes[port->peer_node].name;
	struct config_error_origin cause = {0};

	tables_blame(draft, &cause, "qos.priority-to-tc");
	return tables_report(draft, false, cause.mark.pos, "qos.priority-to-tc",
			     "%s: %s sends on lane %d, for which %s has no receive buffer: use the "
			     "same lanes at both ends",
			     port->name, far_sends ? far : near, __builtin_ctz(lanes),
			     far_sends ? near : far);
}

static int
refuse_mismatch(struct tables_draft *draft, const struct topo_port *port)
{
	struct config_error_origin cause = {0};

	tables_blame(draft, &cause, "qos.flow-control");
	return tables_report(draft, false, cause.mark.pos, "qos.flow-control",
			     "%s: both ends of a link need the same kind of credits: set "
			     "qos.flow-control alike on %s",
			     port->name, draft->topology->nodes[port->peer_node].name);
}

static int
set_port(struct tables_draft *draft, struct credit_port *c, const struct topo_port *port)
{
	struct switch_config scratch;
	const struct switch_config *far = tables_settings_behind(draft, port, &scratch);
	// A host has those of the leaf behind each of its ports.
	const struct switch_config *own = draft->host ? far : draft->settings;
	const struct config_credit *credit = &own->credit;
	const uint32_t block = config_block_bytes(own->flow_control);
	const uint64_t byte_time = time_byte_time(tables_port_rate(port));
	const uint32_t blocks = buffer_blocks(draft, own, port);
	const uint32_t most = draft->t->credits->most, usable = blocks < most ? blocks : most;
	const bool cbfc = own->flow_control == CONFIG_FLOW_CONTROL_CBFC;
	const uint8_t lanes = config_used_classes(draft->settings),
		      far_lanes = config_used_classes(far);

	if (far->flow_control != draft->settings->flow_control)
		return refuse_mismatch(draft, port);
	if (lanes & ~far_lanes)
		return refuse_lane(draft, port, (uint8_t)(lanes & ~far_lanes), false);
	if (far_lanes & ~lanes)
		return refuse_lane(draft, port, (uint8_t)(far_lanes & ~lanes), true);
	grant(c->granted, lanes, blocks);
	grant(c->peer, lanes, buffer_blocks(draft, far, port));
	c->update = (uint32_t)((credit->update_bytes + block - 1) / block);
	c->resend = credit->resend_auto ? time_of_bytes(byte_time, RESEND_BYTES)
					: credit->resend_ps;
	c->spacing = cbfc ? time_of_bytes(byte_time, credit->spacing_bytes) : 0;
	c->sync = cbfc ? credit->sync_ps : 0;
	if ((tables_frame_bytes(port) + block - 1) / block + c->update > usable)
		return refuse_buffer(draft, own, port, usable);
	return 0;
}

static void
set_lane_table(struct lane_tables *to, unsigned table, const struct config_lane_table *from)
{
	to->counts[table] = from->count;
	for (unsigned i = 0; i < from->count; i++)
		to->entries[table][i] = (struct lane_entry){from->lanes[i], from->weights[i]};
}

static void
set_arbitration(struct lane_tables *to, const struct config_credit *credit)
{
	to->on = credit->high.count != 0 || credit->low.count != 0;
	to->limit = credit->limit_unlimited ? LANE_LIMIT_UNLIMITED : (uint8_t)credit->limit;
	set_lane_table(to, 0, &credit->high);
	set_lane_table(to, 1, &credit->low);
}

// Ports without credits may not have a far end with them.
static int
check_far_ends(struct tables_draft *draft)
{
	for (uint16_t i = 0; i < draft->node->port_count; i++) {
		struct switch_config scratch;
		const struct switch_config *far =
			tables_settings_behind(draft, &draft->node->ports[i], &scratch);

		if (config_has_credits(far->flow_control))
			return refuse_mismatch(draft, &draft->node->ports[i]);
	}
	return 0;
}

// Whether some switch of the fabric may have credits: else nobody behind a port need be looked up.
static bool
some_have_credits(const struct tables_draft *draft)
{
	const struct config *config = draft->topology->config;

	return config_has_credits(draft->settings->flow_control) ||
	       (config->private != NULL && config_credits(config));
}

int
tables_add_credits(struct tables_draft *draft)
{
	const struct switch_config *settings = draft->settings;
	const bool infiniband = settings->flow_control == CONFIG_FLOW_CONTROL_CREDIT;
	const uint16_t ports = draft->node->port_count;
	struct credit_tables *c;
	int error = 0;

	if (!some_have_credits(draft))
		return 0;
	if (!config_has_credits(settings->flow_control))
		return check_far_ends(draft);
	c = memory_new(sizeof(*c) + ports * sizeof(c->ports[0]), "credits of links");
	draft->t->credits = c;
	c->kind = infiniband ? CREDIT_INFINIBAND : CREDIT_CBFC;
	c->lanes = config_used_classes(settings);
	c->block_shift = infiniband ? 6 : 7;
	c->most = infiniband ? MOST_INFINIBAND : MOST_CBFC;
	c->mask = infiniband ? MASK_INFINIBAND : MASK_CBFC;
	for (unsigned tc = 0; tc < PRIORITIES; tc++)
		c->queue_to_lane[tc] = draft->host ? settings->priority_to_class[tc] : (uint8_t)tc;
	set_arbitration(&c->arbitration, &settings->credit);
	for (uint16_t i = 0; i < ports && error == 0; i++)
		error = set_port(draft, &c->ports[i], &draft->node->ports[i]);
	return error;
}

// ---- the buffer ---------------------------------------------------------------------------------

// A lane's blocks are reserved. What a switch itself answers takes more than was granted, of what
// no lane has reserved.
void
tables_set_lane_group(const struct tables_draft *draft, struct pg_profile *pg, unsigned lane,
		      const struct topo_port *port)
{
	const uint32_t blocks = config_used_classes(draft->settings) >> lane & 1
					? buffer_blocks(draft, draft->settings, port)
					: 0;

	*pg = (struct pg_profile){
		.threshold = tables_unlimited(POOL_INGRESS_LOSSLESS, blocks),
		.lossless = true,
	};
}

int
tables_add_lane_pools(struct tables_draft *draft)
{
	const uint64_t size = draft->settings->buffer_bytes / draft->t->cell;
	struct config_error_origin cause = {0};
	uint64_t reserved = 0;

	for (uint16_t i = 0; i < draft->t->port_count; i++)
		for (unsigned lane = 0; lane < PRIORITIES; lane++)
			reserved += draft->t->credits->ports[i].granted[lane];
	if (reserved > size) {
		tables_blame(draft, &cause, "buffer.size");
		tables_blame(draft, &cause, "qos.credit.buffer");
		return tables_report(draft, false, cause.mark.pos, cause.key,
				     "the buffer's %" PRIu64 " B do not hold the %" PRIu64
				     " B of receive buffers of %d lanes at %u ports: raise "
				     "buffer.size or lower qos.credit.buffer",
				     draft->settings->buffer_bytes, reserved * draft->t->cell,
				     __builtin_popcount(draft->t->credits->lanes),
				     draft->t->port_count);
	}
	for (unsigned i = 0; i < POOL_COUNT; i++)
		draft->t->pools[i] =
			(struct pool_profile){.size = POOL_UNLIMITED, .shared = POOL_UNLIMITED};
	draft->t->pools[POOL_INGRESS_LOSSLESS] = (struct pool_profile){
		.size = (uint32_t)size, .shared = (uint32_t)(size - reserved)};
	draft->t->pools[POOL_HEADROOM].size = 0;
	return 0;
}
