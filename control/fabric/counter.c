// SPDX-License-Identifier: BSD-3-Clause
// The table of counters. A row has a name, kind, unit, where it is read, and help; the *_PLACE
// macros below declare what "where" may use. The dataplane keeps lengths of buffer in cells and
// times in ps; the rows give bytes and ns.
#include "counters.h"

#include "counter_llr.h"
#include "dataplane/base/credit.h"
#include "dataplane/queueing/buffer.h"
#include "dataplane/roce/nic.h"
#include "dataplane/roce/reorder.h"

#include <string.h>

// clang-format off

#define PORT_ROWS(ROW) \
	ROW(PORT, TRAFFIC, notices_rx, TOTAL, "frames", p->notices_rx, \
	    "congestion notices received and accepted ([paths.md](paths.md))") \
	ROW(PORT, TRAFFIC, notices_tx, TOTAL, "frames", p->notices_tx, \
	    "congestion notices sent") \
	ROW(PORT, TRAFFIC, rx_packets, TOTAL, "packets", p->rx_packets, \
	    "frames that arrived, PFC frames included") \
	ROW(PORT, TRAFFIC, rx_bytes, TOTAL, "bytes", p->rx_bytes, "their length without FCS") \
	ROW(PORT, TRAFFIC, tx_packets, TOTAL, "packets", p->tx_packets, \
	    "frames whose transmission has started, PFC frames included, except frames lost to a " \
	    "link fault") \
	ROW(PORT, TRAFFIC, tx_bytes, TOTAL, "bytes", p->tx_bytes, "their length without FCS") \
	ROW(PORT, TRAFFIC, control_rx, TOTAL, "frames", p->control_rx, \
	    "received frames that end here: pauses, congestion notices, and ping, ARP and " \
	    "neighbour discovery for the switch itself") \
	ROW(PORT, TRAFFIC, control_tx, TOTAL, "frames", p->control_tx, \
	    "sent frames that the port itself generates: pauses, congestion notices, and frames " \
	    "of LLDP and BFD") \
	ROW(PORT, TRAFFIC, control_lost, TOTAL, "frames", p->control_lost, \
	    "such frames that were lost to a link fault; they also count in `drops`") \
	ROW(PORT, TRAFFIC, rx_multicast, TOTAL, "frames", p->rx_multicast, \
	    "frames to a multicast or broadcast MAC address, except `bad-fcs`, `runt` and " \
	    "`truncated`; the NIC of an attached host counts only pauses") \
	ROW(PORT, TRAFFIC, tx_multicast, TOTAL, "frames", p->tx_multicast, \
	    "sent frames to such an address: pauses, congestion notices, LLDP; not neighbour " \
	    "advertisements to all nodes") \
	ROW(PORT, TRAFFIC, cut_through, TOTAL, "packets", p->cut_through, \
	    "packets that arrived here and were forwarded, or put into a queue, before their last " \
	    "bit had arrived ([switching.md](switching.md))") \
	ROW(PORT, TRAFFIC, bad_fcs_forwarded, TOTAL, "packets", p->bad_fcs_forwarded, \
	    "packets with a wrong FCS that were cut through; the next switch or NIC that stores " \
	    "packets drops them") \
	ROW(PORT, TRAFFIC, rx_discards, TOTAL, "packets", counter_rx_discards(p), \
	    "packets that came in here and were dropped, except drops that count in `tx_discards` " \
	    "of their output port") \
	ROW(PORT, TRAFFIC, tx_discards, TOTAL, "packets", counter_tx_discards(p), \
	    "packets that a queue of this port refused or dropped: the sum of its queues' " \
	    "`dropped`") \
	ROW(PRIORITY, PFC, pfc_rx, TOTAL, "frames", p->pfc_rx[i], \
	    "enable bits seen in PFC frames") \
	ROW(PRIORITY, PFC, pfc_tx, TOTAL, "frames", p->pfc_tx[i], \
	    "enable bits sent in PFC frames") \
	ROW(PRIORITY, PFC, pfc_rx_pause_ns, TOTAL, "ns", NS(counters_rx_pause(p, i, now).total), \
	    "how long received PFC has held the priority") \
	ROW(PRIORITY, PFC, pfc_tx_pause_ns, TOTAL, "ns", NS(counters_tx_pause(p, i, now).total), \
	    "how long an XOFF of this port held the other side") \
	ROW(PORT, PFC, pause_rx, TOTAL, "frames", p->pause_rx, "802.3x pause frames received") \
	ROW(PORT, PFC, pause_tx, TOTAL, "frames", p->pause_tx, "802.3x pause frames sent") \
	ROW(PORT, PFC, pause_rx_ns, TOTAL, "ns", \
	    NS(counters_rx_pause(p, PAUSE_LINK, now).total), "how long 802.3x held the port") \
	ROW(PORT, PFC, pause_tx_ns, TOTAL, "ns", \
	    NS(counters_tx_pause(p, PAUSE_LINK, now).total), \
	    "how long the port paused the other side by 802.3x") \
	ROW(PRIORITY, PFC, pfc_rx_transitions, TOTAL, "pauses", \
	    counters_rx_pause(p, i, now).transitions, \
	    "received pauses that began while none was in force") \
	ROW(PRIORITY, PFC, pfc_tx_transitions, TOTAL, "pauses", \
	    counters_tx_pause(p, i, now).transitions, \
	    "sent pauses that began while none was in force") \
	ROW(PRIORITY, PFC, pfc_rx_last_start_ns, INSTANT, "ns", \
	    counters_instant(counters_rx_pause(p, i, now).last_start), \
	    "start of the last received pause; -1: none yet") \
	ROW(PRIORITY, PFC, pfc_rx_last_end_ns, INSTANT, "ns", \
	    counters_instant(counters_rx_pause(p, i, now).last_end), \
	    "end of the last received pause that is over; -1: none yet") \
	ROW(PRIORITY, PFC, pfc_tx_last_start_ns, INSTANT, "ns", \
	    counters_instant(counters_tx_pause(p, i, now).last_start), \
	    "start of the last sent pause; -1: none yet") \
	ROW(PRIORITY, PFC, pfc_tx_last_end_ns, INSTANT, "ns", \
	    counters_instant(counters_tx_pause(p, i, now).last_end), \
	    "end of the last sent pause that is over; -1: none yet")

#define REORDER_ROWS(ROW) \
	ROW(PORT, REORDER, reorder_held, TOTAL, "packets", p->reorder->held, \
	    "packets for the host that waited because they arrived early, or may have " \
	    "(`attach.HOST.reorder`)") \
	ROW(PORT, REORDER, reorder_released, TOTAL, "packets", p->reorder->released, \
	    "held packets passed on after the packets before them had arrived") \
	ROW(PORT, REORDER, reorder_waiting, GAUGE, "packets", p->reorder->waiting, \
	    "held packets that are waiting now") \
	ROW(PORT, REORDER, reorder_timeouts, TOTAL, "times", p->reorder->timeouts, \
	    "a missing packet did not arrive in time, so the waiting packets passed without it") \
	ROW(PORT, REORDER, reorder_overflows, TOTAL, "times", p->reorder->overflows, \
	    "there was no room for more waiting packets, so they passed without the missing one")

#define PATH_ROWS(ROW) \
	ROW(PORT, PATHS, path_probes, TOTAL, "packets", counter_paths(at)->probes, \
	    "probes sent for entropy values that were assumed bad (`transport: mrc`)") \
	ROW(PORT, PATHS, paths_assumed_bad, TOTAL, "values", counter_paths(at)->assumed_bad, \
	    "entropy values that became assumed bad ([mrc.md](mrc.md))") \
	ROW(PORT, PATHS, grants_tx, TOTAL, "packets", counter_paths(at)->grants, \
	    "credit grants sent to senders (`uet.credits`)")

#define CREDIT_ROWS(ROW) \
	ROW(PRIORITY, CREDITS, credit_rx, TOTAL, "frames", counter_lane(p, i)->updates_rx, \
	    "grants of credit received for the lane ([credits.md](credits.md))") \
	ROW(PRIORITY, CREDITS, credit_tx, TOTAL, "frames", counter_lane(p, i)->updates_tx, \
	    "grants of credit sent for the lane") \
	ROW(PRIORITY, CREDITS, credit_wait_ns, TOTAL, "ns", \
	    NS(pause_clock_total(&counter_lane(p, i)->wait, now)), \
	    "how long packets of the lane waited for credit alone") \
	ROW(PRIORITY, CREDITS, credit_available, GAUGE, "bytes", \
	    CELLS(credit_available(counter_lane(p, i))), \
	    "what the lane may send now without another grant") \
	ROW(PRIORITY, CREDITS, credit_recovered, TOTAL, "bytes", \
	    CELLS(counter_lane(p, i)->recovered), \
	    "credit of packets lost on the link, granted again after the far end reported its " \
	    "total")

#define GROUP_ROWS(ROW) \
	ROW(GROUP, GROUPS, packets, TOTAL, "packets", g->packets, \
	    "offered to the group, admitted or not") \
	ROW(GROUP, GROUPS, bytes, TOTAL, "bytes", g->bytes, "their length without FCS") \
	ROW(GROUP, GROUPS, used, GAUGE, "bytes", \
	    CELLS((json_int_t)g->usage.own + g->usage.guaranteed + g->headroom), \
	    "held now: own cells, guaranteed cells and headroom") \
	ROW(GROUP, GROUPS, shared, GAUGE, "bytes", \
	    CELLS(buffer_shared(g->usage.own, counter_reserved(at))), \
	    "held now beyond the reservation") \
	ROW(GROUP, GROUPS, headroom, GAUGE, "bytes", CELLS(g->headroom), "held now in headroom") \
	ROW(GROUP, GROUPS, used_max, GAUGE, "bytes", \
	    CELLS(watermark_user(&gm->used_before, g->used_max)), \
	    "peak of `used` since the watermarks were last cleared, taken when a packet is " \
	    "charged") \
	ROW(GROUP, GROUPS, shared_max, GAUGE, "bytes", \
	    CELLS(watermark_user(&gm->shared_before, g->shared_max)), "peak of `shared`") \
	ROW(GROUP, GROUPS, headroom_max, GAUGE, "bytes", \
	    CELLS(watermark_user(&gm->headroom_before, g->headroom_max)), "peak of `headroom`") \
	ROW(GROUP, GROUPS, dropped, TOTAL, "packets", g->dropped, "refused by the ingress side") \
	ROW(GROUP, GROUPS, xoff, TOTAL, "frames", g->xoff_sent, \
	    "XOFFs sent, refreshes included") \
	ROW(GROUP, GROUPS, used_max_persistent, GAUGE, "bytes", \
	    CELLS(watermark_persistent(&gm->used_before, g->used_max)), \
	    "peak of `used` since the persistent watermarks were last cleared") \
	ROW(GROUP, GROUPS, shared_max_persistent, GAUGE, "bytes", \
	    CELLS(watermark_persistent(&gm->shared_before, g->shared_max)), \
	    "the same for `shared`") \
	ROW(GROUP, GROUPS, headroom_max_persistent, GAUGE, "bytes", \
	    CELLS(watermark_persistent(&gm->headroom_before, g->headroom_max)), \
	    "the same for `headroom`")

#define QUEUE_ROWS(ROW) \
	ROW(QUEUE, QUEUES, packets, TOTAL, "packets", q->packets, "sent") \
	ROW(QUEUE, QUEUES, bytes, TOTAL, "bytes", q->bytes, "their length without FCS") \
	ROW(QUEUE, QUEUES, depth, GAUGE, "bytes", CELLS(n->depth[i * n->port_count + at->port]), \
	    "waiting now; the packet being sent is not counted") \
	ROW(QUEUE, QUEUES, depth_max, GAUGE, "bytes", \
	    CELLS(watermark_user(&qm->depth_before, q->depth_max)), \
	    "peak of `depth` since the watermarks were last cleared") \
	ROW(QUEUE, QUEUES, dropped, TOTAL, "packets", q->dropped, \
	    "refused by the egress side or dropped in the queue, `red_dropped` included") \
	ROW(QUEUE, QUEUES, dropped_bytes, TOTAL, "bytes", qm->dropped_bytes, \
	    "their length without FCS") \
	ROW(QUEUE, QUEUES, ecn_marked, TOTAL, "packets", q->ecn_marked, "marked CE here") \
	ROW(QUEUE, QUEUES, ecn_marked_bytes, TOTAL, "bytes", qm->ecn_marked_bytes, \
	    "their length without FCS") \
	ROW(QUEUE, QUEUES, paused, FLAG, "", \
	    p->paused & 1u << i && p->queue_paused_until[i] > now, \
	    "received pauses hold the queue now") \
	ROW(QUEUE, QUEUES, tx_off, FLAG, "", p->tx_off & 1u << i, \
	    "transmission is off, by `roost transmit` or an event") \
	ROW(QUEUE, QUEUES, watchdog, FLAG, "", port_watchdog(p, i)->storm, \
	    "the watchdog has the queue in a storm now") \
	ROW(QUEUE, QUEUES, depth_max_persistent, GAUGE, "bytes", \
	    CELLS(watermark_persistent(&qm->depth_before, q->depth_max)), \
	    "peak of `depth` since the persistent watermarks were last cleared") \
	ROW(QUEUE, QUEUES, shared_max, GAUGE, "bytes", \
	    CELLS(buffer_shared(watermark_user(&qm->depth_before, q->depth_max), \
				counter_queue_reserved(at))), \
	    "`depth_max` beyond the queue's reservation") \
	ROW(QUEUE, QUEUES, shared_max_persistent, GAUGE, "bytes", \
	    CELLS(buffer_shared(watermark_persistent(&qm->depth_before, q->depth_max), \
				counter_queue_reserved(at))), \
	    "`depth_max_persistent` beyond the queue's reservation") \
	ROW(QUEUE, QUEUES, red_dropped, TOTAL, "packets", qm->red_dropped, \
	    "packets in `dropped` that RED dropped where it would have marked an ECT packet") \
	ROW(QUEUE, QUEUES, trimmed, TOTAL, "packets", qm->trimmed, \
	    "trimmed to their headers because the queue was full; not in `dropped`") \
	ROW(QUEUE, QUEUES, trim_sent, TOTAL, "packets", qm->trim_sent, \
	    "trimmed packets that left by this queue") \
	ROW(QUEUE, QUEUES, watchdog_storms, TOTAL, "storms", port_watchdog(p, i)->storms, \
	    "storms that the watchdog found") \
	ROW(QUEUE, QUEUES, watchdog_dropped, TOTAL, "packets", port_watchdog(p, i)->dropped, \
	    "dropped by the watchdog")

#define POOL_ROWS(ROW) \
	ROW(POOL, POOLS, size, GAUGE, "bytes", CELLS(counter_pool_size(at)), \
	    "the pool's size or, with `\"unlimited\": true`, the largest value that `used` " \
	    "could reach") \
	ROW(POOL, POOLS, used, GAUGE, "bytes", CELLS(pool->used), "held now") \
	ROW(POOL, POOLS, used_max, GAUGE, "bytes", \
	    CELLS(watermark_user(&pool->used_before, pool->used_max)), \
	    "peak of `used` since the watermarks were last cleared") \
	ROW(POOL, POOLS, used_max_persistent, GAUGE, "bytes", \
	    CELLS(watermark_persistent(&pool->used_before, pool->used_max)), \
	    "peak of `used` since the persistent watermarks were last cleared") \
	ROW(POOL, POOLS, shared, GAUGE, "bytes", CELLS(pool->shared_use), \
	    "held now beyond what groups or queues have reserved and tenants are guaranteed; 0 " \
	    "for `headroom`") \
	ROW(POOL, POOLS, shared_max, GAUGE, "bytes", \
	    CELLS(watermark_user(&pool->shared_before, pool->shared_max)), "peak of `shared`") \
	ROW(POOL, POOLS, shared_max_persistent, GAUGE, "bytes", \
	    CELLS(watermark_persistent(&pool->shared_before, pool->shared_max)), \
	    "the same since the persistent watermarks were last cleared")

// Packets in memory, of a switch of a live fabric.
#define MEMORY_ROWS(ROW) \
	ROW(MEMORY, MEMORY, most, GAUGE, "packets", counter_packets_most(at), \
	    "the switch's share: how many may wait; absent if not limited") \
	ROW(MEMORY, MEMORY, used, GAUGE, "packets", packets->used, "in queues now") \
	ROW(MEMORY, MEMORY, used_max, GAUGE, "packets", \
	    watermark_user(&packets->used_before, packets->used_max), \
	    "peak of `used` since the watermarks were last cleared") \
	ROW(MEMORY, MEMORY, used_max_persistent, GAUGE, "packets", \
	    watermark_persistent(&packets->used_before, packets->used_max), \
	    "peak of `used` since the persistent watermarks were last cleared")

// A guarantee is set aside in each pool that knows tenants.
#define TENANT_ROWS(ROW) \
	ROW(TENANT, TENANTS, packets, TOTAL, "packets", use.packets, "received") \
	ROW(TENANT, TENANTS, bytes, TOTAL, "bytes", use.bytes, "their length without FCS") \
	ROW(TENANT, TENANTS, used, GAUGE, "bytes", \
	    CELLS(use.used), \
	    "buffer that its packets hold now; each packet counts once") \
	ROW(TENANT, TENANTS, used_max, GAUGE, "bytes", \
	    CELLS(watermark_user(&use.used_before, use.used_max)), \
	    "peak of `used` since the watermarks were last cleared") \
	ROW(TENANT, TENANTS, guaranteed, GAUGE, "bytes", CELLS(counter_guaranteed(at)), \
	    "sum of the tenant's guarantees in the two ingress pools") \
	ROW(TENANT, TENANTS, guaranteed_used, GAUGE, "bytes", \
	    CELLS((json_int_t)use.guarantee[POOL_INGRESS_LOSSLESS] + \
		  use.guarantee[POOL_INGRESS_LOSSY]), \
	    "the part of `guaranteed` that is held now") \
	ROW(TENANT, TENANTS, dropped, TOTAL, "packets", use.dropped, \
	    "dropped here, for any reason") \
	ROW(TENANT, TENANTS, ecn_marked, TOTAL, "packets", use.ecn_marked, "marked CE here") \
	ROW(TENANT, TENANTS, used_max_persistent, GAUGE, "bytes", \
	    CELLS(watermark_persistent(&use.used_before, use.used_max)), \
	    "peak of `used` since the persistent watermarks were last cleared")

#define ALL_ROWS(ROW) \
	PORT_ROWS(ROW) REORDER_ROWS(ROW) PATH_ROWS(ROW) CREDIT_ROWS(ROW) LLR_ROWS(ROW) GROUP_ROWS(ROW) QUEUE_ROWS(ROW) POOL_ROWS(ROW) \
	MEMORY_ROWS(ROW) \
	TENANT_ROWS(ROW)

// clang-format on

#define CELLS(cells) ((json_int_t)(cells)*counters_cell(at->n))
#define NS(ps) ((json_int_t)((ps) / PS_PER_NS))

// What a port of a NIC has counted, also where it counts nothing.
static const struct nic_path_counts *
counter_paths(const struct counter_place *at)
{
	static const struct nic_path_counts none;
	const struct nic *nic = at->n->node->nic;
	const struct nic_path_counts *counts = nic != NULL ? nic_path_counts(nic, at->port) : NULL;

	return counts != NULL ? counts : &none;
}

// What a port knows of a lane, also where it has no credits.
static const struct credit_lane *
counter_lane(const struct port *p, unsigned int lane)
{
	static const struct credit_lane none = {.wait = {.since = PS_NEVER}};

	return p->credits != NULL ? &p->credits->lanes[lane] : &none;
}

static uint32_t
counter_reserved(const struct counter_place *at)
{
	const struct port_profile *profile = report_profile(at->n, at->port);

	return profile != NULL ? profile->pg[at->index].threshold.reserved : 0;
}

static uint32_t
counter_queue_reserved(const struct counter_place *at)
{
	const struct port_profile *profile = report_profile(at->n, at->port);

	return profile != NULL ? profile->tc[at->index].threshold.reserved : 0;
}

static uint64_t
counter_tx_discards(const struct port *p)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < PRIORITIES; i++)
		sum += p->queues[i].dropped;
	return sum;
}

// What has one of these reasons was counted by a group of this port, or by a queue of another.
static uint64_t
counter_rx_discards(const struct port *p)
{
	const uint64_t of_buffer = UINT64_C(1) << DROP_HEADROOM | UINT64_C(1) << DROP_INGRESS_POOL |
				   UINT64_C(1) << DROP_EGRESS_POOL |
				   UINT64_C(1) << DROP_TENANT_SHARE | UINT64_C(1) << DROP_RED |
				   UINT64_C(1) << DROP_WATCHDOG | UINT64_C(1) << DROP_PACKET_MEMORY;
	uint64_t sum = 0;

	for (unsigned int i = 0; i < PRIORITIES; i++)
		sum += p->groups[i].dropped;
	for (uint64_t bits = p->drops_met & ~of_buffer; bits != 0; bits &= bits - 1)
		sum += p->drops[__builtin_ctzll(bits)];
	return sum;
}

static uint32_t
counter_pool_size(const struct counter_place *at)
{
	const struct tables *t = report_tables(at->n);

	return t != NULL ? t->pools[at->index].size : 0;
}

static uint32_t
counter_packets_most(const struct counter_place *at)
{
	const struct tables *t = report_tables(at->n);

	return t != NULL ? t->packet_limits[at->index].most : 0;
}

static uint32_t
counter_guaranteed(const struct counter_place *at)
{
	const struct tables *t = report_tables(at->n);
	uint32_t guaranteed = 0;

	for (unsigned int i = POOL_INGRESS_LOSSLESS; i <= POOL_INGRESS_LOSSY; i++)
		if (t->tenants != NULL)
			guaranteed += t->tenants[at->index].guaranteed[i];
	return guaranteed;
}

// ---- what "where it lives" may name, by scope --------------------------------------------------

#define UNUSED __attribute__((unused))

#define PORT_PLACE                                         \
	UNUSED const struct node *n = at->n->node;         \
	UNUSED const struct port *p = &n->ports[at->port]; \
	UNUSED const ps_t now = at->now;                   \
	UNUSED const unsigned int i = at->index
#define PRIORITY_PLACE PORT_PLACE
#define GROUP_PLACE                                            \
	PORT_PLACE;                                            \
	UNUSED const struct priority_group *g = &p->groups[i]; \
	UNUSED const struct group_cold *gm = &p->group_cold[i]
#define QUEUE_PLACE                                   \
	PORT_PLACE;                                   \
	UNUSED const struct queue *q = &p->queues[i]; \
	UNUSED const struct queue_cold *qm = &p->queue_cold[i]
#define POOL_PLACE UNUSED const struct pool *pool = &at->n->node->buffer.pools[at->index]
#define MEMORY_PLACE \
	UNUSED const struct packet_use *packets = &at->n->node->buffer.packets[at->index]
#define TENANT_PLACE                                                                              \
	const struct tenant_use *uses = at->n->node->buffer.tenants;                              \
	UNUSED const struct tenant_use use = uses != NULL ? uses[at->index] : (struct tenant_use) \
	{                                                                                         \
		0                                                                                 \
	}

#define COUNTER_READ(scope, part, name, kind, unit, where, help)         \
	static json_int_t scope##_##name(const struct counter_place *at) \
	{                                                                \
		scope##_PLACE;                                           \
		return (json_int_t)(where);                              \
	}

ALL_ROWS(COUNTER_READ)

#define COUNTER_ROW(scope, part, name, kind, unit, where, help) \
	{#name, COUNTER_OF_##scope, COUNTERS_##part, COUNTER_##kind, unit, help, scope##_##name},

static const struct counter rows[] = {ALL_ROWS(COUNTER_ROW)};

#define ROW_COUNT (sizeof(rows) / sizeof(*rows))

const struct counter *
counter_rows(size_t *count)
{
	*count = ROW_COUNT;
	return rows;
}

const struct counter *
counter_find(enum counter_scope scope, const char *name)
{
	for (const struct counter *c = rows; c < rows + ROW_COUNT; c++)
		if (c->scope == scope && strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

// ---- JSON --------------------------------------------------------------------------------------

static json_t *
value_json(const struct counter *c, const struct counter_place *at)
{
	json_int_t value = c->read(at);

	return c->kind == COUNTER_FLAG ? json_boolean(value) : json_integer(value);
}

static json_t *
eight_json(const struct counter *c, const struct counter_place *at)
{
	json_t *out = json_array();

	for (unsigned int i = 0; i < PRIORITIES; i++) {
		const struct counter_place one = {at->n, at->port, i, at->now};

		json_array_append_new(out, value_json(c, &one));
	}
	return out;
}

void
counter_add(json_t *to, enum counter_scope scope, unsigned int parts,
	    const struct counter_place *at)
{
	for (const struct counter *c = rows; c < rows + ROW_COUNT; c++) {
		if (!(c->part & parts))
			continue;
		if (c->scope == scope)
			json_object_set_new(to, c->name, value_json(c, at));
		else if (scope == COUNTER_OF_PORT && c->scope == COUNTER_OF_PRIORITY)
			json_object_set_new(to, c->name, eight_json(c, at));
	}
}

// ---- Markdown ----------------------------------------------------------------------------------

void
counter_print_markdown(FILE *to)
{
	static const char *const headings[COUNTER_SCOPES] = {
		[COUNTER_OF_PORT] = "A port",
		[COUNTER_OF_PRIORITY] = "A priority of a port: arrays of 8",
		[COUNTER_OF_GROUP] = "A priority group (`pg`)",
		[COUNTER_OF_QUEUE] = "A queue (`queue`)",
		[COUNTER_OF_POOL] = "A pool (`pools`)",
		[COUNTER_OF_MEMORY] = "Packets in memory of a switch of a live fabric (`packets`)",
		[COUNTER_OF_TENANT] = "A tenant (`tenants`)",
	};
	static const char *const kinds[] = {
		[COUNTER_TOTAL] = "counter",
		[COUNTER_GAUGE] = "gauge",
		[COUNTER_FLAG] = "boolean",
		[COUNTER_INSTANT] = "instant",
	};

	for (unsigned int scope = 0; scope < COUNTER_SCOPES; scope++) {
		fprintf(to, "%s### %s\n\n| Field | Kind | Unit | Meaning |\n|---|---|---|---|\n",
			scope != 0 ? "\n" : "", headings[scope]);
		for (const struct counter *c = rows; c < rows + ROW_COUNT; c++)
			if (c->scope == scope)
				fprintf(to, "| `%s` | %s | %s | %s |\n", c->name, kinds[c->kind],
					c->unit, c->help);
	}
}
