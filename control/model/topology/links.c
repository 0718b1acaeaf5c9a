// SPDX-License-Identifier: BSD-3-Clause
// Links that the file names: `fabric.links: {leaf1-spine2: {rate: 40G}}`.
#include "builder.h"

#include <errno.h>

static int
apply(struct topology *t, const struct config_named_link *named, struct config_diag *diag)
{
	struct topo_link *link;
	struct config_link now;
	uint32_t index;

	if (topology_resolve_link(t, &named->name, "fabric.links", &index, diag) != 0)
		return -EINVAL;
	link = &t->links[index];
	now = (struct config_link){
		.rate_bps = link->rate_bps,
		.delay_ps = link->delay_ps,
		.cable_mm = link->cable_mm,
		.mtu = link->mtu_auto ? 0 : link->mtu,
		.pos = link->pos,
	};
	now = config_link_over(&now, &named->written);
	link->rate_bps = now.rate_bps;
	link->delay_ps = now.delay_ps;
	link->cable_mm = now.cable_mm;
	link->mtu = now.mtu != 0 ? now.mtu : t->config->fabric.mtu;
	link->mtu_auto = now.mtu == 0 && !link->host;
	link->pos = now.pos;
	builder_set_link(t, &t->nodes[link->a.node].ports[link->a.port], &now);
	builder_set_link(t, &t->nodes[link->b.node].ports[link->b.port], &now);
	return 0;
}

int
builder_apply_named_links(struct topology *t, struct config_diag *diag)
{
	const struct config_fabric *f = &t->config->fabric;
	int result = 0;

	for (unsigned i = 0; i < f->named_link_count; i++)
		if (apply(t, &f->named_links[i], diag) != 0)
			result = -EINVAL;
	return result;
}
