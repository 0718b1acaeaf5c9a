// SPDX-License-Identifier: BSD-3-Clause
// Ultra Ethernet Transport and Multipath Reliable Connection take many paths at once and expect
// switches to drop packets early, trimmed to their headers, so that they go again at once. In a
// class with PFC, a queue that is full holds up all paths instead; where switches do not trim its
// packets, a loss takes a retransmission timeout.
#include "advice_internal.h"

#include "control/fabric/fabric_internal.h"

static void
check_host(const struct fabric *f, uint32_t host, struct advice_findings *all)
{
	const struct topo_node *place = topology_host(f->topology, host);
	const struct topo_port *port = &place->ports[0];
	const struct port_profile *profile =
		f->tables[port->peer_node]->ports[port->peer_port].profile;
	struct diag_pos pos = advice_host_pos(f, host, "transport");
	struct fabric_marking data;

	if (fabric_data_marking(f, host, f->hosts[host].priority, &data) != 0)
		return; // an error where a flow needs it
	if (advice_lossless(profile) & 1u << data.priority) {
		advice_note(
			all, pos, "hosts.transport", place->name,
			"priority %u carries data of @ and has PFC; transport %s expects a class "
			"without PFC",
			data.priority, nic_transport_word(f->hosts[host].transport));
		return;
	}
	for (uint32_t n = 0; n < f->topology->first_host; n++) {
		const struct tables *t = f->tables[n];
		unsigned tc = t->priority_to_tc[data.priority];

		if (t->trim.size != 0 && t->trim.eligible & 1u << tc)
			continue;
		advice_note(
			all, pos, "hosts.transport", place->name,
			"%s does not trim class %u, which carries data of @: dropped packets are "
			"retransmitted only after `rto`",
			f->topology->nodes[n].name, tc);
		return;
	}
}

void
advice_untrimmed(const struct fabric *f, struct diag *diag)
{
	struct advice_findings all = {.one = "host", .many = "hosts"};

	for (uint32_t h = 0; h < f->topology->host_count; h++)
		if (f->hosts[h].transport != NIC_TRANSPORT_ROCE)
			check_host(f, h, &all);
	advice_report(&all, f, diag);
}
