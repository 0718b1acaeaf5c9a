// SPDX-License-Identifier: BSD-3-Clause
// Who sends to whom: single flows and streams, incast, permutation, shift.
#include "workload_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>

// The ends of an item with one sender.
static int
resolve_ends(const struct item *item, struct item_flow *out)
{
	const struct config_work *work = item->work;

	out->pos = work->pos;
	return item_resolve(item, &work->from.items[0], "workload.from", &out->src) != 0
		       ? -EINVAL
		       : item_resolve(item, &work->to, "workload.to", &out->dst);
}

static int
add_sender(struct item *item, const struct topo_endpoint *src, const struct topo_endpoint *dst,
	   struct diag_pos pos)
{
	const struct item_flow flow = {
		.src = *src,
		.dst = *dst,
		.bytes = item->work->size_bytes,
		.priority = -1,
		.start_ps = item_draw_start(item, src->host),
		.pos = pos,
	};

	return item_add_flow(item, &flow);
}

int
item_flow(struct item *item)
{
	struct item_flow ends;

	if (resolve_ends(item, &ends) != 0)
		return -EINVAL;
	return add_sender(item, &ends.src, &ends.dst, ends.pos);
}

int
item_stream(struct item *item)
{
	const struct config_work *work = item->work;
	struct workload *w = item->workload;
	struct item_flow ends = {0};
	struct item_path path;

	if (resolve_ends(item, &ends) != 0 || item_find_path(item, &ends, &path) != 0)
		return -EINVAL;
	w->streams = memory_grow(w->streams, w->stream_count, sizeof(*w->streams), "streams");
	w->streams[w->stream_count++] = (struct stream_spec){
		.src = ends.src.host,
		.dst = ends.dst.host,
		.packet_bytes = work->packet_bytes,
		.rate_bps = work->rate_bps,
		.start_ps = item_draw_start(item, ends.src.host),
		.until_ps = work->until_ps != 0 ? work->until_ps : PS_NEVER,
		.item = item->index,
		.tenant = topology_host_tenant(item->topology, ends.src.host),
		.src_port = path.src_port,
		.dst_port = ends.dst.port,
		.priority = work->priority >= 0 ? (uint8_t)work->priority
						: item->hosts[ends.src.host].priority,
		.ttl = work->ttl,
		.arrivals = (uint8_t)work->arrivals,
	};
	return 0;
}

// All NICs of each sender, to one.
int
item_incast(struct item *item)
{
	const struct config_work *work = item->work;
	struct topo_endpoint src, dst;
	int result = 0;

	if (item_resolve(item, &work->to, "workload.to", &dst) != 0)
		return -EINVAL;
	for (unsigned i = 0; i < work->from.count; i++) {
		struct item_members senders = {0};
		int error = item_resolve(item, &work->from.items[i], "workload.from", &src);

		if (error == 0)
			item_expand(item, &src, &senders);
		for (uint32_t s = 0; error == 0 && s < senders.count; s++)
			error = add_sender(item, &senders.ends[s], &dst, work->from.items[i].pos);
		item_free_members(&senders);
		if (error == 0)
			continue;
		result = error;
		i = config_range_last(&work->from, i);
	}
	return result;
}

// A permutation in which no host sends to itself, each equally likely: shuffles (Fisher,
// Yates) are drawn until one is such, which is e^n times on average where hosts have n NICs.
static void
derange(struct random *random, const struct item_members *m, uint32_t *order)
{
	bool fixed;

	do {
		fixed = false;
		for (uint32_t i = 0; i < m->count; i++)
			order[i] = i;
		for (uint32_t i = m->count - 1; i > 0; i--) {
			uint32_t j = random_below(random, i + 1), swapped = order[i];

			order[i] = order[j];
			order[j] = swapped;
		}
		for (uint32_t i = 0; i < m->count; i++)
			fixed |= m->ends[order[i]].host == m->ends[i].host;
	} while (fixed);
}

// A host with more than half of the NICs would have to send to itself.
static int
check_halves(const struct item *item, const struct item_members *m)
{
	uint32_t *by_host = memory_array(item->topology->host_count, sizeof(*by_host), "hosts");
	uint32_t i = 0;

	while (i < m->count && ++by_host[m->ends[i].host] <= m->count / 2)
		i++;
	free(by_host);
	if (i == m->count)
		return 0;
	return diag_error(
		item->diag, item->file, item->work->pos, "workload",
		"%s has more than half of the %u NICs: some would have to send to their own host",
		topology_host(item->topology, m->ends[i].host)->name, m->count);
}

int
item_permutation(struct item *item)
{
	struct item_members members;
	uint32_t *order;
	int error = item_find_members(item, &members);

	if (error == 0)
		error = check_halves(item, &members);
	order = memory_array(members.count, sizeof(*order), "hosts");
	if (error == 0)
		derange(&item->random, &members, order);
	for (uint32_t i = 0; error == 0 && i < members.count; i++)
		error = add_sender(item, &members.ends[i], &members.ends[order[i]],
				   item->work->pos);
	free(order);
	item_free_members(&members);
	return error;
}

// NIC by NIC to the host `by` places on; where that has fewer, its NICs take turns.
static int
shift_group(struct item *item, const struct item_members *m, uint32_t group)
{
	uint32_t other = (group + item->work->by) % m->group_count;
	uint32_t first = m->groups[group], to = m->groups[other];
	uint32_t ports = item_group_size(m, other);
	int error = 0;

	for (uint32_t i = 0; error == 0 && i < item_group_size(m, group); i++)
		error = add_sender(item, &m->ends[first + i], &m->ends[to + i % ports],
				   item->work->pos);
	return error;
}

int
item_shift(struct item *item)
{
	struct item_members members;
	int error = item_find_members(item, &members);

	for (uint32_t g = 0; error == 0 && g < members.group_count; g++)
		error = shift_group(item, &members, g);
	item_free_members(&members);
	return error;
}
