// SPDX-License-Identifier: BSD-3-Clause
// The responder of WRITEs and SENDs over the reliable connection. placement.c handles packets that
// come before their turn or are missing.
//
// The receiver acknowledges every ack_every packets, a message's last packet, and where the
// requester asks for it. A duplicate counts as a packet there, which makes up for a lost
// acknowledgement. An ACK acknowledges everything up to its PSN; a NAK what is before the PSN that
// is missing, but in selective recovery nothing.
#include "receiver.h"

#include "cnp.h"
#include "placement.h"
#include "program.h"

static void
send_ack(struct nic *nic, struct receiver *r)
{
	struct nic_port *np = nic_port_of(nic, &r->qp);

	r->unacknowledged = 0;
	nic_respond(np,
		    frame_make_ack(nic->node->packets, nic_template(np, &r->address), &r->address,
				   frame_ack_bytes(r->address.network, nic->ack_bytes),
				   psn_add(r->expected, -1), ROCE_SYNDROME_ACK_NO_CREDITS, r->msn));
}

static void
take_expected(struct nic *nic, struct receiver *r, uint8_t opcode, bool ack_req, ps_t now)
{
	bool due = ack_req;
	uint32_t immediates = 0;

	r->expected = psn_add(r->expected, 1);
	r->unacknowledged++;
	r->nak_sent = false;
	if (roce_op_ends_message(opcode)) {
		r->msn++;
		placement_begin_message(r);
		immediates = roce_op_has_immdt(opcode);
		due = true;
	}
	if (unlikely(r->ahead != 0)) {
		struct placement_passed passed = placement_advance(nic, r, now);

		r->unacknowledged += passed.packets;
		r->msn += passed.messages;
		immediates += passed.immediates;
		due |= passed.messages != 0;
	}
	if (unlikely(r->ack_owed)) {
		due = true;
		r->ack_owed = r->ahead != 0;
	}
	if (due || r->unacknowledged >= nic->ack_every)
		send_ack(nic, r);
	if (unlikely(immediates != 0) && r->cold != NULL && r->cold->feeder.inbox != NULL)
		while (immediates-- != 0)
			program_received(nic, &r->cold->feeder, now);
}

static void
take_duplicate(struct nic *nic, struct receiver *r, uint8_t opcode, bool ack_req)
{
	r->result.duplicates++;
	r->unacknowledged++;
	if (ack_req || roce_op_ends_message(opcode) || r->unacknowledged >= nic->ack_every)
		send_ack(nic, r);
}

// A message's last packet is acknowledged in its turn anyway.
static void
take_ahead(struct nic *nic, struct receiver *r, uint32_t psn, uint8_t opcode, bool ack_req,
	   ps_t now)
{
	r->ack_owed |= ack_req && !roce_op_ends_message(opcode);
	placement_take_ahead(nic, r, psn, (uint32_t)psn_diff(psn, r->expected), opcode, now);
}

void
receiver_take(struct nic *nic, struct receiver *r, uint32_t psn, uint8_t opcode, bool ack_req,
	      bool ce, ps_t now)
{
	int32_t distance = psn_diff(psn, r->expected);

	r->result.packets++;
	if (unlikely(ce))
		cnp_send(nic, r, now);
	if (likely(distance == 0))
		take_expected(nic, r, opcode, ack_req, now);
	else if (distance < 0)
		take_duplicate(nic, r, opcode, ack_req);
	else
		take_ahead(nic, r, psn, opcode, ack_req, now);
}
