// SPDX-License-Identifier: BSD-3-Clause
// links.csv: for which part of an interval a port's transmitter was busy, preamble, FCS and gap
// included. A frame counts at a port when it starts; what of it is still to be sent at a sample
// belongs to the next interval.
#include "samples_part.h"

#include <errno.h>
#include <stdlib.h>

struct sent {
	uint64_t bytes; // framing included
	ps_t left;      // of a frame that has started
};

struct links {
	const struct fabric *fabric;
	struct sample_ports ports;
	struct sent *sent; // by port, at the sample before
	ps_t since;
};

static void
destroy(void *state)
{
	struct links *s = state;

	free(s->sent);
	free(s->ports.refs);
	free(s);
}

static int
create(void **state, const struct fabric *f, const struct fabric_flows *flows,
       struct config_diag *diag)
{
	const struct config_names *names = &f->config->record.links;
	struct links *s;
	int rc;

	(void)flows;
	if (names->count == 0)
		return 0;
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return -ENOMEM;
	s->fabric = f;
	rc = sample_ports_find(&s->ports, f, names, true, "record.links", diag);
	if (rc == 0) {
		s->sent = calloc(s->ports.count + 1u, sizeof(*s->sent));
		rc = s->sent == NULL ? -ENOMEM : 0;
	}
	if (rc != 0)
		destroy(s);
	else
		*state = s;
	return rc;
}

static void
head(const void *state, FILE *to)
{
	(void)state;
	fputs("time_ns,port,tx_percent", to);
}

// How long the transmitter has been busy since the sample before.
static ps_t
busy(const struct port *p, struct sent *before, ps_t now)
{
	const struct port_profile *profile = p->profile;
	struct sent at = {
		.bytes = p->tx_bytes +
			 p->tx_packets * (profile->preamble + profile->fcs + profile->gap),
		.left = p->tx_free > now ? p->tx_free - now : 0,
	};
	ps_t time = before->left + time_of_bytes(profile->byte_time, at.bytes - before->bytes);

	*before = at;
	return time > at.left ? time - at.left : 0;
}

static void
take(void *state, ps_t now, FILE *to)
{
	struct links *s = state;
	ps_t interval = now - s->since;

	for (unsigned int i = 0; i < s->ports.count && interval != 0; i++) {
		ps_t time = busy(sample_port(s->fabric, &s->ports.refs[i]), &s->sent[i], now);

		samples_put_time(now, to);
		fputc(',', to);
		sample_port_put(s->fabric, &s->ports.refs[i], to);
		fprintf(to, ",%.4f\n", 100.0 * (double)time_min(time, interval) / (double)interval);
	}
	s->since = now;
}

const struct series series_links = {"links.csv", create, head, take, destroy};
