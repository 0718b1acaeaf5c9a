// SPDX-License-Identifier: BSD-3-Clause
// What names mean in the namespaces that `up` makes: every host that the namespace's own host can
// reach by its VRF, the loopbacks of the switches, and the gateway. A lookup by address finds the
// same names, so that traceroute names hops.
#include "live_fabric.h"

#include "control/base/memory.h"
#include "control/io/host/hosts_file.h"
#include "control/model/topology/addresses.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void
put(FILE *to, int family, const uint8_t *address, const char *name, const char *also)
{
	char text[INET6_ADDRSTRLEN];

	inet_ntop(family, address, text, sizeof(text));
	fprintf(to, "%s %s%s%s\n", text, name, also != NULL ? " " : "", also != NULL ? also : "");
}

static void
put_host(FILE *to, const struct live_fabric *live, const struct device_port *from, uint32_t host)
{
	const struct topology *t = live->topology;
	const struct topo_node *node = topology_host(t, host);
	uint16_t vrf = topology_host_port(t, from->host, from->host_port)->vrf;

	for (uint16_t p = 0; p < node->port_count; p++) {
		const struct topo_port *eth = &node->ports[p];
		char nic[TOPOLOGY_NAME_MAX];

		if (!topology_vrfs_joined(t, vrf, eth->vrf))
			continue;
		snprintf(nic, sizeof(nic), "%s.%s", node->name, eth->name);
		put(to, AF_INET, eth->ip4, p == 0 ? node->name : nic, p == 0 ? nic : NULL);
		if (host_uses_ip6(live, host) && host_uses_ip6(live, from->host))
			put(to, AF_INET6, eth->ip6, p == 0 ? node->name : nic, p == 0 ? nic : NULL);
	}
}

static char *
list_names(const struct live_fabric *live, const struct device_port *d)
{
	const struct topology *t = live->topology;
	uint8_t gateway[4];
	char *text;
	size_t size;
	FILE *to = memory_stream_open(&text, &size);

	fputs("127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n", to);
	inet_pton(AF_INET, ADDRESSES_GATEWAY_IP4, gateway);
	put(to, AF_INET, gateway, "gateway", NULL);
	for (uint32_t h = 0; h < t->host_count; h++)
		put_host(to, live, d, h);
	for (uint32_t n = 0; n < t->first_host; n++) {
		put(to, AF_INET, t->nodes[n].loopback4, t->nodes[n].name, NULL);
		if (host_uses_ip6(live, d->host))
			put(to, AF_INET6, t->nodes[n].loopback6, t->nodes[n].name, NULL);
	}
	fclose(to);
	return text;
}

void
host_names_write(const struct live_fabric *live)
{
	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];
		char *text;
		int rc;

		if (!d->netns_created)
			continue;
		text = list_names(live, d);
		rc = hosts_file_write(d->netns, live->name, text);
		free(text);
		if (rc == 0 || live->running)
			continue;
		fprintf(live->notes,
			"roost: note: /etc/netns/%s/hosts %s: names of hosts do not resolve in "
			"this namespace\n",
			d->netns, rc == -EEXIST ? "is a file of your own" : strerror(-rc));
	}
}
