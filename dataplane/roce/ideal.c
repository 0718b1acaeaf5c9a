// SPDX-License-Identifier: BSD-3-Clause
// Packets alone on a path are a tandem of queues: packet i starts on hop h when it has arrived
// there and packet i - 1 has left the transmitter, so start(h, i) = max(arrival(h, i), free(h, i -
// 1)). At a cut-through switch it has arrived when its header has. Packets and their
// acknowledgements are taken through that one by one, until it is steady; then as many as possible
// are skipped; the last are taken one by one again.
//
// Steady: packets of one size follow one another on hop h no further apart than d(h), the largest
// transmission time of hops 1 to h. (On hop 1 they are d(1) apart; max(arrival, free) is no later
// than the last start plus the larger of both differences.) Once they are d(h) apart on every hop,
// they stay so: where d(h) is the hop's own time, each starts as the one before ends; where it is
// larger, the hop was idle before the packet and it started as it arrived, and arrivals are d(h -
// 1) = d(h) apart. The same holds for acknowledgements, one for each ack_every packets. So a block
// of ack_every packets that finds every hop that much later than the block before can be repeated
// by adding.
//
// Of a READ the request goes by the acknowledgements' path, once: further ones are there before
// their turn comes. Nothing follows its responses.
#include "ideal.h"

#include "nic.h"

#include <errno.h>

struct path {
	const struct ideal_hop *hops;
	unsigned int count;
	ps_t free[IDEAL_HOPS_MAX];
	ps_t before[IDEAL_HOPS_MAX]; // free, a block ago
};

static ps_t
occupancy(const struct ideal_hop *hop, uint32_t bytes)
{
	return time_of_bytes(hop->byte_time,
			     bytes + hop->encap_bytes + hop->preamble + hop->fcs + hop->gap);
}

// Bytes behind the preamble that the far node must have.
static uint32_t
needed(const struct ideal_hop *hop, uint32_t bytes)
{
	const uint32_t frame = bytes + hop->encap_bytes + hop->fcs;

	return hop->header != 0 && hop->header < frame ? hop->header : frame;
}

// Takes a packet that is ready at `at` along the path and returns when it arrives.
static ps_t
path_carry(struct path *p, uint32_t bytes, ps_t at)
{
	for (unsigned int i = 0; i < p->count; i++) {
		const struct ideal_hop *hop = &p->hops[i];
		ps_t start = at > p->free[i] ? at : p->free[i];

		p->free[i] = start + occupancy(hop, bytes);
		at = start + time_of_bytes(hop->byte_time, hop->preamble + needed(hop, bytes)) +
		     hop->delay;
	}
	return at;
}

static void
path_remember(struct path *p)
{
	memcpy(p->before, p->free, sizeof(p->before));
}

// Whether the hops are further by what `count` packets `apart` take in the steady state; *apart
// becomes their distance behind the path.
static bool
path_steady(const struct path *p, uint32_t bytes, uint32_t count, ps_t *apart)
{
	for (unsigned int i = 0; i < p->count; i++) {
		ps_t own = occupancy(&p->hops[i], bytes);

		*apart = own > *apart ? own : *apart;
		if (p->free[i] - p->before[i] != count * *apart)
			return false;
	}
	return true;
}

static void
path_repeat(struct path *p, uint64_t times)
{
	for (unsigned int i = 0; i < p->count; i++)
		p->free[i] += times * (p->free[i] - p->before[i]);
}

struct run {
	const struct ideal_flow *flow;
	struct path data;
	struct path acks;
	uint64_t packets;
	uint32_t unacknowledged;
	ps_t begun; // when the first packet may go
	ps_t completed;
};

// Bytes of headers behind the BTH.
static uint32_t
extra_bytes(const struct ideal_flow *f, bool first, bool ends_part, bool last)
{
	switch (f->op) {
	case NIC_OP_SEND:
		return 0;
	case NIC_OP_READ:
		return first || ends_part || last ? sizeof(struct roce_aeth) : 0;
	default:
		return (f->every_extra != 0 ? f->every_extra
			: first             ? (uint32_t)sizeof(struct roce_reth)
					    : 0) +
		       (last && f->immediate ? (uint32_t)sizeof(struct roce_immdt) : 0);
	}
}

static void
run_packet(struct run *r, uint64_t index)
{
	const struct ideal_flow *f = r->flow;
	bool last = index + 1 == r->packets;
	bool first = index % NIC_WRITE_PACKETS == 0;
	bool ends_part = (index + 1) % NIC_WRITE_PACKETS == 0;
	uint32_t payload = last ? (uint32_t)(f->bytes - index * f->path_mtu) : f->path_mtu;
	ps_t at = path_carry(&r->data,
			     frame_data_bytes(f->sizes.network, f->sizes.header_bytes, payload,
					      extra_bytes(f, first, ends_part, last)),
			     r->begun);

	if (f->op == NIC_OP_READ)
		r->completed = at;
	if (++r->unacknowledged < f->ack_every && !last && !ends_part)
		return;
	r->unacknowledged = 0;
	if (f->op != NIC_OP_READ)
		r->completed = path_carry(
			&r->acks, frame_ack_bytes(f->sizes.network, f->sizes.ack_bytes), at);
}

// How many packets from `index` on are neither the first nor the last of a WRITE.
static uint64_t
middles(const struct run *r, uint64_t index)
{
	uint64_t end = index - index % NIC_WRITE_PACKETS + NIC_WRITE_PACKETS;

	end = end < r->packets ? end : r->packets;
	return index % NIC_WRITE_PACKETS == 0 ? 0 : end - 1 - index;
}

static bool
run_steady(const struct run *r)
{
	const struct ideal_flow *f = r->flow;
	uint32_t bytes = frame_data_bytes(f->sizes.network, f->sizes.header_bytes, f->path_mtu,
					  f->every_extra);
	ps_t apart = 0;

	if (!path_steady(&r->data, bytes, f->ack_every, &apart))
		return false;
	if (f->op == NIC_OP_READ)
		return true;
	apart *= f->ack_every;
	return path_steady(&r->acks, frame_ack_bytes(f->sizes.network, f->sizes.ack_bytes), 1,
			   &apart);
}

int
ideal_completion(const struct ideal_flow *f, ps_t *out)
{
	struct run r = {
		.flow = f,
		.data = {.hops = f->data, .count = f->data_hops},
		.acks = {.hops = f->acks, .count = f->ack_hops},
	};
	uint32_t block = f->ack_every;

	if (f->data_hops == 0 || f->data_hops > IDEAL_HOPS_MAX || f->ack_hops == 0 ||
	    f->ack_hops > IDEAL_HOPS_MAX || f->bytes == 0 || f->path_mtu == 0 || f->ack_every == 0)
		return -EINVAL;
	r.packets = (f->bytes - 1) / f->path_mtu + 1;
	r.begun = f->handover;
	if (f->op == NIC_OP_READ) {
		r.begun = path_carry(&r.acks,
				     frame_request_bytes(f->sizes.network, f->sizes.ack_bytes),
				     r.begun);
		r.acks = (struct path){.hops = f->acks, .count = f->ack_hops};
	}
	for (uint64_t index = 0; index < r.packets;) {
		uint64_t left = middles(&r, index);

		// A block must follow a packet of its own size.
		if (r.unacknowledged != 0 || left < 2 * (uint64_t)block ||
		    index % NIC_WRITE_PACKETS < 2) {
			run_packet(&r, index++);
			continue;
		}
		path_remember(&r.data);
		path_remember(&r.acks);
		for (uint32_t i = 0; i < block; i++)
			run_packet(&r, index++);
		if (run_steady(&r)) {
			uint64_t times = (left - block) / block;

			path_repeat(&r.data, times);
			path_repeat(&r.acks, times);
			index += times * block;
		}
	}
	*out = r.completed;
	return 0;
}
