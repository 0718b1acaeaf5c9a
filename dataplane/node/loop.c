// SPDX-License-Identifier: BSD-3-Clause
#include "loop.h"

void
node_flush_tap(struct node *n)
{
	for (unsigned int i = 0; i < n->port_count; i++)
		if (n->ports[i].pfc_last_left != 0)
			node_show_pfc(n, &n->ports[i]);
	if (n->tap->flush != NULL)
		n->tap->flush(n->tap->context);
}
