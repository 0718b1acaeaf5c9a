// SPDX-License-Identifier: BSD-3-Clause
// Link-level retry fills a link only if the replay buffer holds what a port sends in a round trip,
// and a timer below the longest round trip sends again what has arrived.
#include "advice_internal.h"

#include "control/model/tables/build.h"
#include "dataplane/base/headers.h"
#include "dataplane/base/llr.h"

#include <inttypes.h>
#include <stdio.h>

// What a port sends in a round trip, in frames of its MTU.
struct trip {
	uint64_t frame; // bytes, without FCS
	uint64_t held;  // frames that the buffer holds
	ps_t slot;      // from the start of a frame to that of the next
	ps_t time;      // from the start of a frame to the end of its ACK, without other traffic
};

static struct trip
measure(const struct fabric *f, uint32_t node, uint16_t p)
{
	const struct topo_port *port = &f->topology->nodes[node].ports[p];
	const struct port_profile *profile = f->tables[node]->ports[p].profile;
	const struct llr_port *llr = &f->tables[node]->llr[p];
	const uint64_t frame = HEADER_ETHERNET_BYTES + (uint64_t)port->mtu;
	const uint64_t sent = frame + profile->preamble + profile->fcs;
	const uint64_t held = 1 + llr->limit / frame;

	return (struct trip){
		.frame = frame,
		.held = held < llr->frames ? held : llr->frames,
		.slot = time_of_bytes(profile->byte_time, sent + profile->gap),
		.time = time_of_bytes(profile->byte_time, sent + LLR_SET_BYTES) +
			2 * port->delay_ps + advice_latencies(f, node, port),
	};
}

static void
check_buffer(const struct fabric *f, uint32_t node, uint16_t p, struct advice_findings *all)
{
	const struct topo_port *port = &f->topology->nodes[node].ports[p];
	const struct llr_port *llr = &f->tables[node]->llr[p];
	const struct trip trip = measure(f, node, p);
	char kind[ADVICE_KIND_MAX], name[TOPOLOGY_NAME_MAX], holds[48];
	const bool most = trip.held == llr->frames;

	if (trip.held * trip.slot >= trip.time)
		return;
	if (most)
		snprintf(holds, sizeof(holds), "a port keeps %u at most", llr->frames);
	else
		snprintf(holds, sizeof(holds), "the buffer holds %" PRIu64, trip.held);
	advice_link_kind(f, node, port, kind);
	topology_port_name(f->topology, node, p, name);
	advice_note(all,
		    advice_pos(f, node, ADVICE_FIRST_SET, "qos.llr.replay-buffer qos.llr.state"),
		    "qos.llr.replay-buffer", name,
		    "%slinks of %g Gb/s with a delay of %.0f ns carry %" PRIu64
		    " frames of MTU %u in a round trip, and %s: %u %% of the rate at @: %s",
		    kind, (double)port->rate_bps / 1e9, (double)port->delay_ps / 1e3,
		    (trip.time + trip.slot - 1) / trip.slot, port->mtu, holds,
		    advice_percent(trip.held * trip.slot, trip.time),
		    most ? "use larger frames, shorter cables or a lower rate" : "write auto");
}

static void
check_timer(const struct fabric *f, uint32_t node, uint16_t p, struct advice_findings *all)
{
	const struct topo_port *port = &f->topology->nodes[node].ports[p];
	const struct switch_config *settings = &f->switches[node];
	const ps_t timer = settings->llr.timer_ps;
	// A NIC has the settings of its leaf.
	const uint32_t far = port->peer_node < f->topology->first_host ? port->peer_node : node;
	const ps_t trip = tables_llr_round_trip(f->config, &f->switches[far], port,
						advice_latencies(f, node, port));
	char name[TOPOLOGY_NAME_MAX];
	struct advice_finding *one;

	if (settings->llr.timer_auto || timer >= trip)
		return;
	topology_port_name(f->topology, node, p, name);
	one = advice_note(all, advice_pos(f, node, ADVICE_FIRST_SET, "qos.llr.timer"),
			  "qos.llr.timer", name,
			  "%g us is less than the round trip of @: frames that have arrived may "
			  "be sent again: write auto",
			  (double)timer / PS_PER_US);
	if (one != NULL)
		snprintf(one->detail, sizeof(one->detail), " (up to %.3g us)",
			 (double)trip / PS_PER_US);
}

void
advice_short_replay(const struct fabric *f, struct diag *diag)
{
	struct advice_findings all = {.one = "port", .many = "ports"};

	for (uint32_t n = 0; n < f->topology->first_host; n++)
		for (uint16_t p = 0;
		     f->tables[n]->llr != NULL && p < f->topology->nodes[n].port_count; p++) {
			check_buffer(f, n, p, &all);
			check_timer(f, n, p, &all);
		}
	advice_report(&all, f, diag);
}
