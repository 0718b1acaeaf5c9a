// SPDX-License-Identifier: BSD-3-Clause
#include "read_requests.h"

static void
send_request(struct nic *nic, struct reader *r, uint32_t offset, uint32_t packets)
{
	struct frame_address *a = &r->receiver.address;
	struct nic_port *np = nic_port_of(nic, &r->receiver.qp);
	uint32_t psn = r->receiver.expected + (offset - r->received);
	uint32_t last = offset + packets == r->packets ? r->last_payload : r->path_mtu;

	nic_respond(np, frame_make_request(nic->node->packets, nic_template(np, a), a,
					   frame_request_bytes(a->network, nic->ack_bytes), psn,
					   (uint64_t)offset * r->path_mtu,
					   (packets - 1) * r->path_mtu + last));
}

void
read_requests_more(struct nic *nic, struct reader *r)
{
	while (r->requested != r->packets) {
		uint32_t left = r->packets - r->requested;
		uint32_t count = left < NIC_WRITE_PACKETS ? left : NIC_WRITE_PACKETS;
		bool none = r->received == r->requested;

		if (!none && r->older_end != r->requested)
			return; // there are two
		send_request(nic, r, r->requested, count);
		r->requested += count;
		if (none)
			r->older_end = r->requested;
	}
}

void
read_requests_again(struct nic *nic, struct reader *r, uint32_t offset)
{
	r->requested = r->older_end = offset;
	read_requests_more(nic, r);
}

void
read_requests_forget(struct reader *r)
{
	r->received -= r->received % NIC_WRITE_PACKETS;
	r->receiver.expected = r->receiver.begin;
}

void
read_requests_ask(struct nic *nic, struct reader *r, uint32_t psn)
{
	r->result.naks++;
	if (r->receiver.qp.recovery == NIC_RECOVERY_SELECTIVE) {
		send_request(nic, r, r->received + (uint32_t)psn_diff(psn, r->receiver.expected),
			     1);
		return;
	}
	if (r->receiver.qp.recovery == NIC_RECOVERY_GO_BACK_0)
		read_requests_forget(r);
	read_requests_again(nic, r, r->received);
}
