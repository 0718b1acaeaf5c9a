// SPDX-License-Identifier: BSD-3-Clause
// While values are assumed bad and something is under way, one of them in each plane is probed
// every probe_interval. A probe is a packet in the class of data, so it meets what data would. It
// is not repeated: a value whose probe was lost is probed again when its turn comes.
#include "mrc_probe.h"

#include "mrc_frame.h"

void
mrc_probe_run(struct nic *nic, struct mrc_sender *x, ps_t now)
{
	const struct sender *s = x->sender;

	if (x->bad == 0 || s->acked == s->end)
		return;
	for (uint8_t i = 0; i < x->plane_count; i++) {
		struct mrc_plane *p = &x->planes[i];
		uint16_t value;

		if (p->states.bad == 0)
			continue;
		value = path_states_next_bad(&p->states, p->probed);
		p->probed = (uint16_t)(value + 1);
		nic->cold->path_counts[p->port].probes++;
		nic_respond(&nic->ports[p->port],
			    mrc_make_probe(nic, x, (uint16_t)(i << x->shift | value)));
	}
	nic_set_timer(nic, &x->probe, now + nic->cold->config.mrc.probe_interval);
}
