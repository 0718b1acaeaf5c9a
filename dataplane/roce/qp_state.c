// SPDX-License-Identifier: BSD-3-Clause
#include "qp_state.h"

#include "mrc_sender.h"
#include "pacing.h"
#include "program.h"
#include "qp.h"
#include "responder.h"
#include "sprayed.h"

#include <errno.h>

static void
snapshot_address(const struct frame_address *a, struct qp_state *out)
{
	out->peer_qpn = a->peer_qpn;
	out->ip_version = a->network == FRAME_INFINIBAND ? 0 : a->network == FRAME_IP6 ? 6 : 4;
	memcpy(out->peer_ip, a->peer_ip, sizeof(out->peer_ip));
}

static enum nic_state
state_of(bool open, const struct nic_flow_result *result)
{
	if (result->completed != PS_NEVER)
		return NIC_STATE_COMPLETE;
	return open ? NIC_STATE_OPEN : NIC_STATE_WAITING;
}

static void
snapshot_paths(const struct mrc_sender *x, struct qp_state *out)
{
	out->planes = x->plane_count;
	out->bad_paths = x->bad;
	for (uint8_t i = 0; i < x->plane_count; i++)
		out->usable_paths = (uint16_t)(out->usable_paths + x->planes[i].states.usable);
}

static void
snapshot_sender(const struct sender *s, uint32_t psn_mask, ps_t now, struct qp_state *out)
{
	const struct program_sender *program = s->special & SENDER_PROGRAM ? s->cold->program
									   : NULL;
	bool open = program != NULL ? program->done != program->sendable : s->open;

	snapshot_address(&s->address, out);
	out->role = s->qp.role == QP_RESPONDER ? NIC_ROLE_RESPONDER : NIC_ROLE_SENDER;
	out->state = s->qp.role == QP_RESPONDER ? NIC_STATE_READY : state_of(open, &s->result);
	out->psn = (s->psn_base + s->next) & psn_mask;
	if (s->special & SENDER_RESPONDER)
		out->msn = s->cold->responder->msn & ROCE_PSN_MASK;
	out->sent = s->result;
	out->paced = s->special & SENDER_PACED;
	if (out->paced) {
		const struct congestion *c = &s->cold->pacing->c;

		c->algorithm->read(c, now, &out->reading);
	}
	if (s->special & SENDER_SPRAYED && s->cold->sprayed->mrc != NULL)
		snapshot_paths(s->cold->sprayed->mrc, out);
}

static void
snapshot_receiver(const struct receiver *r, uint32_t psn_mask, struct qp_state *out)
{
	snapshot_address(&r->address, out);
	out->role = NIC_ROLE_RECEIVER;
	out->state = NIC_STATE_READY;
	out->psn = r->expected & psn_mask;
	out->msn = r->msn & ROCE_PSN_MASK;
	out->received = r->result;
}

int
nic_read_qp(const struct nic *nic, uint32_t qpn, ps_t now, struct qp_state *out)
{
	uint32_t slot = qpn - NIC_QPN_FIRST;
	const struct qp *qp = slot < nic->qp_limit ? nic->qps[slot] : NULL;
	const struct reader *reader = (const struct reader *)qp;
	// Ultra Ethernet Transport has PSNs of 32 bits.
	uint32_t psn_mask = nic->cold->config.transport == NIC_TRANSPORT_UET ? UINT32_MAX
									     : ROCE_PSN_MASK;

	if (qp == NULL)
		return -ENOENT;
	*out = (struct qp_state){.qpn = qp->qpn, .port = qp->port};
	if (qp->role == QP_SENDER || qp->role == QP_RESPONDER) {
		snapshot_sender((const struct sender *)qp, psn_mask, now, out);
		return 0;
	}
	snapshot_receiver((const struct receiver *)qp, psn_mask, out);
	if (qp->role == QP_READER) {
		out->role = NIC_ROLE_READER;
		out->state = state_of(reader->open, &reader->result);
		out->sent = reader->result;
	}
	return 0;
}
