// SPDX-License-Identifier: BSD-3-Clause
// Headroom of a lossless priority group: what may still arrive after its XOFF was sent.
#pragma once

#include <stdint.h>

struct headroom_input {
	uint64_t rate_bps;
	uint64_t cable_mm;
	uint32_t mtu;               // of the port, bytes
	uint32_t lossless_mtu;      // of the lossless traffic, bytes
	uint32_t small_packets_ppm; // share of packets of 64 B in it, parts per million
	uint32_t cell;              // bytes
};

#define HEADROOM_CELL 192
#define HEADROOM_LOSSLESS_MTU 1500
#define HEADROOM_SMALL_PACKETS_PPM 1000000
// What the formula's source gives a group as XON threshold: a pipeline latency of 19 KB.
#define HEADROOM_XON_BYTES (19 * 1024)

// The terms of the formula, in bytes but for the first two.
struct headroom_terms {
	double occupancy;         // bytes of cells that a byte of traffic takes at the worst
	unsigned response_quanta; // of the peer; 0: a rate without an entry, 3.8 KB instead
	double packet;            // of the port's MTU: the pause waits behind it
	double cable;             // there and back
	double mac_phy;
	double response; // what the peer sends until it obeys
	double tile;     // of switches with cells of 192 B: across the chip
	double lossless; // a packet of the lossless MTU, not scaled by occupancy
	uint64_t xoff;   // lossless + occupancy x the rest, in whole KB (1024 B), rounded up
};

// Headroom by SONiC's formula for Spectrum (sonic-swss cfgmgr/buffer_headroom_mellanox.lua),
// independent headroom, without its terms for 8-lane ports and for Spectrum-6. It assumes a peer
// that takes its rate's response time of IEEE 802.3 31B.3.7 to stop, or 3.8 KB at rates that list
// has no entry for. Any thread.
struct headroom_terms headroom_formula(const struct headroom_input *in);

// The terms of what this model needs: bytes on the wire, preamble and gap included, but for the
// last three.
struct headroom_floor {
	uint64_t packet;     // our largest frame, with two VLAN tags: the pause waits behind it
	uint64_t pause;      // the pause itself
	uint64_t round_trip; // what is under way to us, and what comes until the pause is there
	uint64_t peer;       // the frame that the peer is sending when it is to stop
	uint64_t filled;     // cells that all these fill at the worst mix of frame sizes, in bytes
	uint64_t first;      // the cells of the frame that called for the pause, in bytes
	uint64_t needed;     // the last two together
};

// What this model's switches and NICs, which stop between two frames, need at the least for a group
// never to overrun: both ends' frames in flight when the pause is sent and obeyed, and the way
// there and back. In bytes of whole cells as the worst mix of frame sizes fills them. delay_ps: one
// way; latency_ps: fixed pipeline latency, of each end; frame_overhead: preamble + FCS + gap. Any
// thread.
struct headroom_floor headroom_needed(const struct headroom_input *in, uint64_t delay_ps,
				      uint64_t latency_ps, uint32_t frame_overhead);
