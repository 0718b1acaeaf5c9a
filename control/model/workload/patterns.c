// SPDX-License-Identifier: BSD-3-Clause
// Who sends to whom: single flows, incast, permutation, shift.
#include "workload_internal.h"

#include <errno.h>
#include <stdlib.h>

int
item_flow(struct item *item)
{
	const struct config_work *work = item->work;
	struct item_flow flow = {
		.bytes = work->size_bytes,
		.handed_bytes = work->size_bytes,
		.priority = -1,
		.pos = work->pos,
	};

	if (item_resolve(item, &work->from.items[0], "workload.from", &flow.src) != 0 ||
	    item_resolve(item, &work->to, "workload.to", &flow.dst) != 0)
		return -EINVAL;
	flow.start_ps = item_draw_start(item, flow.src.host);
	return item_add_flow(item, &flow, NULL);
}

static int
add_sender(struct item *item, const struct topo_endpoint *src, const struct topo_endpoint *dst,
	   struct diag_pos pos)
{
	const struct item_flow flow = {
		.src = *src,
		.dst = *dst,
		.bytes = item->work->size_bytes,
		.handed_bytes = item->work->size_bytes,
		.priority = -1,
		.start_ps = item_draw_start(item, src->host),
		.pos = pos,
	};

	return item_add_flow(item, &flow, NULL);
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
	for (unsigned i = 0; i < work->from.count && result != -ENOMEM; i++) {
		struct item_members senders = {0};
		int error = item_resolve(item, &work->from.items[i], "workload.from", &src);

		if (error == 0)
			error = item_expand(item, &src, &senders);
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

// A permutation in which no host sends to itself, each equally likely: whole shuffles (Fisher,
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
	uint32_t *by_host = calloc(item->topology->host_count, sizeof(*by_host));
	int error = by_host == NULL ? -ENOMEM : 0;

	for (uint32_t i = 0; error == 0 && i < m->count; i++) {
		uint32_t host = m->ends[i].host;

		if (++by_host[host] <= m->count / 2)
			continue;
		diag_error(item->diag, item->file, item->work->pos, "workload",
			   "%s has more than half of the %u NICs: some would send to it again",
			   topology_host(item->topology, host)->name, m->count);
		error = -EINVAL;
	}
	free(by_host);
	return error;
}

int
item_permutation(struct item *item)
{
	struct item_members members;
	uint32_t *order = NULL;
	int error = item_find_members(item, &members);

	if (error == 0)
		error = check_halves(item, &members);
	if (error == 0) {
		order = calloc(members.count, sizeof(*order));
		error = order == NULL ? -ENOMEM : 0;
	}
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
	uint32_t ports = m->groups[other + 1] - to;
	int error = 0;

	for (uint32_t i = first; error == 0 && i < m->groups[group + 1]; i++)
		error = add_sender(item, &m->ends[i], &m->ends[to + (i - first) % ports],
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
