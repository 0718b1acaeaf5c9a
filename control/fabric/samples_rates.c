// SPDX-License-Identifier: BSD-3-Clause
// rates.csv: the rates of queue pairs. `achieved` is the payload acknowledged within the interval.
// The rate, target and alpha are those of congestion control at the instant; without it, the rate
// is what was achieved.
#include "samples_internal.h"

#include "control/base/memory.h"
#include "dataplane/roce/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GBPS_PER_BIT_PER_PS 1000.0

// Whether a name means a flow: the name of its item, or its number.
static bool
means(const struct config_name *name, const struct fabric_flows *flows, uint32_t flow)
{
	char id[16];

	snprintf(id, sizeof(id), "%u", flow);
	return strcmp(name->text, fabric_flows_item(flows, flow)) == 0 ||
	       strcmp(name->text, id) == 0;
}

// Whether the pairs of a collective of that name are generated.
static bool
generates(const struct workload *w, const char *name)
{
	for (uint32_t i = 0; i < w->collective_count; i++)
		if (w->collectives[i].generated &&
		    (strcmp(w->collectives[i].name, name) == 0 ||
		     strcmp(w->programs[w->collectives[i].program].name, name) == 0))
			return true;
	return false;
}

// Reports a name that means no flow, with the names that there are.
static int
refuse(const struct fabric_flows *flows, const struct config_name *name, const char *key,
       struct diag *diag)
{
	const uint32_t count = flows->workload->flow_count;
	const char *file = flows->fabric->config->file, *near;
	const char **items = memory_array(count, sizeof(*items), "items");
	uint32_t known = 0;

	for (uint32_t i = 0; i < count; i++)
		if (known == 0 || strcmp(items[known - 1], fabric_flows_item(flows, i)) != 0)
			items[known++] = fabric_flows_item(flows, i);
	near = config_suggest(name->text, items, known);
	if (generates(flows->workload, name->text))
		diag_error(diag, file, name->pos, key,
			   "the pairs of %s are generated and have no flows: write `pairs: "
			   "listed` there",
			   name->text);
	else if (count == 0)
		diag_error(diag, file, name->pos, key, "there are no flows, so none is named %s",
			   name->text);
	else if (near != NULL)
		diag_error(diag, file, name->pos, key,
			   "no workload item is named %s; did you mean \"%s\"?", name->text, near);
	else
		diag_error(diag, file, name->pos, key,
			   "no workload item is named %s, and flows are numbered 0 to %u",
			   name->text, count - 1);
	free(items);
	return -EINVAL;
}

static void
add_pairs(struct sample_places *s, uint32_t flow)
{
	struct flow_pair at;

	for (uint32_t i = 0; fabric_flows_pair(s->flows, flow, i, &at) == 0; i++)
		sample_places_add(s, flow, i, 0);
}

static int
add_flows(struct sample_places *s, const struct config_name *name, const char *key,
	  struct diag *diag)
{
	bool found = false;

	for (uint32_t i = 0; i < s->flows->workload->flow_count; i++) {
		if (!means(name, s->flows, i))
			continue;
		add_pairs(s, i);
		found = true;
	}
	return found ? 0 : refuse(s->flows, name, key, diag);
}

static void
add_all(struct sample_places *s)
{
	for (uint32_t i = 0; i < s->flows->workload->flow_count; i++)
		add_pairs(s, i);
}

static struct flow_pair
pair_of(const struct sample_places *s, unsigned int place)
{
	struct flow_pair pair = {.nic = NULL};

	fabric_flows_pair(s->flows, s->items[place].node, s->items[place].port, &pair);
	return pair;
}

static bool
is_here(const struct sample_places *s, unsigned int place)
{
	return pair_of(s, place).nic != NULL;
}

static void
take(struct sample_places *s, unsigned int place, ps_t now, FILE *to)
{
	uint64_t *acknowledged = (uint64_t *)s->before + place, before = *acknowledged;
	const struct flow_pair pair = pair_of(s, place);
	struct congestion_reading reading;
	ps_t interval = now - s->since;
	double achieved = 0;

	nic_flow_acknowledged(pair.nic, pair.qpn, acknowledged);
	if (interval != 0)
		achieved = (double)(*acknowledged - before) * 8 / (double)interval *
			   GBPS_PER_BIT_PER_PS;
	samples_put_time(now, to);
	fprintf(to, ",%u,%u,", s->items[place].node, pair.qpn);
	if (nic_congestion_read(pair.nic, pair.qpn, &reading) == 0)
		fprintf(to, "%.6f,%.6f,%.6f,", reading.rate_bps / 1e9, reading.target_bps / 1e9,
			reading.alpha);
	else
		fprintf(to, "%.6f,,,", achieved);
	fprintf(to, "%.6f\n", achieved);
}

const struct series series_rates = {
	.file = "rates.csv",
	.heading = "time_ns,flow,qpn,rate_gbps,target_gbps,alpha,achieved_gbps",
	.key = "record.flows",
	.names = offsetof(struct config_record, flows),
	.size = sizeof(uint64_t),
	.sorted = true,
	.add = add_flows,
	.add_all = add_all,
	.is_here = is_here,
	.take = take,
};
