// SPDX-License-Identifier: BSD-3-Clause
// remark: what a packet's DSCP and PCP become on the way out, by its priority. ECN bits stay, so
// that the port can mark them; a frame without a tag has no PCP and gets none. Of a tunnel it is
// the outer header that is remarked, where it leaves in one. What was trimmed here keeps the DSCP
// that says so. DSCP and tag are outside the ICRC (IBTA annex 17), which stays valid.
#pragma once

#include "stage.h"

// Cold: the way out remarks.
void remark_packet(struct rte_mbuf *m, const struct remark_profile *remark);

static __rte_always_inline int
stage_remark(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const struct port_profile *profile = n->ports[packet_meta(m)->out_port].profile;

	(void)in;
	(void)now;
	if (unlikely(profile->remarks))
		remark_packet(m, &profile->remark);
	return STAGE_NEXT;
}
