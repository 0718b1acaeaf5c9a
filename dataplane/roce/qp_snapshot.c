// SPDX-License-Identifier: BSD-3-Clause
#include "qp_snapshot.h"

#include "pacing.h"
#include "program.h"
#include "qp.h"
#include "responder.h"

#include <errno.h>

static void
look_at_address(const struct frame_address *a, struct nic_look *out)
{
	out->peer_qpn = a->peer_qpn;
	out->ip_version = a->ip6 ? 6 : 4;
	memcpy(out->peer_ip, a->peer_ip, sizeof(out->peer_ip));
}

static enum nic_state
state_of(bool open, const struct nic_flow_result *result)
{
	if (result->completed != PS_NEVER)
		return NIC_STATE_COMPLETE;
	return open ? NIC_STATE_OPEN : NIC_STATE_WAITS;
}

static void
look_at_sender(const struct sender *s, ps_t now, struct nic_look *out)
{
	const struct program_sender *program = s->special & SENDER_PROGRAM ? s->more->program
									   : NULL;
	bool open = program != NULL ? program->done != program->sendable : s->open;

	look_at_address(&s->address, out);
	out->role = s->qp.role == QP_RESPONDER ? NIC_ROLE_RESPONDER : NIC_ROLE_SENDER;
	out->state = s->qp.role == QP_RESPONDER ? NIC_STATE_READY : state_of(open, &s->result);
	out->psn = (s->psn_base + s->next) & ROCE_PSN_MASK;
	if (s->special & SENDER_RESPONDER)
		out->msn = s->more->responder->msn & ROCE_PSN_MASK;
	out->sent = s->result;
	out->paced = s->special & SENDER_PACED;
	if (out->paced) {
		const struct congestion *c = &s->more->pacing->c;

		c->algorithm->read(c, now, &out->reading);
	}
}

static void
look_at_receiver(const struct receiver *r, struct nic_look *out)
{
	look_at_address(&r->address, out);
	out->role = NIC_ROLE_RECEIVER;
	out->state = NIC_STATE_READY;
	out->psn = r->expected & ROCE_PSN_MASK;
	out->msn = r->msn & ROCE_PSN_MASK;
	out->received = r->result;
}

int
nic_look(const struct nic *nic, uint32_t qpn, ps_t now, struct nic_look *out)
{
	uint32_t slot = qpn - NIC_QPN_FIRST;
	const struct qp *qp = slot < nic->qp_limit ? nic->qps[slot] : NULL;
	const struct reader *reader = (const struct reader *)qp;

	if (qp == NULL)
		return -ENOENT;
	*out = (struct nic_look){.qpn = qp->qpn, .port = qp->port};
	if (qp->role == QP_SENDER || qp->role == QP_RESPONDER) {
		look_at_sender((const struct sender *)qp, now, out);
		return 0;
	}
	look_at_receiver((const struct receiver *)qp, out);
	if (qp->role == QP_READER) {
		out->role = NIC_ROLE_READER;
		out->state = state_of(reader->open, &reader->result);
		out->sent = reader->result;
	}
	return 0;
}
