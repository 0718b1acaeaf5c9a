// SPDX-License-Identifier: BSD-3-Clause
#include "charge.h"

void
charge_release_tenants(struct node *n, const struct charge *c, ps_t now)
{
	charge_give(n, c, now, true);
}

int
charge_admit_tenants(struct node *n, struct port *in, struct port *out, struct rte_mbuf *m, ps_t now)
{
	return charge_admit(n, in, out, m, now, true);
}
