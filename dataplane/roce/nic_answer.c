// SPDX-License-Identifier: BSD-3-Clause
#include "nic_answer.h"

#include "dataplane/base/priority.h"
#include "dataplane/stages/answer.h"
#include "dataplane/stages/receive.h"
#include "qp.h"
#include "transport.h"

static bool
is_of_port(const struct nic_port *np, bool ip6, const uint8_t *address)
{
	// The NIC's IPv6 address is the source of what it makes.
	const uint8_t *ip6_source = np->templates[1].headers + FRAME_ETHERNET_BYTES + 8;

	return ip6 ? memcmp(address, ip6_source, 16) == 0 : memcmp(address, np->ip4, 4) == 0;
}

static struct answer_owner
owns(const void *context, bool ip6, const uint8_t *address)
{
	return (struct answer_owner){.own = is_of_port(context, ip6, address)};
}

// ICMP to the host. What is no echo request, or is one too many, is heard all the same.
static int
take_icmp(struct node *n, struct port *in, struct rte_mbuf *m, int verdict, ps_t now,
	  struct answer *out)
{
	struct answer_question q;

	if (!answer_look(m, &q) ||
	    q.protocol != (q.ip6 ? HEADER_PROTOCOL_ICMP6 : HEADER_PROTOCOL_ICMP) ||
	    !is_of_port(&n->nic->ports[in->index], q.ip6, q.ip + (q.ip6 ? 24 : 16)))
		return verdict;
	if (!answer_is_echo(&q))
		return STAGE_CONSUMED;
	if (!answer_allowed(&n->current->answers, &in->answer_due, now)) {
		in->answers[ANSWER_SUPPRESSED]++;
		return STAGE_CONSUMED;
	}
	out->packet = answer_make_echo(n, in, m, &q, true);
	if (out->packet != NULL)
		in->answers[ANSWER_ECHO_REPLY]++;
	return STAGE_CONSUMED;
}

int
nic_answer(struct node *n, struct port *in, struct rte_mbuf *m, int verdict, ps_t now)
{
	struct nic_port *np = &n->nic->ports[in->index];
	struct answer answer = {0};
	struct packet_meta *meta;

	receive_note_refused(in, m, verdict);
	if (verdict == DROP_NOT_IP)
		verdict = answer_arp(n, in, m, verdict, owns, np, &answer);
	else if (verdict == DROP_MARTIAN || verdict == DROP_MULTICAST ||
		 verdict == DROP_NOT_FOR_HOST)
		verdict = answer_solicitation(n, in, m, verdict, owns, np, &answer);
	if (verdict == DROP_NOT_FOR_HOST)
		verdict = take_icmp(n, in, m, verdict, now, &answer);
	if (verdict == STAGE_CONSUMED) {
		in->control_rx++;
		packet_free(n->packets, m);
	}
	if (answer.packet == NULL)
		return verdict;
	meta = packet_meta(answer.packet);
	meta->priority = priority_of_packet(in->profile, meta);
	meta->tc = n->current->priority_to_tc[meta->priority];
	nic_respond(np, answer.packet);
	transport_send_ready(n, now);
	return verdict;
}
