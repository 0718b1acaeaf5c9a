// SPDX-License-Identifier: BSD-3-Clause
// Packet trimming: a packet that its queue has no room for is trimmed instead of dropped. See
// trim.c.
#pragma once

#include "dataplane/base/node.h"

// Sizes a packet may be trimmed to: multiples of 4 between these, as on Spectrum switches.
#define TRIM_BYTES_MIN 256u
#define TRIM_BYTES_MAX 1024u

// Cold: a packet that came in by `in`, was to leave by `out` and was refused for `reason` at `now`.
// Trims and charges it if it may be trimmed and there is room for the rest. Returns -1, or
// `reason`; then nothing has changed.
int trim_refused(struct node *n, struct port *in, struct port *out, struct rte_mbuf *m,
		 enum drop_reason reason, ps_t now);
