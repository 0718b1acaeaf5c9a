// SPDX-License-Identifier: BSD-3-Clause
// Charts of the files that `record:` asks for: which columns make which lines.
#include "plot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PANELS_MAX 8

// Rows come in the order of time.
static int
read_time(struct csv *c, double *time)
{
	double before = *time;
	int rc = csv_number(c, 0, time);

	if (rc == 0 && *time < before)
		return csv_refuse(c, "time_ns goes backwards");
	return rc;
}

static int
add(struct plot_lines *l, const char *name, double x, double y)
{
	struct plot_line *line = plot_lines_get(l, name);

	return line == NULL ? -ENOMEM : plot_line_add(line, x, y);
}

// Makes a value of `column` a point of a line.
static int
add_field(struct csv *c, struct plot_lines *l, const char *name, double time, unsigned int column)
{
	double value;
	int rc = csv_number(c, column, &value);

	return rc != 0 ? rc : add(l, name, time, value);
}

static double
largest(const struct plot_lines *l)
{
	double max = 0;

	for (size_t i = 0; i < l->count; i++) {
		double one = plot_line_max(&l->lines[i]);

		max = one > max ? one : max;
	}
	return max;
}

static void
divide(struct plot_lines *l, double by)
{
	for (size_t i = 0; i < l->count; i++)
		for (size_t k = 0; k < l->lines[i].count; k++)
			l->lines[i].points[k].y /= by;
}

static int
read_queue_row(struct csv *c, void *context, double time)
{
	struct plot_lines *l = context;
	int rc = 0;

	for (unsigned int i = 1; rc == 0 && i < csv_columns(c); i++)
		rc = add_field(c, l, csv_heading(c, i), time, i);
	return rc;
}

// Reads a file, giving each row to `take`. Returns 1, 0 when there is none or it has no rows, or
// -errno.
static int
read_series(struct plot_input *in, const char *file, const char *header, bool wide,
	    int (*take)(struct csv *c, void *context, double time), void *context)
{
	struct csv *c = NULL;
	double time = 0;
	int rc = csv_open(&c, in, file, header, wide), rows = 0;

	if (rc == -ENOENT)
		return 0;
	while (rc == 0 && (rc = csv_next(c)) == 1) {
		rows = 1;
		rc = read_time(c, &time);
		if (rc == 0)
			rc = take(c, context, time);
	}
	csv_close(c);
	return rc != 0 ? rc : rows;
}

int
plot_make_queues(struct plot_input *in, struct plot_chart *charts, const char **why)
{
	struct plot_lines l = {.count = 0};
	int rc = read_series(in, "queues.csv", "time_ns", true, read_queue_row, &l);
	double bytes;
	const char *unit = plot_bytes_unit(largest(&l), &bytes);
	char label[32];
	struct plot_panel panel = {.label = label, .lines = &l};

	*why = "queues: there is no queues.csv (record.queues asks for it)";
	if (rc == 1) {
		divide(&l, bytes);
		snprintf(label, sizeof(label), "depth / %s", unit);
		charts[0].file = "queues.svg";
		charts[0].title = "Depths of queues";
		rc = plot_lines_over_time(&charts[0], &panel, 1);
		rc = rc == 0 ? 1 : rc;
	}
	plot_lines_free(&l);
	return rc;
}

// ---- rates --------------------------------------------------------------------------------------

enum rates_column { RATE_TIME, RATE_FLOW, RATE_QPN, RATE_RATE, RATE_TARGET, RATE_ALPHA };

struct rates {
	const json_t *flows; // of the result, by id
	struct plot_lines rate, target, alpha;
};

// "a2a h1 to h2, 17": what result.json knows of the flow, and the queue pair.
static void
name_pair(const struct rates *r, const char *id, const char *qpn, char name[static 160])
{
	const json_t *flow = json_array_get(r->flows, strtoul(id, NULL, 10));
	const char *item = json_string_value(json_object_get(flow, "item"));
	const char *src = json_string_value(json_object_get(flow, "src"));
	const char *dst = json_string_value(json_object_get(flow, "dst"));

	if (item != NULL && src != NULL && dst != NULL)
		snprintf(name, 160, "%.40s: %.30s to %.30s, QP %.16s", item, src, dst, qpn);
	else
		snprintf(name, 160, "flow %.16s, QP %.16s", id, qpn);
}

static int
read_rate_row(struct csv *c, void *context, double time)
{
	struct rates *r = context;
	char name[160];
	int rc;

	name_pair(r, csv_text(c, RATE_FLOW), csv_text(c, RATE_QPN), name);
	rc = add_field(c, &r->rate, name, time, RATE_RATE);
	if (rc == 0 && *csv_text(c, RATE_TARGET) != '\0')
		rc = add_field(c, &r->target, name, time, RATE_TARGET);
	if (rc == 0 && *csv_text(c, RATE_ALPHA) != '\0')
		rc = add_field(c, &r->alpha, name, time, RATE_ALPHA);
	return rc;
}

int
plot_make_rates(struct plot_input *in, struct plot_chart *charts, const char **why)
{
	struct rates r = {.flows = json_object_get(in->result, "flows")};
	struct plot_panel panels[3] = {{.label = "rate / Gb/s", .lines = &r.rate},
				       {.label = "target rate / Gb/s", .lines = &r.target},
				       {.label = "alpha", .lines = &r.alpha, .limit = 1.02}};
	int rc = read_series(in, "rates.csv",
			     "time_ns,flow,qpn,rate_gbps,target_gbps,alpha,achieved_gbps", false,
			     read_rate_row, &r);

	*why = "rates: there is no rates.csv (record.flows asks for it)";
	if (rc == 1) {
		unsigned int count = 1;

		if (r.target.count != 0)
			count++;
		if (r.alpha.count != 0)
			panels[count++] = panels[2];
		charts[0].file = "rates.svg";
		charts[0].title = "Rates of flows";
		rc = plot_lines_over_time(&charts[0], panels, count);
		rc = rc == 0 ? 1 : rc;
	}
	plot_lines_free(&r.rate);
	plot_lines_free(&r.target);
	plot_lines_free(&r.alpha);
	return rc;
}

// ---- links --------------------------------------------------------------------------------------

static int
read_link_row(struct csv *c, void *context, double time)
{
	return add_field(c, context, csv_text(c, 1), time, 2);
}

int
plot_make_links(struct plot_input *in, struct plot_chart *charts, const char **why)
{
	struct plot_lines l = {.count = 0};
	struct plot_panel panel = {.label = "share of time spent sending", .lines = &l};
	int rc = read_series(in, "links.csv", "time_ns,port,tx_percent", false, read_link_row, &l);
	bool many = l.count > PLOT_ROWS_MAX;

	*why = "loads over time: there is no links.csv (record.links asks for it)";
	if (rc == 1 && plot_lines_keep(&l, PLOT_ROWS_MAX) != 0)
		rc = -ENOMEM;
	if (rc == 1) {
		charts[0].file = "links.svg";
		charts[0].title = many ? "Loads of links over time, of the ports that sent most"
				       : "Loads of links over time, by sending port";
		rc = plot_heat_over_time(&charts[0], &panel, 1);
		rc = rc == 0 ? 1 : rc;
	}
	plot_lines_free(&l);
	return rc;
}

// ---- pauses -------------------------------------------------------------------------------------

enum pauses_column { PAUSE_TIME, PAUSE_PORT, PAUSE_PRIORITY, PAUSE_RX, PAUSE_TX };

struct pauses {
	struct plot_lines rx, tx;
};

static int
read_pause_row(struct csv *c, void *context, double time)
{
	struct pauses *p = context;
	char name[160];
	int rc;

	snprintf(name, sizeof(name), "%.120s, %.10s", csv_text(c, PAUSE_PORT),
		 csv_text(c, PAUSE_PRIORITY));
	rc = add_field(c, &p->rx, name, time, PAUSE_RX);
	return rc != 0 ? rc : add_field(c, &p->tx, name, time, PAUSE_TX);
}

int
plot_make_pauses(struct plot_input *in, struct plot_chart *charts, const char **why)
{
	struct pauses p = {.rx = {.count = 0}};
	struct plot_panel panels[2] = {
		{.label = "received: share of time paused by the far side", .lines = &p.rx},
		{.label = "sent: share of time the far side was paused", .lines = &p.tx}};
	unsigned int first = 0, count = 2;
	int rc = read_series(in, "pauses.csv", "time_ns,port,priority,rx_percent,tx_percent", false,
			     read_pause_row, &p);

	*why = "pauses: there is no pauses.csv (record.pauses asks for it)";
	if (rc == 1) {
		plot_lines_drop_zero(&p.rx);
		plot_lines_drop_zero(&p.tx);
		first = p.rx.count == 0;
		count = (p.rx.count != 0) + (p.tx.count != 0);
		*why = "pauses: nothing was paused";
		rc = count != 0;
	}
	if (rc == 1 && (plot_lines_keep(&p.rx, PLOT_ROWS_MAX) != 0 ||
			plot_lines_keep(&p.tx, PLOT_ROWS_MAX) != 0))
		rc = -ENOMEM;
	if (rc == 1) {
		charts[0].file = "pauses.svg";
		charts[0].title = "Pauses over time, by port and priority";
		rc = plot_heat_over_time(&charts[0], &panels[first], count);
		rc = rc == 0 ? 1 : rc;
	}
	plot_lines_free(&p.rx);
	plot_lines_free(&p.tx);
	return rc;
}

// ---- pools --------------------------------------------------------------------------------------

struct pools {
	unsigned int count;
	char names[PANELS_MAX][32];
	struct plot_lines lines[PANELS_MAX]; // by pool, a line a switch
};

static int
read_pool_row(struct csv *c, void *context, double time)
{
	struct pools *p = context;
	const char *pool = csv_text(c, 2);
	unsigned int i = 0;

	while (i < p->count && strcmp(p->names[i], pool) != 0)
		i++;
	if (i == PANELS_MAX || strlen(pool) >= sizeof(p->names[0]))
		return csv_refuse(c, "pool: \"%.40s\" is no pool of a buffer", pool);
	if (i == p->count)
		strcpy(p->names[p->count++], pool);
	return add_field(c, &p->lines[i], csv_text(c, 1), time, 3);
}

int
plot_make_pools(struct plot_input *in, struct plot_chart *charts, const char **why)
{
	struct pools p = {.count = 0};
	struct plot_panel panels[PANELS_MAX];
	char labels[PANELS_MAX][64];
	unsigned int count = 0;
	int rc = read_series(in, "pools.csv", "time_ns,node,pool,used", false, read_pool_row, &p);

	*why = "pools: there is no pools.csv (record.pools asks for it)";
	for (unsigned int i = 0; rc == 1 && i < p.count; i++) {
		double most = largest(&p.lines[i]), bytes;
		const char *unit = plot_bytes_unit(most, &bytes);

		if (most == 0)
			continue;
		divide(&p.lines[i], bytes);
		snprintf(labels[count], sizeof(labels[count]), "%s / %s", p.names[i], unit);
		panels[count] = (struct plot_panel){.label = labels[count], .lines = &p.lines[i]};
		count++;
	}
	if (rc == 1 && count == 0) {
		*why = "pools: nothing was held";
		rc = 0;
	}
	if (rc == 1) {
		charts[0].file = "pools.svg";
		charts[0].title = "Use of buffer pools";
		rc = plot_lines_over_time(&charts[0], panels, count);
		rc = rc == 0 ? 1 : rc;
	}
	for (unsigned int i = 0; i < p.count; i++)
		plot_lines_free(&p.lines[i]);
	return rc;
}
