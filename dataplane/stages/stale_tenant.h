// SPDX-License-Identifier: BSD-3-Clause
// stale_tenant: drops packets that an older snapshot admitted from or to a host that has left the
// VRF since (tables->stale_hosts). Such tables stay in force as long as these packets may be in
// flight. Those that wait in queues are dropped when the tables are adopted. See stale_tenant.c.
#pragma once

#include "stage.h"

// Compares hosts by version, then address, then kind, then VNI or VLAN, for sorting and searching.
int stale_host_compare(const void *a, const void *b);

// Makes this part of a snapshot from `count` hosts in any order, which it copies. Returns 0 or
// -ENOMEM. Control thread.
int stale_hosts_create(struct stale_hosts **out, const struct stale_host *hosts, uint32_t count);

// Cold: whether a packet that the switch of these tables holds, or was the last to hold, is one
// that these hosts have left behind.
bool stale_hosts_match(const struct stale_hosts *stale, const struct tables *t, struct rte_mbuf *m);
// Cold: whether the packet is to be dropped, where the tables list hosts.
bool stale_tenant_matches(const struct node *n, struct rte_mbuf *m);

// Cold: drops such packets from the node's queues, at `now`; each packet counts in its queue's
// `dropped` and is released. The node's worker, between turns, when the tables are in force.
void stale_tenant_purge(struct node *n, ps_t now);

static __rte_always_inline int
stage_stale_tenant(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	(void)in;
	(void)now;
	if (likely(n->current->stale_hosts == NULL))
		return STAGE_NEXT;
	return stale_tenant_matches(n, m) ? DROP_TENANT_MOVED : STAGE_NEXT;
}
