// SPDX-License-Identifier: BSD-3-Clause
// What a port counts. An interval of pause that is still open counts up to the instant of the
// report; one that has run out without the node having looked since counts up to its end, and has
// ended there. "drops" names only reasons that occurred.
#include "counters.h"

#include "counters_part.h"
#include "dataplane/base/drop.h"
#include "dataplane/queueing/buffer.h"

static struct counters_pause
pause_at(const struct pause_clock *c, ps_t end, ps_t now)
{
	struct counters_pause out = {
		.total = pause_clock_total(c, time_min(now, end)),
		.last_start = c->last_start,
		.last_end = c->last_end,
		.transitions = c->transitions,
		.paused = c->since != PS_NEVER && end > now,
	};

	if (c->since != PS_NEVER && end <= now)
		out.last_end = end;
	return out;
}

struct counters_pause
counters_rx_pause(const struct port *p, unsigned int priority, ps_t now)
{
	return pause_at(&p->rx_pause[priority], p->pause_until[priority], now);
}

struct counters_pause
counters_tx_pause(const struct port *p, unsigned int priority, ps_t now)
{
	return pause_at(&p->tx_pause[priority], PS_NEVER, now);
}

json_t *
counters_eight(const json_int_t values[PRIORITIES])
{
	return json_pack("[I,I,I,I,I,I,I,I]", values[0], values[1], values[2], values[3], values[4],
			 values[5], values[6], values[7]);
}

int
counters_merge(json_t *to, json_t *part)
{
	int status = part == NULL ? -1 : json_object_update(to, part);

	json_decref(part);
	return status;
}

static json_t *
traffic(const struct port *p)
{
	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "notices_rx",
			 (json_int_t)p->notices_rx, "notices_tx", (json_int_t)p->notices_tx,
			 "rx_packets", (json_int_t)p->rx_packets, "rx_bytes",
			 (json_int_t)p->rx_bytes, "tx_packets", (json_int_t)p->tx_packets,
			 "tx_bytes", (json_int_t)p->tx_bytes, "control_rx",
			 (json_int_t)p->control_rx, "control_tx", (json_int_t)p->control_tx);
}

// What the eight priorities have been through in one direction, a member at a time.
struct pause_columns {
	json_int_t frames[PRIORITIES];
	json_int_t total_ns[PRIORITIES];
	json_int_t transitions[PRIORITIES];
	json_int_t start_ns[PRIORITIES];
	json_int_t end_ns[PRIORITIES];
};

static void
add_pause(struct pause_columns *c, unsigned int i, uint64_t frames, struct counters_pause pause)
{
	c->frames[i] = (json_int_t)frames;
	c->total_ns[i] = (json_int_t)(pause.total / PS_PER_NS);
	c->transitions[i] = (json_int_t)pause.transitions;
	c->start_ns[i] = counters_instant(pause.last_start);
	c->end_ns[i] = counters_instant(pause.last_end);
}

static json_t *
pauses(const struct port *p, ps_t now)
{
	struct pause_columns rx, tx;
	ps_t link_rx = counters_rx_pause(p, PAUSE_LINK, now).total;
	ps_t link_tx = counters_tx_pause(p, PAUSE_LINK, now).total;

	for (unsigned int i = 0; i < PRIORITIES; i++) {
		add_pause(&rx, i, p->pfc_rx[i], counters_rx_pause(p, i, now));
		add_pause(&tx, i, p->pfc_tx[i], counters_tx_pause(p, i, now));
	}
	return json_pack(
		"{s:o,s:o,s:o,s:o,s:I,s:I,s:I,s:I,s:o,s:o,s:o,s:o,s:o,s:o}", "pfc_rx",
		counters_eight(rx.frames), "pfc_tx", counters_eight(tx.frames), "pfc_rx_pause_ns",
		counters_eight(rx.total_ns), "pfc_tx_pause_ns", counters_eight(tx.total_ns),
		"pause_rx", (json_int_t)p->pause_rx, "pause_tx", (json_int_t)p->pause_tx,
		"pause_rx_ns", (json_int_t)(link_rx / PS_PER_NS), "pause_tx_ns",
		(json_int_t)(link_tx / PS_PER_NS), "pfc_rx_transitions",
		counters_eight(rx.transitions), "pfc_tx_transitions",
		counters_eight(tx.transitions), "pfc_rx_last_start_ns", counters_eight(rx.start_ns),
		"pfc_rx_last_end_ns", counters_eight(rx.end_ns), "pfc_tx_last_start_ns",
		counters_eight(tx.start_ns), "pfc_tx_last_end_ns", counters_eight(tx.end_ns));
}

static json_t *
drops(const struct port *p)
{
	json_t *out = json_object();

	for (unsigned int i = 0; i < DROP_COUNT; i++) {
		if (p->drops[i] != 0 &&
		    json_object_set_new(out, drop_name(i), json_integer((json_int_t)p->drops[i])) !=
			    0) {
			json_decref(out);
			return NULL;
		}
	}
	return out;
}

static json_t *
group(const struct report_node *n, unsigned int port, unsigned int pg)
{
	const struct port_profile *profile = report_profile(n, port);
	const struct port *p = &n->node->ports[port];
	const struct priority_group *g = &p->groups[pg];
	const struct group_cold *m = &p->group_cold[pg];
	uint32_t reserved = profile != NULL ? profile->pg[pg].threshold.reserved : 0;
	json_int_t cell = counters_cell(n);

	return json_pack(
		"{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "packets",
		(json_int_t)g->packets, "bytes", (json_int_t)g->bytes, "used",
		((json_int_t)g->usage.own + g->usage.guaranteed + g->headroom) * cell, "shared",
		buffer_shared(g->usage.own, reserved) * cell, "headroom", g->headroom * cell,
		"used_max", watermark_user(&m->used_before, g->used_max) * cell, "shared_max",
		watermark_user(&m->shared_before, g->shared_max) * cell, "headroom_max",
		watermark_user(&m->headroom_before, g->headroom_max) * cell, "dropped",
		(json_int_t)g->dropped, "xoff", (json_int_t)g->xoff_sent, "used_max_persistent",
		watermark_persistent(&m->used_before, g->used_max) * cell, "shared_max_persistent",
		watermark_persistent(&m->shared_before, g->shared_max) * cell,
		"headroom_max_persistent",
		watermark_persistent(&m->headroom_before, g->headroom_max) * cell);
}

static json_t *
queue(const struct report_node *n, unsigned int port, unsigned int tc, ps_t now)
{
	const struct node *node = n->node;
	const struct port *p = &node->ports[port];
	const struct queue *q = &p->queues[tc];
	const struct queue_cold *m = &p->queue_cold[tc];
	json_int_t cell = counters_cell(n);
	bool paused = p->paused & 1u << tc && p->queue_paused_until[tc] > now;

	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:b,s:b,s:I,s:I,s:I,s:I,s:I,s:I}", "packets",
			 (json_int_t)q->packets, "bytes", (json_int_t)q->bytes, "depth",
			 node->depth[tc * node->port_count + port] * cell, "depth_max",
			 watermark_user(&m->depth_before, q->depth_max) * cell, "dropped",
			 (json_int_t)q->dropped, "ecn_marked", (json_int_t)q->ecn_marked, "paused",
			 paused, "watchdog", m->watchdog.storm, "depth_max_persistent",
			 watermark_persistent(&m->depth_before, q->depth_max) * cell, "red_dropped",
			 (json_int_t)m->red_dropped, "trimmed", (json_int_t)m->trimmed, "trim_sent",
			 (json_int_t)m->trim_sent, "watchdog_storms",
			 (json_int_t)m->watchdog.storms, "watchdog_dropped",
			 (json_int_t)m->watchdog.dropped);
}

static int
add_groups(json_t *to, const struct report_node *n, unsigned int port)
{
	json_t *out = json_array();
	int status = 0;

	for (unsigned int i = 0; i < PRIORITIES; i++)
		status |= json_array_append_new(out, group(n, port, i));
	return json_object_set_new(to, "pg", out) | status;
}

static int
add_queues(json_t *to, const struct report_node *n, unsigned int port, ps_t now)
{
	json_t *out = json_array();
	int status = 0;

	for (unsigned int i = 0; i < PRIORITIES; i++)
		status |= json_array_append_new(out, queue(n, port, i, now));
	return json_object_set_new(to, "queue", out) | status;
}

json_t *
counters_port(const struct report_node *n, unsigned int port, unsigned int parts, ps_t now)
{
	const struct port *p = &n->node->ports[port];
	json_t *out = json_object();
	int status = 0;

	if (parts & COUNTERS_TRAFFIC)
		status |= counters_merge(out, traffic(p));
	if (parts & COUNTERS_PFC)
		status |= counters_merge(out, pauses(p, now));
	if (parts & COUNTERS_DROPS)
		status |= json_object_set_new(out, "drops", drops(p));
	if (parts & COUNTERS_GROUPS)
		status |= add_groups(out, n, port);
	if (parts & COUNTERS_QUEUES)
		status |= add_queues(out, n, port, now);
	if (status == 0)
		return out;
	json_decref(out);
	return NULL;
}
