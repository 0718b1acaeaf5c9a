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

#define HEADROOM_LOSSLESS_MTU 1500
#define HEADROOM_SMALL_PACKETS_PPM 1000000
// What the formula's source gives a group as XON threshold: a pipeline latency of 19 KB.
#define HEADROOM_XON_BYTES (19 * 1024)

// Bytes of headroom (`xoff`) by SONiC's formula for Spectrum (sonic-swss
// cfgmgr/buffer_headroom_mellanox.lua), independent headroom, without its terms for 8-lane ports
// and for Spectrum-6. It assumes a peer that takes its rate's response time of IEEE 802.3 31B.3.7
// to stop, or 3.8 KB at rates that list has no entry for. Any thread.
uint64_t headroom_formula(const struct headroom_input *in);

// What this model's switches and NICs, which stop between two frames, need at the least for a group
// never to overrun: both ends' frames in flight when the pause is sent and obeyed, and the way
// there and back. In bytes of whole cells as the worst mix of frame sizes fills them. delay_ps: one
// way; latency_ps: fixed pipeline latency, of each end; frame_overhead: preamble + FCS + gap.
uint64_t headroom_needed(const struct headroom_input *in, uint64_t delay_ps, uint64_t latency_ps,
			 uint32_t frame_overhead);
