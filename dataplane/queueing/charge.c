// SPDX-License-Identifier: BSD-3-Clause
#include "charge.h"

void
charge_release(struct node *n, const struct charge *c, ps_t now)
{
	charge_return(n, c, now, NODE_FULL | NODE_TENANTS);
}
