// SPDX-License-Identifier: BSD-3-Clause
// pauses.csv: for which part of an interval pauses held a priority of a port (rx), and the port
// held the far side's (tx). Pauses are intervals that open and close with frames or run out, so
// that a share is exact. Only priorities that PFC may pause at the port have lines, or `link` where
// it pauses as a whole.
#include "samples_internal.h"

struct totals {
	ps_t rx[PAUSES];
	ps_t tx[PAUSES];
};

static int
create(void **state, const struct fabric *f, const struct fabric_flows *flows, struct diag *diag)
{
	(void)flows;
	return sample_ports_create(state, f, &f->config->record.pauses, false, "record.pauses",
				   sizeof(struct totals), diag);
}

static void
head(const void *state, FILE *to)
{
	(void)state;
	fputs("time_ns,port,priority,rx_percent,tx_percent", to);
}

// What may be paused there, or has been.
static bool
matters(const struct port *p, unsigned int i, const struct totals *at)
{
	bool may = i == PAUSE_LINK ? p->profile->link_pause
				   : !p->profile->link_pause && (p->profile->obeyed >> i & 1) != 0;

	return may || at->rx[i] != 0 || at->tx[i] != 0;
}

static void
take_port(struct sample_ports *s, unsigned int index, ps_t now, ps_t interval, FILE *to)
{
	const struct port *p = sample_port(s->fabric, &s->refs[index]);
	struct totals *at = (struct totals *)s->before + index, before = *at;

	for (unsigned int i = 0; i < PAUSES; i++) {
		at->rx[i] = counters_rx_pause(p, i, now).total;
		at->tx[i] = counters_tx_pause(p, i, now).total;
		if (interval == 0 || !matters(p, i, at))
			continue;
		samples_put_time(now, to);
		fputc(',', to);
		sample_port_put(s->fabric, &s->refs[index], to);
		if (i == PAUSE_LINK)
			fputs(",link", to);
		else
			fprintf(to, ",%u", i);
		fprintf(to, ",%.4f,%.4f\n",
			100.0 * (double)(at->rx[i] - before.rx[i]) / (double)interval,
			100.0 * (double)(at->tx[i] - before.tx[i]) / (double)interval);
	}
}

static void
take(void *state, ps_t now, FILE *to)
{
	struct sample_ports *s = state;

	for (unsigned int i = 0; i < s->count; i++)
		take_port(s, i, now, now - s->since, to);
	s->since = now;
}

const struct series series_pauses = {"pauses.csv", create, head, take, sample_ports_destroy};
