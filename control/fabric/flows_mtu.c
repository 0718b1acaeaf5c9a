// SPDX-License-Identifier: BSD-3-Clause
// How large the packets of a flow are.
#include "flows_internal.h"

#include <errno.h>

// Headers and ICRC of a data packet within IP (the first carries a RETH).
static uint32_t
ip_overhead(const struct host_config *h)
{
	return (h->ip_version == 6 ? 40 : 20) + 8 + 12 + 16 + 4;
}

// Packets that do not fit are sent all the same, and dropped on the way. Warned of once
// for each place in the file.
static void
warn(struct fabric_flows *flows, const struct flow_spec *spec, uint32_t room, struct diag *diag)
{
	const struct topology *t = flows->fabric->topology;
	const char *src = topology_host(t, spec->src)->name;
	struct diag_pos pos = config_written_at(t->config, src, "path-mtu");

	if (pos.line == 0)
		pos = config_written_at(t->config, "hosts", "path-mtu");
	if (pos.line == flows->path_mtu_told.line && pos.column == flows->path_mtu_told.column)
		return;
	flows->path_mtu_told = pos;
	diag_warning(diag, t->config->file, pos, "hosts.path-mtu",
		     "%s to %s: the path carries %u bytes of IP, too few for a path MTU of %u and "
		     "its headers: such packets are dropped as mtu-exceeded",
		     src, topology_host(t, spec->dst)->name, room,
		     flows->fabric->hosts[spec->src].path_mtu);
}

int
flows_path_mtu(struct fabric_flows *flows, const struct flow_spec *spec, uint32_t *out,
	       struct diag *diag)
{
	static const uint32_t sizes[] = {4096, 2048, 1024, 512, 256};
	const struct topology *t = flows->fabric->topology;
	const struct host_config *h = &flows->fabric->hosts[spec->src];
	uint32_t room = topology_path_mtu(t, spec->src, spec->src_port, spec->dst, spec->dst_port);

	*out = h->path_mtu;
	for (unsigned i = 0; *out == 0 && i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (sizes[i] + ip_overhead(h) <= room)
			*out = sizes[i];
	if (*out != 0 && *out + ip_overhead(h) <= room)
		return 0;
	if (h->path_mtu != 0 && h->header_bytes < 0) // else frames are of a size by decree
		warn(flows, spec, room, diag);
	if (h->path_mtu != 0)
		return 0;
	diag_error(diag, t->config->file, t->config->workload[spec->item].pos, "workload",
		   "%s to %s: the path carries %u bytes of IP, too few for a path MTU of 256 and "
		   "its headers",
		   topology_host(t, spec->src)->name, topology_host(t, spec->dst)->name, room);
	return -EINVAL;
}
