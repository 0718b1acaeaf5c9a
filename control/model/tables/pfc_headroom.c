// SPDX-License-Identifier: BSD-3-Clause
#include "pfc_headroom.h"

#include "dataplane/base/headers.h"

#include <stddef.h>

#define MEDIUM_M_PER_S 198e6
#define SMALL_PACKET 64
#define KB 1024
#define MAC_PHY_KB 0.8
#define PEER_RESPONSE_KB 3.8
#define TILE_NS 120
#define TILE_CELL 192 // Spectrum-4 and 5
#define QUANTUM_BYTES 64

// Of the largest frame: any port may carry two tags (Q-in-Q), which the MTU does not count.
#define HEADERS_MAX (HEADER_ETHERNET_BYTES + 2 * HEADER_TAG_BYTES)
#define FRAME_MIN 60 // without FCS
#define PFC_FRAME 60

static uint64_t
round_up(double value)
{
	uint64_t whole = (uint64_t)value;

	return whole + ((double)whole < value);
}

// How long a station may take to stop, in pause quanta; 0: not listed.
static unsigned
response_quanta(uint64_t rate_bps)
{
	static const struct {
		uint64_t gbps;
		unsigned quanta;
	} stations[] = {{10, 67},   {25, 80},   {40, 118},  {50, 147},
			{100, 394}, {200, 453}, {400, 905}, {800, 905}};

	for (size_t i = 0; i < sizeof(stations) / sizeof(stations[0]); i++)
		if (rate_bps == stations[i].gbps * UINT64_C(1000000000))
			return stations[i].quanta;
	return 0;
}

// How many bytes of cells a byte of traffic takes at the worst.
static double
cell_occupancy(const struct headroom_input *in)
{
	double cell = in->cell, percent = in->small_packets_ppm / 1e4;
	double worst = (double)round_up(cell > 128 ? cell / SMALL_PACKET : 2 * cell / (1 + cell));
	double mean = (percent * SMALL_PACKET + (100 - percent) * in->lossless_mtu) / 100;
	double small_bytes = 100 * SMALL_PACKET / mean;

	return (100 - small_bytes + small_bytes * worst) / 100;
}

struct headroom_terms
headroom_formula(const struct headroom_input *in)
{
	double mbps = (double)in->rate_bps / 1e6, scaled;
	struct headroom_terms t = {
		.occupancy = cell_occupancy(in),
		.response_quanta = response_quanta(in->rate_bps),
		.packet = in->mtu,
		.cable = 2 * ((double)in->cable_mm / 1e3) * mbps * 1e9 / MEDIUM_M_PER_S / 8000,
		.mac_phy = MAC_PHY_KB * KB,
		.tile = in->cell == TILE_CELL ? mbps / 1000 * TILE_NS / 8 : 0,
		.lossless = in->lossless_mtu,
	};

	t.response = t.response_quanta != 0 ? t.response_quanta * (double)QUANTUM_BYTES
					    : PEER_RESPONSE_KB * KB;
	scaled = t.packet + t.cable + t.mac_phy + t.response + t.tile;
	t.xoff = round_up((t.lossless + scaled * t.occupancy) / KB) * KB;
	return t;
}

// The most cells that frames of up to `largest` bytes can fill while `bytes` pass on the wire.
// Worst are frames a byte past whole cells, the smallest, or the largest.
static uint64_t
cells_of_wire_bytes(uint64_t bytes, uint64_t largest, uint32_t cell, uint32_t overhead)
{
	uint64_t begun = (FRAME_MIN + cell - 1) / cell * (uint64_t)cell + 1;
	uint64_t frame = FRAME_MIN, worst = 0;

	for (;;) {
		uint64_t cells = (frame + cell - 1) / cell, wire = frame + overhead;
		uint64_t filled = (bytes * cells + wire - 1) / wire;

		worst = filled > worst ? filled : worst;
		if (frame >= largest)
			return worst;
		frame = frame == FRAME_MIN ? begun : frame + cell;
		frame = frame < largest ? frame : largest;
	}
}

struct headroom_floor
headroom_needed(const struct headroom_input *in, uint64_t delay_ps, uint64_t latency_ps,
		uint32_t frame_overhead)
{
	double round_trip_s = 2 * ((double)delay_ps + (double)latency_ps) / 1e12;
	uint64_t frame = in->mtu + HEADERS_MAX;
	struct headroom_floor f = {
		.packet = frame + frame_overhead,
		.pause = PFC_FRAME + frame_overhead,
		.round_trip = round_up(round_trip_s * (double)in->rate_bps / 8),
		.peer = frame + frame_overhead,
		.first = (frame + in->cell - 1) / in->cell * in->cell,
	};
	uint64_t wire = f.packet + f.pause + f.round_trip + f.peer;

	f.filled = cells_of_wire_bytes(wire, frame, in->cell, frame_overhead) * in->cell;
	f.needed = f.filled + f.first;
	return f;
}
