// SPDX-License-Identifier: BSD-3-Clause
#include "cnp.h"

void
cnp_send(struct nic *nic, struct receiver *r, ps_t now)
{
	const struct nic_config *c = &nic->cold->config;
	struct nic_port *np = nic_port_of(nic, &r->qp);

	if (now < r->cnp_next)
		return;
	r->cnp_next = now + c->cnp_interval;
	r->result.cnps++;
	nic_respond(np, frame_make_cnp(nic->node->packets, nic_template(np, &r->address),
				       &r->address, c->cnp_dscp, c->cnp_priority, c->cnp_tc));
}
