// SPDX-License-Identifier: BSD-3-Clause
// pauses.csv: for which part of an interval pauses held a priority of a port (rx), and the port
// held the far side's (tx). Pauses are intervals that open and close with frames or run out, so
// that a share is exact. Only priorities that PFC may pause at the port have lines, or `link` where
// it pauses as a whole.
#include "samples_part.h"

#include <errno.h>
#include <stdlib.h>

struct totals {
	ps_t rx[PAUSES];
	ps_t tx[PAUSES];
};

struct pauses {
	const struct fabric *fabric;
	struct sample_ports ports;
	struct totals *totals; // by port, at the sample before
	ps_t since;
};

static void
destroy(void *state)
{
	struct pauses *s = state;

	free(s->totals);
	free(s->ports.refs);
	free(s);
}

static int
create(void **state, const struct fabric *f, const struct fabric_flows *flows,
       struct config_diag *diag)
{
	const struct config_names *names = &f->config->record.pauses;
	struct pauses *s;
	int rc;

	(void)flows;
	if (names->count == 0)
		return 0;
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return -ENOMEM;
	s->fabric = f;
	rc = sample_ports_find(&s->ports, f, names, false, "record.pauses", diag);
	if (rc == 0) {
		s->totals = calloc(s->ports.count + 1u, sizeof(*s->totals));
		rc = s->totals == NULL ? -ENOMEM : 0;
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
take_port(struct pauses *s, unsigned int index, ps_t now, ps_t interval, FILE *to)
{
	const struct port *p = sample_port(s->fabric, &s->ports.refs[index]);
	struct totals before = s->totals[index], *at = &s->totals[index];

	for (unsigned int i = 0; i < PAUSES; i++) {
		at->rx[i] = counters_rx_pause(p, i, now).total;
		at->tx[i] = counters_tx_pause(p, i, now).total;
		if (interval == 0 || !matters(p, i, at))
			continue;
		samples_put_time(now, to);
		fputc(',', to);
		sample_port_put(s->fabric, &s->ports.refs[index], to);
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
	struct pauses *s = state;

	for (unsigned int i = 0; i < s->ports.count; i++)
		take_port(s, i, now, now - s->since, to);
	s->since = now;
}

const struct series series_pauses = {"pauses.csv", create, head, take, destroy};
