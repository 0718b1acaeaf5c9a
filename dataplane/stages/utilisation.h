// SPDX-License-Identifier: BSD-3-Clause
// utilisation: how much of its link a port has used recently, in bytes a window, as an average in
// which every window counts half of the one after it. Sending a packet costs nothing here: the
// port's counter is read when a path is chosen, at most once a window, and the bytes since the last
// reading count as if spread evenly over the time between.
#pragma once

#include "dataplane/base/node.h"

// What a port has sent until now, with the gaps between frames.
static inline uint64_t
utilisation_bytes(const struct port *p)
{
	const struct port_profile *profile = p->profile;

	if (profile == NULL)
		return 0;
	return p->tx_bytes + p->tx_packets * (profile->preamble + profile->fcs + profile->gap);
}

// bytes / windows, for a time of at least one window: the time is taken to 1/64 to 1/128 of it.
static inline uint64_t
utilisation_mean(uint64_t bytes, ps_t time)
{
	// 2^16 * 64 / i for i from 64 to 127.
	static const uint32_t inverse[64] = {
		65536, 64528, 63550, 62602, 61681, 60787, 59919, 59075, 58254, 57456, 56680,
		55924, 55188, 54471, 53773, 53092, 52429, 51782, 51150, 50534, 49932, 49345,
		48771, 48210, 47663, 47127, 46603, 46091, 45590, 45100, 44620, 44151, 43691,
		43240, 42799, 42367, 41943, 41528, 41121, 40721, 40330, 39946, 39569, 39199,
		38836, 38480, 38130, 37787, 37449, 37118, 36792, 36472, 36158, 35849, 35545,
		35246, 34953, 34664, 34380, 34100, 33825, 33554, 33288, 33026,
	};
	const uint64_t parts = time >> (UTILISATION_SHIFT - 6);
	const unsigned int shift = 63 - 6 - (unsigned int)__builtin_clzll(parts);

	return (bytes >> shift) * inverse[(parts >> shift) - 64] >> 16;
}

// The level as of `now`, when the port has sent so many bytes.
static inline uint64_t
utilisation_level(const struct utilisation *u, uint64_t bytes, ps_t now)
{
	const ps_t time = now > u->since ? now - u->since : 0;
	const uint64_t windows = time >> UTILISATION_SHIFT;
	const int64_t level = (int64_t)u->level;
	int64_t mean;

	if (windows == 0)
		return u->level;
	mean = (int64_t)utilisation_mean(bytes - u->bytes, time);
	return (uint64_t)(windows > 31 ? mean : mean + ((level - mean) >> windows));
}

// Reads a port's counter if that is due, and notes whether it is busy.
static inline void
utilisation_update(struct node *n, const struct port *p, ps_t now)
{
	struct utilisation *u = &n->paths.utilisation[p->index];
	unsigned int penalty = n->port_penalty[p->index] & ~(PATH_BUSY | PATH_OVERDUE);
	uint64_t bytes;

	if (now < u->since + UTILISATION_WINDOW)
		return;
	bytes = utilisation_bytes(p);
	u->level = utilisation_level(u, bytes, now);
	u->since = now;
	u->bytes = bytes;
	if (p->profile->busy_bytes != 0 && u->level > p->profile->busy_bytes)
		penalty |= PATH_BUSY;
	n->port_penalty[p->index] = (uint8_t)penalty;
}
