// SPDX-License-Identifier: BSD-3-Clause
// Link-level retry of a node's links: how much each port may have sent without an acknowledgement,
// and how long it waits for one. Both ends of a link have it, or neither.
#include "build_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <inttypes.h>

#define FRAMES_MIN 16
#define FRAMES_MAX 4096 // that may be unacknowledged, whatever their length
#define TIMER_TRIPS 2   // round trips that `auto` waits

struct link {
	uint64_t frame;      // the largest, without FCS
	uint64_t trip_bytes; // that the link carries in `trip`
	uint64_t tail;       // bytes on the link before an acknowledgement, at the most
	ps_t trip;           // the delays of a round trip
};

void
tables_set_llr_times(struct llr_port *to, uint64_t byte_time, ps_t delay)
{
	to->spacing = time_of_bytes(byte_time, to->spacing_bytes);
	if (to->tail_bytes != 0)
		to->timer = TIMER_TRIPS *
			    (2 * delay + to->latencies + time_of_bytes(byte_time, to->tail_bytes));
}

// An acknowledgement comes when the last bit of a frame is there, and no earlier than the far end's
// spacing allows. It may find that a frame the other way has just begun, and so has a new one here.
static struct link
measure(const struct config *config, const struct switch_config *far, const struct topo_port *port,
	ps_t latencies)
{
	const uint64_t frame = tables_frame_bytes(port);
	const ps_t trip = 2 * port->delay_ps + latencies;

	return (struct link){
		.frame = frame,
		.trip = trip,
		.trip_bytes = tables_bytes_in(port, trip),
		.tail = 3 * (frame + tables_overhead(config)) + far->llr.spacing_bytes,
	};
}

ps_t
tables_llr_round_trip(const struct config *config, const struct switch_config *far,
		      const struct topo_port *port, ps_t latencies)
{
	const struct link link = measure(config, far, port, latencies);

	return link.trip + time_of_bytes(time_byte_time(tables_port_rate(port)), link.tail);
}

static uint32_t
frames_of(uint64_t buffer)
{
	uint32_t frames = FRAMES_MIN;

	while (frames < FRAMES_MAX && frames * PACKET_FRAME_MIN < buffer)
		frames *= 2;
	return frames;
}

static int
refuse_buffer(struct tables_draft *draft, const struct topo_port *port, uint64_t buffer,
	      uint64_t frame)
{
	struct config_error_origin cause = {0};

	tables_blame(draft, &cause, "qos.llr.replay-buffer");
	return tables_report(draft, false, cause.mark.pos, "qos.llr.replay-buffer",
			     "%s: a replay buffer of %" PRIu64 " B does not hold a frame of MTU "
			     "%u: at least %" PRIu64 " B are needed",
			     port->name, buffer, port->mtu, frame);
}

static int
refuse_mismatch(struct tables_draft *draft, const struct topo_port *port)
{
	const char *near = draft->node->name;
	const char *far = draft->topology->nodes[port->peer_node].name;
	const bool on = draft->settings->llr.on;
	struct config_error_origin cause = {0};

	tables_blame(draft, &cause, "qos.llr.state");
	return tables_report(draft, false, cause.mark.pos, "qos.llr.state",
			     "%s: both ends of a link need link-level retry, or neither: set it on "
			     "both, or off on both: %s has %s, %s has %s",
			     port->name, near, on ? "on" : "off", far, on ? "off" : "on");
}

// The ports of one switch alone lead to devices or to captures.
static int
refuse_single(struct tables_draft *draft)
{
	struct config_error_origin cause = {0};

	tables_blame(draft, &cause, "qos.llr.state");
	diag_error(draft->diag, draft->topology->config->file, cause.mark.pos, "qos.llr.state",
		   "neither a device nor a capture speaks link-level retry, and one switch has no "
		   "other links: set it to off, or describe a fabric");
	return -EINVAL;
}

static int
set_port(struct tables_draft *draft, struct llr_port *to, const struct topo_port *port)
{
	_Static_assert((int)CONFIG_LLR_BLOCK == (int)LLR_ACTION_BLOCK &&
			       (int)CONFIG_LLR_DISCARD == (int)LLR_ACTION_DISCARD,
		       "actions are numbered alike");
	struct switch_config scratch;
	const struct switch_config *far = tables_settings_behind(draft, port, &scratch);
	// A host has those of the leaf behind each of its ports.
	const struct switch_config *own = draft->host ? far : draft->settings;
	const ps_t latency = own->latency_ps > far->latency_ps ? own->latency_ps : far->latency_ps;
	const struct link link = measure(draft->topology->config, far, port, 2 * latency);
	const uint64_t buffer = own->llr.buffer.kind == CONFIG_AMOUNT_BYTES
					? own->llr.buffer.value
					: link.trip_bytes + link.tail + link.frame;

	if (far->llr.on != draft->settings->llr.on)
		return refuse_mismatch(draft, port);
	if (buffer < link.frame)
		return refuse_buffer(draft, port, buffer, link.frame);
	to->limit = (uint32_t)(buffer - link.frame < UINT32_MAX ? buffer - link.frame : UINT32_MAX);
	to->frames = frames_of(buffer);
	to->replay_max = own->llr.replay_max;
	to->action = (uint8_t)own->llr.action;
	to->spacing_bytes = own->llr.spacing_bytes;
	to->timer = own->llr.timer_ps;
	to->tail_bytes = own->llr.timer_auto ? (uint32_t)link.tail : 0;
	to->latencies = 2 * latency;
	tables_set_llr_times(to, time_byte_time(tables_port_rate(port)), port->delay_ps);
	return 0;
}

// Ports without it may not have a far end with it.
static int
check_far_ends(struct tables_draft *draft)
{
	for (uint16_t i = 0; i < draft->node->port_count; i++) {
		struct switch_config scratch;

		if (tables_settings_behind(draft, &draft->node->ports[i], &scratch)->llr.on)
			return refuse_mismatch(draft, &draft->node->ports[i]);
	}
	return 0;
}

int
tables_add_llr(struct tables_draft *draft)
{
	const struct config *config = draft->topology->config;
	const uint16_t ports = draft->node->port_count;
	int error = 0;

	if (!draft->settings->llr.on)
		return config->private != NULL && config_llr(config) ? check_far_ends(draft) : 0;
	if (config->fabric.topology == CONFIG_TOPOLOGY_SINGLE)
		return refuse_single(draft);
	draft->t->llr = memory_array(ports, sizeof(*draft->t->llr), "link-level retry");
	for (uint16_t i = 0; i < ports && error == 0; i++)
		error = set_port(draft, &draft->t->llr[i], &draft->node->ports[i]);
	return error;
}
