// SPDX-License-Identifier: BSD-3-Clause
#include "progress.h"

#include "program.h"
#include "qp.h"
#include "reader.h"

#include <errno.h>

// Payload of `packets` of a message, all but the last of which are full.
static uint64_t
payload(uint32_t packets, uint32_t of, uint16_t path_mtu, uint16_t last_payload)
{
	if (packets < of)
		return (uint64_t)packets * path_mtu;
	return (uint64_t)(of - 1) * path_mtu + last_payload;
}

static uint64_t
of_program(const struct sender *s, const struct program_sender *p)
{
	uint64_t bytes = p->acked_bytes;

	if (p->done < p->begun)
		bytes += payload(s->acked - p->oldest.begin, p->oldest.end - p->oldest.begin,
				 s->path_mtu, p->oldest.last_payload);
	return bytes;
}

static uint64_t
of_sender(const struct sender *s)
{
	uint64_t bytes = s->result.repetitions *
			 payload(s->packets, s->packets, s->path_mtu, s->last_payload);

	if (s->open)
		bytes += payload(s->acked - s->begin, s->packets, s->path_mtu, s->last_payload);
	return bytes;
}

static uint64_t
of_reader(const struct reader *r)
{
	uint64_t bytes = r->result.repetitions *
			 payload(r->packets, r->packets, r->path_mtu, r->last_payload);

	if (r->open)
		bytes += payload(r->received, r->packets, r->path_mtu, r->last_payload);
	return bytes;
}

int
nic_flow_acknowledged(const struct nic *nic, uint32_t qpn, uint64_t *out)
{
	uint32_t index = qpn - NIC_QPN_FIRST;
	const struct qp *qp = index < nic->qp_limit ? nic->qps[index] : NULL;

	if (qp != NULL && qp->role == QP_READER) {
		*out = of_reader((const struct reader *)qp);
		return 0;
	}
	if (qp == NULL || qp->role != QP_SENDER)
		return -ENOENT;
	if (((const struct sender *)qp)->special & SENDER_PROGRAM)
		*out = of_program((const struct sender *)qp,
				  ((const struct sender *)qp)->cold->program);
	else
		*out = of_sender((const struct sender *)qp);
	return 0;
}
