// SPDX-License-Identifier: BSD-3-Clause
// links.csv: for which part of an interval a port's transmitter was busy, preamble, FCS and gap
// included. A frame counts at a port when it starts; what of it is still to be sent at a sample
// belongs to the next interval.
#include "samples_internal.h"

struct sent {
	uint64_t bytes; // framing included
	ps_t left;      // of a frame that has started
};

static int
create(void **state, const struct fabric *f, const struct fabric_flows *flows, struct diag *diag)
{
	(void)flows;
	return sample_ports_create(state, f, &f->config->record.links, true, "record.links",
				   sizeof(struct sent), diag);
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
	struct sample_ports *s = state;
	struct sent *sent = s->before;
	ps_t interval = now - s->since;

	for (unsigned int i = 0; i < s->count && interval != 0; i++) {
		ps_t time = busy(sample_port(s->fabric, &s->refs[i]), &sent[i], now);

		samples_put_time(now, to);
		fputc(',', to);
		sample_port_put(s->fabric, &s->refs[i], to);
		fprintf(to, ",%.4f\n", 100.0 * (double)time_min(time, interval) / (double)interval);
	}
	s->since = now;
}

const struct series series_links = {"links.csv", create, head, take, sample_ports_destroy};
