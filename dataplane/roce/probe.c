// SPDX-License-Identifier: BSD-3-Clause
#include "probe.h"

#include "dataplane/base/priority.h"
#include "qp.h"
#include "transport.h"

#include <errno.h>

static struct rte_mbuf *
make_packet(struct node *n, const struct probe *probe)
{
	struct rte_mbuf *m = packet_alloc(n->packets);

	if (m == NULL)
		return NULL;
	*packet_meta(m) = probe->meta;
	memcpy(packet_data(m), probe->data, probe->meta.data_len);
	return m;
}

static int
send_from_nic(struct node *n, struct port *p, const struct probe *probe, ps_t now)
{
	struct rte_mbuf *m = make_packet(n, probe);
	struct packet_meta *meta;

	if (m == NULL)
		return -ENOBUFS;
	meta = packet_meta(m);
	meta->in_port = meta->out_port = p->index;
	meta->priority = priority_of_packet(p->profile, meta);
	meta->tc = n->current->priority_to_tc[meta->priority];
	nic_respond(&n->nic->ports[p->index], m);
	transport_send_ready(n, now);
	return 0;
}

int
probe_send(struct node *n, struct port *p, const struct probe *probe, ps_t now)
{
	struct rte_mbuf *m;

	if (n->nic != NULL)
		return p->out != NULL ? send_from_nic(n, p, probe, now) : -ENETDOWN;
	if (p->in == NULL || !p->up)
		return -ENETDOWN;
	m = make_packet(n, probe);
	if (m == NULL)
		return -ENOBUFS;
	packet_meta(m)->arrived = now; // all of it
	if (wire_put(p->in, m, now) == 0)
		return 0;
	packet_free(n->packets, m);
	return -ENOBUFS;
}
