// SPDX-License-Identifier: BSD-3-Clause
// A fixed window of payload in flight for each queue pair, as NICs can be set to have: what is in
// the network, and so in a switch's queue, is bounded by the number of senders times the window,
// independently of marks and pauses. There is no pacing.
#include "congestion.h"

static void
window_start(struct congestion *c, const struct congestion_path *path)
{
	const struct window_parameters *p = c->parameters;
	uint64_t *byte_time = congestion_state(c, uint64_t);

	*byte_time = path->byte_time;
	// The product in whole packets, so that it fills the path; of an unknown path, no window.
	if (p->size_bytes != 0)
		c->window_bytes = p->size_bytes;
	else if (path->bdp_bytes != 0)
		c->window_bytes = (path->bdp_bytes + path->path_mtu - 1) / path->path_mtu *
				  path->path_mtu;
	if (c->window_bytes < path->path_mtu)
		c->window_bytes = path->path_mtu;
}

static void
window_read(const struct congestion *c, ps_t now, struct congestion_reading *out)
{
	double line = congestion_rate_of(*congestion_state(c, const uint64_t));

	(void)now;
	*out = (struct congestion_reading){.rate_bps = line, .target_bps = line};
}

#define AT(member) CONGESTION_AT(struct window_parameters, member)

// Where the defaults come from stands in doc/nic.md.
static const struct congestion_parameter window_rows[] = {
	{"size", CONGESTION_BYTES, "auto",
	 "bytes in flight for each queue pair; auto: the path's bandwidth-delay product",
	 AT(size_bytes), .min = 1, .max = CONGESTION_BYTES_MAX, .has_auto = true},
	{.key = NULL},
};

const struct congestion_algorithm congestion_window = {
	.parameters = window_rows,
	.parameters_bytes = sizeof(struct window_parameters),
	.start = window_start,
	.read = window_read,
};
