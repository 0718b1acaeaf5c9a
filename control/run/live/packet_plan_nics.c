// SPDX-License-Identifier: BSD-3-Clause
// Packets for the queues of edge NICs, one for every cell of every priority, each way, as for the
// buffers of switches: however long hosts are paused, what waits in their NICs takes nothing from
// others. Where `live.packet-memory` has not enough, switches come first, and NICs hold less: not
// by a count of their own at each packet, but because their queues are shorter. All have the same
// limit, so a NIC with a large buffer takes nothing from NICs with small ones.
//
// Hosts that may be attached while the fabric runs share what those of the file leave, as far as
// the list of devices has room for them. Nobody has less because of them.
#include "packet_plan_nics.h"

#include "control/base/memory.h"
#include "control/base/text.h"

#include <stdlib.h>

#define NICS_QUEUES (2u * PRIORITIES)
#define NICS_PART 4 // they may take so much from switches: 1/4 of the memory

static struct nic_packet_link
link_of(const struct live_fabric *live, uint32_t host, uint16_t port,
	const struct config_attach *attach)
{
	const struct topology *t = live->topology;
	const struct topo_node *leaf = &t->nodes[topology_host(t, host)->ports[port].peer_node];
	struct switch_config settings;
	struct fabric_nic_buffer buffer = {0, 0};

	if (config_switch(live->config, leaf->name, leaf->role, &settings) == 0)
		buffer = fabric_nic_buffer(t, &settings, host, port, attach);
	return (struct nic_packet_link){buffer.bytes, buffer.least_bytes};
}

// Bytes of memory for so many bytes of every queue of a link.
static uint64_t
memory_of(const struct packet_plan_nics *nics, uint64_t bytes)
{
	const struct nic_packet_costs *c = &nics->costs;

	return NICS_QUEUES *
	       (bytes / c->cell * c->small + bytes / (PACKET_STORE_SMALL_FRAME + 1) * c->large);
}

static uint64_t
held_by(const struct nic_packet_link *link, uint64_t most)
{
	most = most > link->least_bytes ? most : link->least_bytes;
	return link->bytes < most ? link->bytes : most;
}

// The same of several links, when each holds no more than `most`.
static uint64_t
memory_of_links(const struct packet_plan_nics *nics, struct nic_packet_links links, uint64_t most)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < links.count; i++)
		sum += memory_of(nics, held_by(&links.list[i], most));
	return sum;
}

static uint64_t
most_wanted(struct nic_packet_links links)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < links.count; i++)
		most = links.list[i].bytes > most ? links.list[i].bytes : most;
	return most;
}

// The most that each of these links may hold so that all fit into this memory.
static uint64_t
most_that_fits(const struct packet_plan_nics *nics, struct nic_packet_links links, uint64_t memory)
{
	uint64_t low = 0, high = most_wanted(links);

	while (low < high) {
		uint64_t middle = high - (high - low) / 2;

		if (memory_of_links(nics, links, middle) <= memory)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

// Whether the file attaches this port of a host.
static bool
is_listed(const struct live_fabric *live, uint32_t host, uint16_t port)
{
	for (uint32_t i = 0; i < live->device_count; i++)
		if (live->devices[i].host == host && live->devices[i].host_port == port)
			return true;
	return false;
}

static void
list_later(struct packet_plan_nics *nics, const struct live_fabric *live)
{
	const struct topology *t = live->topology;
	struct nic_packet_links *later = &nics->later;

	for (uint32_t h = 0; h < t->host_count; h++)
		for (uint16_t p = 0; p < topology_host(t, h)->port_count; p++) {
			if (later->count == DEVICE_PORTS_SPARE)
				return;
			if (live_is_here(live, t->first_host + h) && !is_listed(live, h, p))
				later->list[later->count++] = link_of(live, h, p, NULL);
		}
}

void
packet_plan_list_nics(struct packet_plan_nics *nics, const struct live_fabric *live,
		      struct nic_packet_costs costs)
{
	struct nic_packet_links *attached = &nics->attached;

	*nics = (struct packet_plan_nics){
		.costs = costs,
		.attached.list = memory_array(live->device_count + DEVICE_PORTS_SPARE,
					      sizeof(*attached->list), "NICs"),
	};
	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];

		if (d->host != TOPOLOGY_NONE && d->attach->nic)
			attached->list[attached->count++] =
				link_of(live, d->host, d->host_port, d->attach);
	}
	nics->least_memory = memory_of_links(nics, *attached, 0);
	nics->later.list = attached->list + attached->count;
	list_later(nics, live);
}

static void
note_less(const struct live_fabric *live, const struct packet_plan_nics *nics,
	  const struct packet_plan *plan)
{
	char allowed[TEXT_VALUE_MAX], wanted[TEXT_VALUE_MAX], held[TEXT_VALUE_MAX];

	fprintf(live->notes,
		"roost: note: NICs of attached hosts hold %s of a priority each way instead of %s: "
		"`live.packet-memory` allows %s\n",
		text_bytes(held, plan->waiting.nic_bytes),
		text_bytes(wanted, most_wanted(nics->attached)),
		text_bytes(allowed, plan->memory_bytes));
}

// Adds packets for links that hold no more than `most`. Returns the memory that they take.
static uint64_t
add_packets(const struct packet_plan_nics *nics, struct nic_packet_links links, uint64_t most,
	    struct packet_plan *plan)
{
	for (uint32_t i = 0; i < links.count; i++) {
		uint64_t bytes = held_by(&links.list[i], most);

		plan->store.small += NICS_QUEUES * (bytes / nics->costs.cell);
		plan->store.large += NICS_QUEUES * (bytes / (PACKET_STORE_SMALL_FRAME + 1));
	}
	return memory_of_links(nics, links, most);
}

// Shares what is left among NICs of hosts that may be attached. Where there is too little for the
// least that each is to hold, only some are counted.
static uint64_t
share_later(const struct packet_plan_nics *nics, uint64_t left, struct packet_plan *plan)
{
	struct nic_packet_links links = nics->later;
	uint64_t most;

	while (memory_of_links(nics, links, 0) > left)
		links.count--;
	most = most_that_fits(nics, links, left);
	plan->waiting.later_nic_bytes = most != 0 ? most : 1; // 0 is no limit
	return add_packets(nics, links, most, plan);
}

uint64_t
packet_plan_share_nics(const struct packet_plan_nics *nics, const struct live_fabric *live,
		       uint64_t part, uint64_t switches, struct packet_plan *plan)
{
	uint64_t all = memory_of_links(nics, nics->attached, UINT64_MAX);
	uint64_t room = part > switches ? part - switches : 0;
	uint64_t least = all < part / NICS_PART ? all : part / NICS_PART;
	uint64_t most, taken;

	least = least > nics->least_memory ? least : nics->least_memory;
	room = room > least ? room : least;
	most = most_that_fits(nics, nics->attached, room);
	plan->waiting.nic_bytes = most != 0 ? most : 1; // 0 is no limit
	taken = add_packets(nics, nics->attached, most, plan);
	if (most < most_wanted(nics->attached))
		note_less(live, nics, plan);
	return taken + share_later(nics, room - taken, plan);
}

void
packet_plan_free_nics(struct packet_plan_nics *nics)
{
	free(nics->attached.list);
}
