// SPDX-License-Identifier: BSD-3-Clause
// roost record: writes a film of a live fabric, block by block as they come, until it is
// interrupted. The fabric sends the same film to all who want the same interval; so the numbers of
// its intervals begin anywhere, and in the file from 0.
#include "cli.h"

#include "control/base/base64.h"
#include "control/base/clock.h"
#include "control/base/memory.h"
#include "control/base/text.h"
#include "control/config/config.h"
#include "control/film/film.h"
#include "control/run/interrupt.h"
#include "control/run/live/films.h"
#include "control/show/show_view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define RECORD_PATIENCE_MS 10000 // for the answer that begins it
#define RECORD_INTERVAL_MS 100
#define RECORD_LIMIT_BYTES UINT64_C(1000000000)
#define RECORD_LIMIT_LEAST 65536

struct record {
	const char *title;
	const char *directory;
	char *path;
	FILE *to;
	struct film_file *file; // NULL: nothing has come yet
	struct film_summary *summary;
	int error;            // the file could not be opened
	uint64_t bytes_per_s; // as the fabric says: about the most
	uint64_t limit;
	int64_t until_ms; // INT64_MAX: until it is interrupted
	bool begun;       // the first META has come
	bool numbered;    // so has the first chunk
	uint32_t base;    // its number
	uint32_t intervals;
	uint64_t lost;
	int64_t end_ns;
};

static bool open_file(struct record *r);

// Writes a block of `size` bytes. Returns false if the film is to end.
static bool
take_block(struct record *r, uint8_t *bytes, size_t size)
{
	struct film_block block;
	bool goes_on;

	if (!film_read_head(&block, bytes, size))
		return true; // of a newer version, perhaps
	if (strcmp(block.type, "FILM") == 0 && r->file != NULL)
		return true; // for another client
	if (r->file == NULL && !open_file(r))
		return false;
	if (strcmp(block.type, "CHNK") == 0) {
		if (!r->begun)
			return true;
		r->base = r->numbered ? r->base : block.first;
		r->numbered = true;
		film_set_first(&block, bytes, block.first - r->base);
	}
	r->begun |= strcmp(block.type, "META") == 0;
	goes_on = film_file_take(r->file, &block);
	if (goes_on)
		film_summary_take(r->summary, &block);
	if (goes_on && strcmp(block.type, "CHNK") == 0)
		r->intervals = block.first + block.count;
	return goes_on;
}

static bool
take_event(void *context, const json_t *event)
{
	struct record *r = context;
	const char *kind = show_string(event, "kind");
	bool goes_on = true;
	uint8_t *bytes;
	size_t size;

	if (strcmp(kind, "lost") == 0)
		r->lost += show_number(event, "events");
	if (strcmp(kind, "film") == 0) {
		bytes = base64_decode(show_string(event, "block"), &size);
		if (bytes != NULL)
			goes_on = take_block(r, bytes, size);
		free(bytes);
		r->end_ns = goes_on ? (int64_t)show_number(event, "at_ns") : r->end_ns;
	}
	return goes_on && !interrupt_pending() && clock_ms() < r->until_ms;
}

// ---- the file -----------------------------------------------------------------------------------

// Not before there is something to write: a film that was there stays if none begins.
static bool
open_file(struct record *r)
{
	const char *wrong = r->directory;
	char rate[TEXT_VALUE_MAX], limit[CONFIG_TEXT];

	r->path = memory_format("%s/film", r->directory);
	if (mkdir(r->directory, 0777) == 0 || errno == EEXIST) {
		wrong = r->path;
		r->to = fopen(r->path, "we");
	}
	if (r->to == NULL) {
		fprintf(stderr, "%s: %s: %s\n", r->title, wrong, strerror(errno));
		r->error = -EIO;
		return false;
	}
	r->file = film_file_create(r->to, r->limit);
	r->summary = film_summary_create();
	fprintf(stderr, "%s: writing %s: up to about %s a second, and about %s at most (--limit)\n",
		r->title, r->path, text_bytes(rate, r->bytes_per_s),
		config_bytes_text(r->limit, limit));
	return true;
}

// Says how the film ended, in it and to the user. Returns 0, or -errno with a message printed.
static int
close_file(struct record *r)
{
	bool full = film_file_full(r->file);
	json_t *keys = json_pack("{s:{s:I,s:s}}", "ended", "at_ns", (json_int_t)r->end_ns, "why",
				 full ? "limit" : "end");
	char *text = json_dumps(keys, JSON_COMPACT), size[TEXT_VALUE_MAX], limit[TEXT_VALUE_MAX];
	struct film_block last = {.type = "META"};
	long bytes;
	int rc;

	film_make_block(&last, text, strlen(text));
	if (r->begun)
		film_file_take(r->file, &last);
	free((void *)last.bytes);
	free(text);
	json_decref(keys);
	keys = film_summary_keys(r->summary);
	film_summary_destroy(r->summary);
	rc = film_file_close(r->file, keys);
	json_decref(keys);
	bytes = ftell(r->to);
	if (fclose(r->to) != 0 && rc == 0)
		rc = -errno;
	if (rc != 0) {
		fprintf(stderr, "%s: %s: %s\n", r->title, r->path, strerror(-rc));
		return rc;
	}
	printf("%s: %" PRIu32 " intervals, %s\n", r->path, r->intervals,
	       text_bytes(size, (uint64_t)bytes));
	if (full)
		fprintf(stderr,
			"%s: %s: stopped at its limit of %s (--limit, or record.film-limit)\n",
			r->title, r->path, text_bytes(limit, r->limit));
	if (r->lost != 0)
		fprintf(stderr,
			"%s: %s: %" PRIu64 " block%s lost, because roost record could not keep up; "
			"use a longer --interval\n",
			r->title, r->path, r->lost, r->lost == 1 ? "" : "s");
	return 0;
}

// ---- the command --------------------------------------------------------------------------------

static void
take_answer(void *context, const json_t *answer)
{
	struct record *r = context;

	r->bytes_per_s = show_number(answer, "film_bytes_per_s");
}

static int
follow(struct record *r, const struct api_call *call)
{
	struct diag diag = {0};
	int rc = api_follow(call, &(struct api_follower){r, take_answer, take_event}, &diag);

	if (rc == -ECONNRESET && r->begun)
		rc = 0; // the fabric has ended, and the film with it
	if (rc != 0)
		fprintf(stderr, "%s: %s\n", r->title, diag_first_error(&diag));
	diag_free(&diag);
	return rc;
}

static int
record(const struct cli_args *args)
{
	const uint64_t ps_per_ms = PS_PER_US * 1000;
	uint64_t interval = cli_number(args, "interval", RECORD_INTERVAL_MS * ps_per_ms);
	uint64_t lasts = cli_number(args, "for", 0);
	struct record r = {
		.title = args->title,
		.directory = cli_text(args, "out"),
		.limit = cli_number(args, "limit", RECORD_LIMIT_BYTES),
		.until_ms = lasts != 0 ? clock_ms() + (int64_t)(lasts / ps_per_ms) : INT64_MAX,
	};
	char path[API_PATH_MAX];
	struct api_call call = {path, "subscribe", .timeout_ms = RECORD_PATIENCE_MS};
	int rc, status = cli_find_fabric(args, path);
	json_t *params;

	if (status != EXIT_OK)
		return status;
	if (interval % ps_per_ms != 0 || interval < FILMS_LEAST_MS * ps_per_ms ||
	    interval > FILMS_MOST_MS * ps_per_ms)
		return cli_usage(args->title,
				 "--interval must be a whole number of milliseconds, %dms to %ds",
				 FILMS_LEAST_MS, FILMS_MOST_MS / 1000);
	if (r.limit < RECORD_LIMIT_LEAST)
		return cli_usage(args->title, "--limit must be at least %dB", RECORD_LIMIT_LEAST);
	params = json_pack("{s:[],s:I}", "kinds", "film-ms", (json_int_t)(interval / ps_per_ms));
	call.params = params;
	interrupt_catch();
	rc = follow(&r, &call);
	if (r.file != NULL)
		status = close_file(&r) != 0 ? EXIT_FAILED : EXIT_OK;
	if (rc == 0)
		rc = r.error;
	json_decref(params);
	free(r.path);
	return rc == -EINVAL ? EXIT_USAGE : rc != 0 ? EXIT_FAILED : status;
}

const struct cli_command command_record = {
	.name = "record",
	.help = "record a film of a live fabric until interrupted",
	.details = "Writes DIR/film, which can be read while it grows.\n",
	.options =
		{
			{.name = "out",
			 .letter = 'o',
			 .kind = CLI_DIRECTORY,
			 .required = true,
			 .help = "write the film to DIR"},
			{.name = "interval",
			 .kind = CLI_TIME,
			 .help = "interval between samples in wall time, 10ms to 1s (default: "
				 "100ms)"},
			{.name = "for", .kind = CLI_TIME, .help = "stop after this much wall time"},
			{.name = "limit",
			 .kind = CLI_SIZE,
			 .help = "stop when the film is this large (default: 1GB)"},
			CLI_FABRIC_OPTION,
		},
	.run = record,
};
