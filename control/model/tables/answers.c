// SPDX-License-Identifier: BSD-3-Clause
// Answers that a switch makes itself (dataplane/stages/answer.h). A switch that shares an interface
// with the kernel (`netdev:`) sends ICMP errors and nothing else: its addresses are Linux's, which
// receives the packets to them.
#include "build_internal.h"

#include "control/base/memory.h"
#include "control/model/topology/addresses.h"

#include <arpa/inet.h>

static bool
is_linux_own(const struct topology *t)
{
	const struct config_single *single = &t->config->single;

	for (unsigned i = 0; topology_is_single(t) && i < single->port_count; i++)
		if (single->ports[i].netdev.text != NULL)
			return true;
	return false;
}

// A switch that uses the addresses of Linux has only the addresses that the file gives it, because
// another machine may have the addresses of the plan.
static void
forget_plan(const struct config_single *single, struct answer_profile *to)
{
	if (single->loopback4.version != 4 && single->vtep.version != 4)
		inet_pton(AF_INET, ADDRESSES_NONE_IP4, to->ip4);
	if (single->loopback6.version != 6 && single->vtep.version != 6)
		memset(to->ip6, 0, sizeof(to->ip6));
}

void
tables_set_answer_rate(struct tables_draft *draft)
{
	const struct config_icmp *icmp = &draft->settings->icmp;
	struct answer_profile *to = &draft->t->answers;

	to->interval = PS_PER_S / icmp->rate;
	to->burst = (icmp->burst - 1) * to->interval;
}

void
tables_add_answers(struct tables_draft *draft)
{
	const struct switch_config *settings = draft->settings;
	const struct topo_node *node = draft->node;
	struct answer_profile *to = &draft->t->answers;
	struct place place = topology_switch_place(draft->topology, draft->node_index);

	memcpy(to->ip4, node->loopback4, sizeof(to->ip4));
	memcpy(to->ip6, node->loopback6, sizeof(to->ip6));
	to->icmp = settings->icmp.on;
	tables_set_answer_rate(draft);
	to->linux_own = is_linux_own(draft->topology);
	if (to->linux_own) {
		forget_plan(&draft->topology->config->single, to);
		return;
	}
	to->arp = settings->arp != CONFIG_ARP_OFF;
	to->proxy = settings->arp == CONFIG_ARP_PROXY;
	inet_pton(AF_INET, ADDRESSES_GATEWAY_IP4, to->gateway4);
	inet_pton(AF_INET6, ADDRESSES_GATEWAY_IP6, to->gateway6);
	to->link_local =
		memory_array(node->port_count, sizeof(*to->link_local), "link-local addresses");
	for (uint16_t p = 0; p < node->port_count; p++) {
		place.port = node->ports[p].number;
		addresses_link_local(&place, to->link_local[p]);
	}
}

void
tables_guard_own(const struct tables_draft *draft, const struct route_list *routes,
		 struct route_list *guarded)
{
	if (is_linux_own(draft->topology))
		return;
	for (uint32_t i = 0; i < routes->count; i++) {
		const struct route *route = &routes->routes[i];
		const uint8_t version = route->prefix.version;
		const uint8_t *own = topology_loopback(draft->node, version);
		struct route blackhole = {.prefix = address_host_prefix(version, own),
					  .vrf = route->vrf,
					  .group = ROUTES_BLACKHOLE,
					  .encap = ROUTES_PLAIN};

		if (tables_same_bits(route->prefix.address, own, route->prefix.length) &&
		    routes_find(guarded, route->vrf, &blackhole.prefix) == NULL)
			routes_set(guarded, &blackhole);
	}
}
