// SPDX-License-Identifier: BSD-3-Clause
// rates.csv: how fast queue pairs send. `achieved` is payload acknowledged within the interval; the
// rate, target and alpha are congestion control's at the instant, where there is one; without, the
// rate is what was achieved.
#include "flows_internal.h"
#include "samples_internal.h"

#include "dataplane/roce/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GBPS_PER_BIT_PER_PS 1000.0

struct pair {
	uint32_t flow;
	struct flow_pair at;
	uint64_t acknowledged; // at the sample before
};

struct rates {
	struct pair *pairs;
	uint32_t count;
	ps_t since;
};

static void
destroy(void *state)
{
	struct rates *s = state;

	free(s->pairs);
	free(s);
}

static bool
is_id(const char *text, uint32_t flow)
{
	char id[16];

	snprintf(id, sizeof(id), "%u", flow);
	return strcmp(text, id) == 0;
}

// Marks the flows that a name means.
static int
mark(const struct fabric_flows *flows, uint32_t count, const struct config_name *name, bool *wanted)
{
	int found = -ENOENT;

	for (uint32_t i = 0; i < count; i++) {
		if (strcmp(fabric_flows_item(flows, i), name->text) != 0 && !is_id(name->text, i))
			continue;
		wanted[i] = true;
		found = 0;
	}
	return found;
}

// Says what there is instead.
static void
refuse(const struct fabric_flows *flows, uint32_t count, const struct config *config,
       const struct config_name *name, struct diag *diag)
{
	const char **items = calloc(count + 1u, sizeof(*items));
	const char *near = NULL;
	uint32_t known = 0;

	for (uint32_t i = 0; items != NULL && i < count; i++)
		if (known == 0 || strcmp(items[known - 1], fabric_flows_item(flows, i)) != 0)
			items[known++] = fabric_flows_item(flows, i);
	if (items != NULL)
		near = config_suggest(name->text, items, known);
	if (count == 0)
		diag_error(diag, config->file, name->pos, "record.flows",
			   "there are no flows, so none is named %s", name->text);
	else if (near != NULL)
		diag_error(diag, config->file, name->pos, "record.flows",
			   "no workload item is named %s; did you mean \"%s\"?", name->text, near);
	else
		diag_error(diag, config->file, name->pos, "record.flows",
			   "no workload item is named %s, and flows are numbered 0 to %u",
			   name->text, count - 1);
	free(items);
}

static int
find_flows(const struct fabric_flows *flows, uint32_t count, const struct config *config,
	   bool *wanted, struct diag *diag)
{
	const struct config_names *names = &config->record.flows;
	int rc = 0;

	if (config_means_all(names)) {
		memset(wanted, true, count);
		return 0;
	}
	for (unsigned int i = 0; i < names->count; i++) {
		if (mark(flows, count, &names->items[i], wanted) == 0)
			continue;
		refuse(flows, count, config, &names->items[i], diag);
		rc = -EINVAL;
	}
	return rc;
}

static int
list_pairs(struct rates *s, const struct fabric_flows *flows, uint32_t count, const bool *wanted)
{
	struct flow_pair at;
	uint32_t pairs = 0;

	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; wanted[i] && fabric_flows_pair(flows, i, k, &at) == 0; k++)
			pairs++;
	s->pairs = calloc(pairs + 1u, sizeof(*s->pairs));
	if (s->pairs == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; wanted[i] && fabric_flows_pair(flows, i, k, &at) == 0; k++)
			s->pairs[s->count++] = (struct pair){.flow = i, .at = at};
	return 0;
}

static int
create(void **state, const struct fabric *f, const struct fabric_flows *flows, struct diag *diag)
{
	uint32_t count = flows->workload->flow_count;
	struct rates *s;
	bool *wanted;
	int rc = -ENOMEM;

	if (f->config->record.flows.count == 0)
		return 0;
	s = calloc(1, sizeof(*s));
	wanted = calloc(count + 1u, sizeof(*wanted));
	if (s != NULL && wanted != NULL) {
		rc = find_flows(flows, count, f->config, wanted, diag);
		if (rc == 0)
			rc = list_pairs(s, flows, count, wanted);
	}
	free(wanted);
	if (rc == 0)
		*state = s;
	else
		free(s);
	return rc;
}

static void
head(const void *state, FILE *to)
{
	(void)state;
	fputs("time_ns,flow,qpn,rate_gbps,target_gbps,alpha,achieved_gbps", to);
}

static void
take_pair(struct pair *p, ps_t now, ps_t interval, FILE *to)
{
	struct congestion_reading reading;
	uint64_t before = p->acknowledged;
	double achieved = 0;

	nic_flow_acknowledged(p->at.nic, p->at.qpn, &p->acknowledged);
	if (interval != 0)
		achieved = (double)(p->acknowledged - before) * 8 / (double)interval *
			   GBPS_PER_BIT_PER_PS;
	samples_put_time(now, to);
	fprintf(to, ",%u,%u,", p->flow, p->at.qpn);
	if (nic_congestion_read(p->at.nic, p->at.qpn, &reading) == 0)
		fprintf(to, "%.6f,%.6f,%.6f,", reading.rate_bps / 1e9, reading.target_bps / 1e9,
			reading.alpha);
	else
		fprintf(to, "%.6f,,,", achieved);
	fprintf(to, "%.6f\n", achieved);
}

static void
take(void *state, ps_t now, FILE *to)
{
	struct rates *s = state;

	for (uint32_t i = 0; i < s->count; i++)
		take_pair(&s->pairs[i], now, now - s->since, to);
	s->since = now;
}

const struct series series_rates = {"rates.csv", create, head, take, destroy};
