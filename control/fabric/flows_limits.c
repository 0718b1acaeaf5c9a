// SPDX-License-Identifier: BSD-3-Clause
// What limits a flow: which transports its ends have, how large its packets may be, and whether its
// window is large enough for acknowledgements.
#include "flows_internal.h"

#include "dataplane/base/ib_headers.h"
#include "dataplane/base/mrc_headers.h"
#include "dataplane/base/uet_headers.h"

#include <errno.h>
#include <inttypes.h>

// ---- transports ---------------------------------------------------------------------------------

// Both ends need the same transport, and not every operation runs over each.
static int
check_transport(const struct fabric *f, const struct flow_spec *spec, struct diag *diag)
{
	enum nic_transport src = f->hosts[spec->src].transport, dst = f->hosts[spec->dst].transport;
	struct diag_pos pos = f->config->workload[spec->item].pos;

	if (src != dst) {
		diag_error(diag, f->config->file, pos, "workload",
			   "%s has transport: %s, %s has transport: %s: both need the same",
			   topology_host(f->topology, spec->src)->name, nic_transport_word(src),
			   topology_host(f->topology, spec->dst)->name, nic_transport_word(dst));
		return -EINVAL;
	}
	if (src == NIC_TRANSPORT_UET && f->hosts[spec->src].uet.credits &&
	    !f->hosts[spec->dst].uet.credits) {
		diag_error(
			diag, f->config->file, pos, "workload",
			"%s has uet.credits: on, and %s, which is to grant them, has off: set both",
			topology_host(f->topology, spec->src)->name,
			topology_host(f->topology, spec->dst)->name);
		return -EINVAL;
	}
	if (src == NIC_TRANSPORT_UET && spec->op == CONFIG_OP_READ) {
		diag_error(diag, f->config->file, pos, "workload.op",
			   "read is not supported with transport: uet; use write or send");
		return -EINVAL;
	}
	if (src == NIC_TRANSPORT_MRC && spec->op != CONFIG_OP_WRITE) {
		diag_error(diag, f->config->file, pos, "workload.op",
			   "%s is not supported with transport: mrc; use write",
			   spec->op == CONFIG_OP_READ ? "read" : "send");
		return -EINVAL;
	}
	return 0;
}

// ---- sizes of packets ---------------------------------------------------------------------------

// Headers and ICRC of a data packet within IP, or of InfiniBand (RoCEv2's first carries a RETH).
static uint32_t
ip_overhead(const struct host_config *h)
{
	uint32_t ip_udp = (h->ip_version == 6 ? 40 : 20) + 8;

	if (h->ip_version == 0)
		return IB_LRH_BYTES + 12 + 16 + 4;
	if (h->transport == NIC_TRANSPORT_UET)
		return ip_udp + (uint32_t)UET_DATA_BEHIND_UDP +
		       (h->uet.credits ? (uint32_t)sizeof(struct uet_request_cc) : 0);
	if (h->transport == NIC_TRANSPORT_MRC)
		return ip_udp + (uint32_t)MRC_DATA_BEHIND_UDP;
	return ip_udp + 12 + 16 + 4;
}

// Packets that do not fit are sent nevertheless, and dropped on the way. There is one warning for
// each place in the file.
static void
warn_path_mtu(struct fabric_flows *flows, const struct flow_spec *spec, uint32_t room,
	      struct diag *diag)
{
	const struct topology *t = flows->fabric->topology;
	const char *src = topology_host(t, spec->src)->name;
	struct diag_pos pos = config_written_at(t->config, src, "path-mtu");

	if (pos.line == 0)
		pos = config_written_at(t->config, "hosts", "path-mtu");
	if (diag_pos_compare(pos, flows->path_mtu_warned) == 0)
		return;
	flows->path_mtu_warned = pos;
	diag_warning(diag, t->config->file, pos, "hosts.path-mtu",
		     "%s to %s: the path carries %u bytes of IP, too few for a path MTU of %u and "
		     "its headers: such packets are dropped as mtu-exceeded",
		     src, topology_host(t, spec->dst)->name, room,
		     flows->fabric->hosts[spec->src].path_mtu);
}

// Fewer packets in flight than the receiver waits for before it acknowledges them: the sender may
// send no more until its timeout. There is one warning for each place in the file.
void
flows_warn_window(struct fabric_flows *flows, const struct flow_spec *spec,
		  const struct nic_flow *flow, struct diag *diag)
{
	const struct topology *t = flows->fabric->topology;
	const char *src = topology_host(t, spec->src)->name, *dst;
	uint32_t ack_every = flows->fabric->hosts[spec->dst].ack_every;
	struct diag_pos pos;
	uint64_t packets;

	if (flows->fabric->hosts[spec->dst].transport != NIC_TRANSPORT_ROCE)
		return; // the packet that closes the window requests an acknowledgement
	if (spec->op == CONFIG_OP_READ || ack_every <= 1)
		return;
	packets = fabric_window_bytes(flows->fabric, spec->src, flow) / flow->path_mtu;
	if (packets == 0)
		packets = 1;
	if (packets >= ack_every || packets >= spec->bytes / flow->path_mtu)
		return;
	dst = topology_host(t, spec->dst)->name;
	pos = config_written_at(t->config, dst, "ack-every");
	if (pos.line == 0)
		pos = config_written_at(t->config, "hosts", "ack-every");
	if (diag_pos_compare(pos, flows->window_warned) == 0)
		return;
	flows->window_warned = pos;
	diag_warning(diag, t->config->file, pos, "hosts.ack-every",
		     "%s to %s: the congestion window of %" PRIu64 " packet%s is smaller than the "
		     "%u packets after which the receiver acknowledges: the sender waits for `rto` "
		     "each time",
		     src, dst, packets, packets == 1 ? "" : "s", ack_every);
}

int
flows_path_mtu(struct fabric_flows *flows, const struct flow_spec *spec, uint32_t *out,
	       struct diag *diag)
{
	static const uint32_t sizes[] = {4096, 2048, 1024, 512, 256};
	const struct topology *t = flows->fabric->topology;
	const struct host_config *h = &flows->fabric->hosts[spec->src];
	uint32_t room = topology_path_mtu(t, spec->src, spec->src_port, spec->dst, spec->dst_port);

	if (check_transport(flows->fabric, spec, diag) != 0)
		return -EINVAL;
	*out = h->path_mtu;
	for (unsigned i = 0; *out == 0 && i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (sizes[i] + ip_overhead(h) <= room)
			*out = sizes[i];
	if (*out != 0 && *out + ip_overhead(h) <= room)
		return 0;
	if (h->path_mtu != 0) {
		if (h->header_bytes < 0) // otherwise the file sets the size of frames
			warn_path_mtu(flows, spec, room, diag);
		return 0;
	}
	diag_error(diag, t->config->file, t->config->workload[spec->item].pos, "workload",
		   "%s to %s: the path carries %u bytes of IP, too few for a path MTU of 256 and "
		   "its headers",
		   topology_host(t, spec->src)->name, topology_host(t, spec->dst)->name, room);
	return -EINVAL;
}
