// SPDX-License-Identifier: BSD-3-Clause
// IP-in-IP that ends at a switch (dataplane/stages/ipip.h), from its setting `ipip`.
#include "build_internal.h"

#include "control/base/memory.h"

#include <string.h>

_Static_assert(IPIP_ADDRESSES_MAX == CONFIG_IPIP_ADDRESSES, "all that a file lists fit");

void
tables_add_ipip(struct tables_draft *draft)
{
	const struct config_ipip *from = &draft->settings->ipip;
	struct ipip_tables *to;

	if (!from->on)
		return;
	to = draft->t->ipip = memory_new(sizeof(*to), "IP-in-IP");
	to->count = from->address_count;
	for (uint32_t i = 0; i < to->count; i++) {
		to->addresses[i].version = from->addresses[i].version;
		memcpy(to->addresses[i].bytes, from->addresses[i].bytes,
		       sizeof(to->addresses[i].bytes));
	}
	to->pipe = from->pipe;
	to->copies_ecn = from->copies_ecn;
	to->uniform_ttl = from->uniform_ttl;
	to->maps_dscp = from->dscp_listed.bits != 0 || from->dscp_listed.set;
	memcpy(to->dscp_to_priority, from->dscp_to_priority, sizeof(to->dscp_to_priority));
	memcpy(to->priority_to_pg, from->priority_to_group, sizeof(to->priority_to_pg));
}
