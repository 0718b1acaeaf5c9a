// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a topology file: nodes and links within their ranges from which a topology is made,
// or errors of one line that say where.
#include "control/config/fabric_file.h"
#include "control/model/topology/topology.h"
#include "text_fuzz.h"

static void
require_link(const struct topology *t, const struct topo_link *link)
{
	require(link->rate_bps >= 10000000 && link->rate_bps <= UINT64_C(8000000000000));
	require(link->delay_ps <= UINT64_C(1000000000000) && link->loss_ppm <= CONFIG_PPM);
	require(link->a.node != link->b.node);
	require(link->a.port < t->nodes[link->a.node].port_count);
	require(link->b.port < t->nodes[link->b.node].port_count);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config config = {.file = (char *)(uintptr_t) "c"};
	struct diag diag = {0};
	struct arena arena = {0};
	struct topology *t = NULL;

	config.fabric.topology = CONFIG_TOPOLOGY_FILE;
	config.fabric.mtu = 4200;
	if (fabric_file_parse(&config.fabric, &arena, (const char *)data, size, "f",
			      (struct diag_pos){1, 1}, &diag) != 0) {
		require_messages(&diag);
	} else {
		require(diag.count == 0);
		require(topology_create(&t, &config, &diag) == 0);
		require(t->node_count == config.fabric.node_count);
		require(t->link_count == config.fabric.link_count);
		for (uint32_t l = 0; l < t->link_count; l++)
			require_link(t, &t->links[l]);
		topology_destroy(t);
	}
	diag_free(&diag);
	arena_free(&arena);
	return 0;
}
