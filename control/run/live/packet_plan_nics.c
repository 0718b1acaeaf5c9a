// SPDX-License-Identifier: BSD-3-Clause
// Packets for the queues of edge NICs, one for every cell of every priority, each way, as for the
// buffers of switches: however long hosts are paused, what waits in their NICs takes nothing from
// others. Where `live.packet-memory` has not enough, switches come first, and NICs hold less: not
// by a count of their own at each packet, but because their queues are shorter. All get the same at
// most, so one that is to hold much takes nothing from those that hold little.
//
// Hosts that may be attached while the fabric runs are counted too, as far as the list of devices
// has room for them, unless the others would hold little because of it.
#include "packet_plan_nics.h"

#include "control/base/memory.h"
#include "control/base/text.h"

#include <stdlib.h>

#define NICS_QUEUES (2u * PRIORITIES)
#define NICS_PART 4              // they may take so much from switches: 1/4 of the memory
#define NICS_ENOUGH_BYTES 262144 // with which hosts that are not attached yet are counted too

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

// The same of the first `count` links, when each holds no more than `most`.
static uint64_t
memory_of_links(const struct packet_plan_nics *nics, uint32_t count, uint64_t most)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += memory_of(nics, held_by(&nics->links[i], most));
	return sum;
}

static uint64_t
most_wanted(const struct packet_plan_nics *nics, uint32_t count)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < count; i++)
		most = nics->links[i].bytes > most ? nics->links[i].bytes : most;
	return most;
}

// The most that each of the first `count` links may hold so that all fit into this memory.
static uint64_t
most_that_fits(const struct packet_plan_nics *nics, uint32_t count, uint64_t memory)
{
	uint64_t low = 0, high = most_wanted(nics, count);

	while (low < high) {
		uint64_t middle = high - (high - low) / 2;

		if (memory_of_links(nics, count, middle) <= memory)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

void
packet_plan_list_nics(struct packet_plan_nics *nics, const struct live_fabric *live,
		      struct nic_packet_costs costs)
{
	const struct topology *t = live->topology;
	bool *listed = memory_array(t->host_count, sizeof(*listed), "hosts");

	*nics = (struct packet_plan_nics){
		.costs = costs,
		.links = memory_array(live->device_count + DEVICE_PORTS_SPARE, sizeof(*nics->links),
				      "NICs"),
	};
	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];

		if (d->host == TOPOLOGY_NONE)
			continue;
		listed[d->host] = true;
		if (d->attach->nic)
			nics->links[nics->attached++] =
				link_of(live, d->host, d->host_port, d->attach);
	}
	for (uint32_t i = 0; i < nics->attached; i++)
		nics->least_memory += memory_of(nics, nics->links[i].least_bytes);
	nics->count = nics->attached;
	for (uint32_t h = 0; h < t->host_count; h++)
		for (uint16_t p = 0; !listed[h] && p < topology_host(t, h)->port_count; p++)
			if (nics->count - nics->attached < DEVICE_PORTS_SPARE)
				nics->links[nics->count++] = link_of(live, h, p, NULL);
	free(listed);
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
		text_bytes(wanted, most_wanted(nics, nics->attached)),
		text_bytes(allowed, plan->memory_bytes));
}

uint64_t
packet_plan_share_nics(const struct packet_plan_nics *nics, const struct live_fabric *live,
		       uint64_t part, uint64_t switches, struct packet_plan *plan)
{
	uint64_t all = memory_of_links(nics, nics->attached, UINT64_MAX);
	uint64_t room = part > switches ? part - switches : 0;
	uint64_t least = all < part / NICS_PART ? all : part / NICS_PART;
	uint32_t counted = nics->count;
	uint64_t most;

	if (nics->count == 0)
		return 0;
	least = least > nics->least_memory ? least : nics->least_memory;
	room = room > least ? room : least;
	most = most_that_fits(nics, counted, room);
	if (most < NICS_ENOUGH_BYTES && most < most_wanted(nics, counted)) {
		counted = nics->attached;
		most = most_that_fits(nics, counted, room);
	}
	plan->waiting.nic_bytes = most != 0 ? most : 1; // 0 is no limit
	for (uint32_t i = 0; i < counted; i++) {
		uint64_t bytes = held_by(&nics->links[i], most);

		plan->store.small += NICS_QUEUES * (bytes / nics->costs.cell);
		plan->store.large += NICS_QUEUES * (bytes / (PACKET_STORE_SMALL_FRAME + 1));
	}
	if (most < most_wanted(nics, nics->attached))
		note_less(live, nics, plan);
	return memory_of_links(nics, counted, most);
}

void
packet_plan_free_nics(struct packet_plan_nics *nics)
{
	free(nics->links);
}
