// SPDX-License-Identifier: BSD-3-Clause
// What is to be written, and by which commands.
#include "control/base/memory.h"
#include "control/base/output.h"
#include "control/base/text.h"
#include "films.h"
#include "recordings_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILM_NAME "film"
#define PACKETS_NAME "packets.pcapng"
#define SIM_RESULT "result.json"
#define PACKET_SNAP_MAX 16000u // of `roost capture --snap`

// The keys that only a run in virtual time writes, and the column of a film that has the same.
static const struct {
	const char *key;
	size_t names;
	const char *instead;
} series[] = {
	{"record.queues", offsetof(struct config_record, queues),
	 "`film: on` records the depth of every queue"},
	{"record.flows", offsetof(struct config_record, flows),
	 "`roost show queue-pairs` shows rates of queue pairs"},
	{"record.links", offsetof(struct config_record, links),
	 "`film: on` records the load of every link"},
	{"record.pauses", offsetof(struct config_record, pauses),
	 "`film: on` records the pauses of every port"},
	{"record.pools", offsetof(struct config_record, pools),
	 "`film: on` records the use of every pool"},
};

static void
warn_of_series(const struct config *config, struct diag *diag)
{
	for (size_t i = 0; i < sizeof(series) / sizeof(*series); i++) {
		const struct config_names *names =
			(const void *)((const char *)&config->record + series[i].names);

		if (names->count != 0)
			diag_warning(diag, config->file, names->items[0].pos, series[i].key,
				     "only `roost sim` writes it; live, %s", series[i].instead);
	}
}

static int
check_interval(const struct config *config, struct diag *diag)
{
	const uint64_t ms = PS_PER_US * 1000, dilation = config->fabric.dilation;
	const uint64_t interval = config->record.interval_ps < UINT64_MAX / dilation
					  ? config->record.interval_ps * dilation
					  : UINT64_MAX;
	char least[CONFIG_TEXT], most[CONFIG_TEXT], is[CONFIG_TEXT];

	if (interval % ms == 0 && interval >= FILMS_LEAST_MS * ms && interval <= FILMS_MOST_MS * ms)
		return 0;
	config_duration_text(FILMS_LEAST_MS * ms / dilation, least);
	config_duration_text(FILMS_MOST_MS * ms / dilation, most);
	config_duration_text(interval, is);
	return diag_error(diag, config->file, config->record.interval_pos, "record.interval",
			  "an interval of a live film takes 10ms to 1s of wall time, in whole "
			  "milliseconds, and this one takes %s: with a dilation of %" PRIu64
			  ", write %s to %s",
			  is, dilation, least, most);
}

static int
check_ports(const struct live_fabric *live, struct diag *diag)
{
	const struct config_names *ports = &live->config->record.pcap;
	struct topo_ref ref;
	int rc = 0;

	for (unsigned int i = 0; i < ports->count; i++)
		if (topology_resolve_port(live->topology, &ports->items[i], "record.pcap", &ref,
					  diag) != 0)
			rc = -EINVAL;
	return rc;
}

// Whether the files can be written: said before anything of the fabric is made. A directory that
// was made to find out is removed again.
static int
check_directory(const struct recordings *r, struct diag *diag)
{
	char *result = memory_format("%s/" SIM_RESULT, r->directory);
	const struct output_file *file;
	struct output output = {.directory = NULL};
	int rc = 0;

	if (access(result, F_OK) == 0)
		rc = diag_fail(diag, EEXIST,
			       "%s: it has results of `roost sim` (" SIM_RESULT
			       "): name another directory",
			       r->directory);
	free(result);
	if (rc != 0)
		return rc;
	rc = output_open(&output, r->directory);
	for (unsigned int i = 0; rc == 0 && i < r->count; i++)
		rc = output_add(&output, strrchr(r->all[i].path, '/') + 1, &file);
	if (rc != 0)
		diag_fail(diag, -rc, "%s", diag_first_error(&output.diag));
	output_close(&output);
	return rc;
}

static struct recording *
add(struct recordings *r, const char *name)
{
	struct recording *one = &r->all[r->count++];

	one->path = memory_format("%s/%s", r->directory, name);
	one->from = -1;
	return one;
}

static void
add_word(struct recording *one, unsigned int *count, char *word)
{
	one->words = memory_resize(one->words, *count + 2, sizeof(*one->words), "words");
	one->words[(*count)++] = word;
	one->words[*count] = NULL;
}

static void
plan_film(struct recordings *r)
{
	const struct config *config = r->live->config;
	const uint64_t interval_ms = config->record.interval_ps * config->fabric.dilation /
				     (PS_PER_US * 1000);
	struct recording *one = add(r, FILM_NAME);
	char rate[TEXT_VALUE_MAX], limit[CONFIG_TEXT];
	unsigned int count = 0;

	add_word(one, &count, memory_text("roost"));
	add_word(one, &count, memory_text("record"));
	add_word(one, &count, memory_format("--fabric=%s", r->live->name));
	add_word(one, &count, memory_format("--out=%s", r->directory));
	add_word(one, &count, memory_format("--interval=%" PRIu64 "ms", interval_ms));
	add_word(one, &count,
		 memory_format("--limit=%" PRIu64 "B", config->record.film_limit_bytes));
	fprintf(r->live->notes,
		"roost: note: writing %s: up to about %s a second, and about %s at most "
		"(record.film-limit)\n",
		one->path, text_bytes(rate, films_bytes_per_s(r->live, interval_ms)),
		config_bytes_text(config->record.film_limit_bytes, limit));
}

static void
plan_packets(struct recordings *r)
{
	const struct config *config = r->live->config;
	const struct config_record *record = &config->record;
	const bool cut = !record->snaplen_full && record->snaplen_bytes <= PACKET_SNAP_MAX;
	struct recording *one = add(r, PACKETS_NAME);
	char of[TEXT_VALUE_MAX + 16] = "all bytes";
	unsigned int count = 0;

	add_word(one, &count, memory_text("roost"));
	add_word(one, &count, memory_text("capture"));
	add_word(one, &count, memory_format("--fabric=%s", r->live->name));
	add_word(one, &count, memory_format("--write=%s", one->path));
	if (cut) {
		add_word(one, &count, memory_format("--snap=%u", record->snaplen_bytes));
		snprintf(of, sizeof(of), "%u B", record->snaplen_bytes);
	}
	for (unsigned int i = 0; i < record->pcap.count; i++)
		add_word(one, &count, memory_text(record->pcap.items[i].text));
	fprintf(r->live->notes,
		"roost: note: writing %s: %s of each packet of %u port%s, without a limit, until "
		"the fabric ends\n",
		one->path, of, record->pcap.count, record->pcap.count == 1 ? "" : "s");
}

static bool
records_anything(const struct config_record *r)
{
	return r->film || r->queues.count + r->flows.count + r->links.count + r->pauses.count +
					  r->pools.count + r->pcap.count !=
				  0;
}

static char *
absolute(const char *directory)
{
	char *here, *path;

	if (directory[0] == '/')
		return memory_text(directory);
	here = getcwd(NULL, 0);
	path = memory_format("%s/%s", here != NULL ? here : ".", directory);
	free(here);
	return path;
}

int
recordings_plan(struct recordings **out, struct live_fabric *live, const char *directory,
		struct diag *diag)
{
	const struct config *config = live->config;
	const struct config_record *record = &config->record;
	struct recordings *r;
	int rc;

	*out = NULL;
	if (directory == NULL) {
		if (records_anything(record))
			diag_warning(diag, config->file, record->pos, "record",
				     "nothing is written without -o DIR");
		return 0;
	}
	warn_of_series(config, diag);
	if (!record->film && record->pcap.count == 0)
		return diag_error(diag, config->file, record->pos, "record",
				  "names nothing that a live fabric writes to %s: write "
				  "`film: on` with an interval, or `pcap` with ports",
				  directory);
	rc = record->film ? check_interval(config, diag) : 0;
	if (check_ports(live, diag) != 0)
		rc = -EINVAL;
	if (rc != 0)
		return rc;
	r = memory_new(sizeof(*r), "recordings");
	r->live = live;
	r->directory = absolute(directory);
	if (record->film)
		plan_film(r);
	if (record->pcap.count != 0)
		plan_packets(r);
	rc = check_directory(r, diag);
	if (rc == 0)
		*out = r;
	else
		recordings_destroy(r);
	return rc;
}
