// SPDX-License-Identifier: BSD-3-Clause
// What a sender of Multipath Reliable Connection keeps of its paths: a plane for each of its NIC's
// ports, and in each plane entropy values with a state. mrc_sender.c says how. Worker only, but for
// making it.
//
// An entropy value is a number: its plane, and behind it the value within the plane. On the wire it
// is the UDP source port, and over IPv6 the flow label, too.
#pragma once

#include "path_states.h"
#include "qp.h"

struct mrc_plane {
	struct frame_address address;
	struct path_states states;
	uint16_t probed; // the value behind the one that was probed last
	uint16_t noted;  // values that became assumed bad and are not counted yet
	uint8_t port;    // of the NIC
};

struct mrc_sender {
	struct timer probe; // of the next probes; PS_NEVER: nothing is to be probed
	struct sender *sender;
	uint16_t sport; // of value 0
	uint16_t bad;   // values that are assumed bad, of all planes
	bool noted;     // some plane has values to be counted
	uint8_t shift;  // log2 of the values of a plane
	uint8_t turn;   // the plane of the next packet
	uint8_t plane_count;
	struct mrc_plane planes[]; // one for each port of the NIC, or fewer
};

// Makes what a new sender needs, or sets what a used one has, once the addresses of its planes
// stand. Return 0 or -ENOMEM.
int mrc_sender_create(struct nic *nic, struct sender *s, struct mrc_sender **out);
void mrc_sender_renew(struct nic *nic, struct mrc_sender *x, const struct nic_endpoint *e);

// Once its queue pair has a name and a port: its first packet goes by that, unless the plane is
// denied. (One of an exchange always goes by the port whose turn it was.)
void mrc_sender_begin(struct nic *nic, struct mrc_sender *x);

// The entropy value of the next packet, which leaves by the port of qp.port.
uint16_t mrc_sender_next(struct mrc_sender *x);

void mrc_sender_learn(struct mrc_sender *x, uint16_t entropy, enum entropy_news news);

// A packet was sent.
void mrc_sender_sent(struct nic *nic, struct mrc_sender *x, ps_t now);

// The next packet goes by the next plane. The sender leaves the ring that it stands in; the caller
// reviews it, and then wakes the port.
void mrc_sender_turn(struct nic *nic, struct mrc_sender *x);
void mrc_sender_wake(struct nic *nic, struct sender *s, ps_t now);

// An answer to a probe of that value came.
void mrc_sender_probed(struct mrc_sender *x, uint16_t entropy, bool marked);

static inline struct mrc_plane *
mrc_plane_of(struct mrc_sender *x, uint16_t entropy)
{
	return &x->planes[entropy >> x->shift];
}
