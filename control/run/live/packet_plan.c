// SPDX-License-Identifier: BSD-3-Clause
// How many packets a live fabric has. A buffer full of the smallest frames needs one small packet
// for every cell; a buffer full of frames just too long for a small packet needs fewer packets, but
// large ones. Both can happen in turn, so there are enough of both kinds. Together they are several
// times as large as the buffers, but only address space until that many packets wait.
// `live.packet-memory` limits them; if it is less, the share of every switch shrinks. Packets on
// wires, in simulated NICs and in workers' caches are extra, so that they take nothing from the
// shares. So are those in the queues of edge NICs (packet_plan_nics.c).
#include "packet_plan_nics.h"

#include "control/base/memory.h"
#include "control/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define PLAN_BUFFERS_MIN (UINT64_C(8) << 20)
#define PLAN_CELL_DEFAULT 192u
// Packets of devices: how many may wait before received frames are copied, how many stay free for
// receiving, and how many each lcore caches.
#define PLAN_DEVICE_WAITING 12288u
#define PLAN_DEVICE_RESERVE 4096u
#define PLAN_DEVICE_LCORE 512u
// Packets of the store that are in no switch's buffer.
#define PLAN_WORKER_PACKETS (2 * LIVE_LIFO_PACKETS)
#define PLAN_HOST_PACKETS 512u
#define PLAN_DEVICE_PACKETS 512u
#define PLAN_WIRE_PACKETS 64u

struct buffers {
	uint64_t bytes; // of all switches together
	uint32_t cell;  // the smallest
};

static struct buffers
sum_of_buffers(const struct live_fabric *live)
{
	const struct topology *t = live->topology;
	struct buffers sum = {.cell = PLAN_CELL_DEFAULT};
	struct switch_config settings;

	for (uint32_t i = 0; i < t->first_host; i++) {
		if (!live_is_here(live, i) ||
		    config_switch(live->config, t->nodes[i].name, t->nodes[i].role, &settings) != 0)
			continue;
		sum.bytes += settings.buffer_bytes;
		if (settings.cell_bytes < sum.cell)
			sum.cell = settings.cell_bytes;
	}
	return sum;
}

static void
note_more(struct buffers *most, struct buffers b)
{
	if (b.bytes > most->bytes)
		most->bytes = b.bytes;
	if (b.cell < most->cell)
		most->cell = b.cell;
}

// The largest total of the switches' buffers, as they are and as the file's events will make them.
static struct buffers
most_of_buffers(const struct live_fabric *live)
{
	unsigned count, held = 0;
	struct config_step *steps = config_list_steps(live->config, &count);
	struct diag scratch = {0};
	struct buffers most = sum_of_buffers(live);

	for (unsigned i = 0; steps != NULL && i < count; i++) {
		const struct config_event *event = steps[i].event;
		const struct config_edit edit = config_event_edit(event);

		if (!config_event_edits(event) ||
		    config_edit(live->config, &edit, 1, &scratch) != 0)
			continue;
		held++;
		note_more(&most, sum_of_buffers(live));
	}
	while (held-- > 0)
		config_set_undo(live->config);
	diag_free(&scratch);
	free(steps);
	return most;
}

// Small packets that are in no buffer: on wires (back to back, for their delay), in simulated NICs,
// and in workers' LIFOs.
static uint64_t
packets_elsewhere(const struct live_fabric *live)
{
	const struct topology *t = live->topology;
	uint64_t sum = live->worker_count * PLAN_WORKER_PACKETS;

	for (uint32_t i = t->first_host; i < t->node_count; i++)
		sum += live_is_here(live, i) ? PLAN_HOST_PACKETS : 0;
	for (uint32_t i = 0; i < t->link_count; i++) {
		const struct topo_link *link = &t->links[i];
		uint64_t frame = time_of_bytes(time_byte_time(link->rate_bps), PACKET_FRAME_MIN);

		if (!live_is_here(live, link->a.node) && !live_is_here(live, link->b.node))
			continue;
		sum += 2 * (link->delay_ps / (frame == 0 ? 1 : frame) + PLAN_WIRE_PACKETS);
	}
	return sum;
}

static uint64_t
memory_allowed(const struct live_fabric *live)
{
	if (!live->config->live.packet_memory_auto)
		return live->config->live.packet_memory_bytes;
	return (uint64_t)sysconf(_SC_PHYS_PAGES) / 2 * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void
plan_devices(const struct live_fabric *live, struct packet_plan *plan)
{
	unsigned workers = live->worker_count * PLAN_DEVICE_LCORE;

	plan->devices = device_ports_pool(live->devices, live->device_count);
	// For hosts that are attached while it runs: their veths may be opened by AF_XDP.
	plan->devices.one_chunk |= live->device_count == 0;
	// Half of what drivers hold is in transmit rings, and so may just as well be free.
	plan->reserve = plan->devices.packets / 2 + PLAN_DEVICE_RESERVE;
	plan->devices.packets += workers + PLAN_DEVICE_WAITING + PLAN_DEVICE_RESERVE;
}

static void
note_cap(const struct live_fabric *live, const struct packet_plan *plan, uint64_t wanted)
{
	char allowed[TEXT_VALUE_MAX], needed[TEXT_VALUE_MAX], buffers[TEXT_VALUE_MAX];

	fprintf(live->notes,
		"roost: note: buffers of %s full of small packets would take %s of memory; "
		"`live.packet-memory` allows %s, so switches pause or drop (`packet-memory`) "
		"before such packets fill a buffer\n",
		text_bytes(buffers, plan->waiting.buffers_bytes), text_bytes(needed, wanted),
		text_bytes(allowed, plan->memory_bytes));
}

// To the three digits that text_bytes() prints, so that what it says is enough.
static uint64_t
round_up(uint64_t bytes)
{
	uint64_t step = 1;

	while (bytes / step >= 1000)
		step *= 10;
	return (bytes + step - 1) / step * step;
}

static int
fail_too_little(const struct packet_plan *plan, uint64_t taken, struct diag *diag)
{
	char allowed[TEXT_VALUE_MAX], needed[TEXT_VALUE_MAX];

	return diag_fail(diag, ENOMEM,
			 "live.packet-memory: %s is too little: devices and links of this fabric "
			 "need %s even if no packet waits",
			 text_bytes(allowed, plan->memory_bytes),
			 text_bytes(needed, round_up(taken)));
}

int
packet_plan_make(const struct live_fabric *live, struct packet_plan *plan, struct diag *diag)
{
	const struct buffers buffers = most_of_buffers(live);
	const uint64_t bytes = buffers.bytes > PLAN_BUFFERS_MIN ? buffers.bytes : PLAN_BUFFERS_MIN;
	uint64_t elsewhere = packets_elsewhere(live), fixed, least, wanted, part;
	size_t small = packet_store_small_bytes(), large;
	struct packet_plan_nics nics;
	uint64_t *waiting;

	*plan = (struct packet_plan){.memory_bytes = memory_allowed(live)};
	plan_devices(live, plan);
	plan->waiting = (struct fabric_packets){
		.buffers_bytes = bytes,
		.count = {bytes / buffers.cell + live->topology->first_host,
			  bytes / (PACKET_STORE_SMALL_FRAME + 1) + live->topology->first_host},
	};
	waiting = plan->waiting.count;
	plan->store.large_room = RTE_PKTMBUF_HEADROOM + plan->devices.room;
	large = packet_store_large_bytes(plan->store.large_room);
	plan->store.small = elsewhere;
	plan->store.large = live->worker_count * PLAN_WORKER_PACKETS +
			    (uint64_t)live->device_count * PLAN_DEVICE_PACKETS;
	fixed = pool_bytes(&plan->devices) + packet_store_bytes(&plan->store);
	wanted = waiting[PACKET_SMALL] * small + waiting[PACKET_LARGE] * large;
	part = plan->memory_bytes > fixed ? plan->memory_bytes - fixed : 0;
	packet_plan_list_nics(&nics, live, (struct nic_packet_costs){buffers.cell, small, large});
	least = live->topology->first_host * PLAN_WIRE_PACKETS * (small + large);
	if (part < least + nics.least_memory) {
		packet_plan_free_nics(&nics);
		return fail_too_little(plan, fixed + least + nics.least_memory, diag);
	}
	part -= packet_plan_share_nics(&nics, live, part, wanted, plan);
	packet_plan_free_nics(&nics);
	if (wanted > part) {
		note_cap(live, plan, plan->memory_bytes - part + wanted);
		plan->waiting.capped = true;
		for (unsigned i = 0; i < 2; i++)
			waiting[i] =
				(uint64_t)((double)waiting[i] * ((double)part / (double)wanted));
	}
	plan->store.small += waiting[PACKET_SMALL];
	plan->store.large += waiting[PACKET_LARGE];
	return 0;
}
