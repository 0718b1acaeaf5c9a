// SPDX-License-Identifier: BSD-3-Clause
#include "film_record.h"

#include "control/base/memory.h"
#include "control/base/text.h"
#include "control/film/film.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FILM_NAME "film"

struct film_record {
	struct experiment *e;
	struct output *output; // NULL: another rank writes
	const struct output_file *file;
	FILE *to;
	struct film_file *film;
	struct film_options options;
	bool told; // that it is as large as it may become
};

// A block for the file. The run goes on when the film ends.
static bool
take(void *context, const struct film_block *block)
{
	struct film_record *r = context;
	bool goes_on = film_file_take(r->film, block);
	char limit[CONFIG_TEXT], at[TEXT_VALUE_MAX];

	if (!film_file_full(r->film) || r->told)
		return goes_on;
	r->told = true;
	fprintf(stderr,
		"roost sim: %s: the film ends at %s of fabric time: it reached record.film-limit "
		"(%s); the run goes on\n",
		r->file->path, text_duration(at, block->first * r->options.interval),
		config_bytes_text(r->e->config->record.film_limit_bytes, limit));
	return goes_on;
}

static int
open_file(struct film_record *r)
{
	int rc = output_add(r->output, FILM_NAME, &r->file);

	if (rc != 0)
		return rc;
	r->to = fopen(r->file->temporary, "we");
	if (r->to == NULL)
		return output_fail(r->output, r->file, -errno);
	r->film = film_file_create(r->to, r->e->config->record.film_limit_bytes);
	return 0;
}

int
film_record_begin(struct film_record **out, struct experiment *e, struct output *output)
{
	struct film_record *r;
	char text[FILM_ESTIMATE_MAX];
	int rc;

	*out = NULL;
	if (!e->config->record.film)
		return output != NULL ? output_add_removal(output, FILM_NAME) : 0;
	*out = r = memory_new(sizeof(*r), "film");
	r->e = e;
	r->output = output;
	r->options = (struct film_options){
		.kind = "sim",
		.fabric = e->fabric,
		.nodes = e->fabric->names,
		.workload = e->workload,
		.flows = e->flows,
		.interval = e->config->record.interval_ps,
		.tenants = e->topology->tenant_count,
		.take = take,
		.context = r,
	};
	if (output != NULL && film_record_estimate(e, text))
		fprintf(stderr, "%s\n", text);
	rc = ranks_agree(e->fabric->ranks, output != NULL ? open_file(r) : 0);
	if (rc == 0)
		e->run->film = film_create(&r->options);
	return rc;
}

// What is known only at the end.
static json_t *
last_keys(const struct film_record *r, const struct report_flow *flows, json_t *log, ps_t end)
{
	return json_pack("{s:o,s:O,s:{s:I,s:s}}", "flows",
			 film_list_flows(&r->options, flows, UINT32_MAX), "events", log, "ended",
			 "at_ns", (json_int_t)(end / PS_PER_NS), "why",
			 film_file_full(r->film) ? "limit" : "end");
}

static int
close_file(struct film_record *r, json_t *index)
{
	int rc = film_file_close(r->film, index);

	r->film = NULL;
	if (fclose(r->to) != 0 && rc == 0)
		rc = -errno;
	r->to = NULL;
	return rc == 0 ? 0 : output_fail(r->output, r->file, rc);
}

int
film_record_end(struct film_record *r, const struct report_flow *flows, json_t *log)
{
	struct film *film = r != NULL ? r->e->run->film : NULL;
	json_t *keys = NULL, *index;
	int rc = 0;

	if (film == NULL)
		return 0;
	index = json_object();
	film_flush(film, r->e->run->drive.now);
	if (r->output != NULL)
		keys = last_keys(r, flows, log, film_end(film));
	film_add(film, keys);
	film_add_overview(film, index);
	film_destroy(film);
	r->e->run->film = NULL;
	if (r->output != NULL)
		rc = close_file(r, index);
	json_decref(index);
	json_decref(keys);
	return rc;
}

void
film_record_free(struct film_record *r)
{
	if (r == NULL)
		return;
	film_destroy(r->e->run->film);
	r->e->run->film = NULL;
	if (r->film != NULL)
		film_file_close(r->film, NULL);
	if (r->to != NULL)
		fclose(r->to);
	free(r);
}

bool
film_record_estimate(const struct experiment *e, char text[static FILM_ESTIMATE_MAX])
{
	const struct config_record *record = &e->config->record;
	uint64_t per_ms = film_interval_bytes(e->topology) * (PS_PER_US * 1000) /
			  (record->interval_ps != 0 ? record->interval_ps : 1);
	char rate[TEXT_VALUE_MAX], most[CONFIG_TEXT];

	if (!record->film)
		return false;
	if (e->run->until != PS_NEVER &&
	    per_ms * (e->run->until / (PS_PER_US * 1000)) < record->film_limit_bytes)
		snprintf(text, FILM_ESTIMATE_MAX, "film: up to about %s (%s per ms of fabric time)",
			 text_bytes(most, per_ms * e->run->until / (PS_PER_US * 1000)),
			 text_bytes(rate, per_ms));
	else
		snprintf(text, FILM_ESTIMATE_MAX,
			 "film: up to about %s per ms of fabric time, and about %s at most "
			 "(record.film-limit)",
			 text_bytes(rate, per_ms),
			 config_bytes_text(record->film_limit_bytes, most));
	return true;
}
