// SPDX-License-Identifier: BSD-3-Clause
// Subscribers that want the same interval get the same film. At the end of an interval the workers
// copy their nodes, as for `roost show`, and restart the peaks of queues, which each film
// remembers until its own interval is over. Reading costs a worker one copy; all else is the
// control thread's.
#include "films.h"

#include "control/api/api.h"
#include "control/base/base64.h"
#include "control/base/clock.h"
#include "control/base/memory.h"
#include "control/film/film.h"
#include "film_flows.h"
#include "notify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TENANTS_SPARE 64 // room for those that come while a film is sent
#define CHUNK_MS 100     // a chunk is sent that often, or at the end of each interval

struct live_film {
	struct films *films;
	uint32_t kind;
	unsigned int interval_ms; // 0: not in use
	bool joined;              // by a subscriber that has not got the header
	struct film *film;
	struct film_options options;
	json_t *header;      // as sent
	uint32_t generation; // of the tables then
	uint32_t flows_seen; // changes of the flows
	int64_t due_ms;
	uint64_t log_seen;
};

struct films {
	struct live_fabric *live;
	struct api_server *server;
	struct node_snapshot *copy; // NULL: no film has been wanted
	struct film_flows *flows;   // the same
	uint32_t flows_changes;
	struct live_film all[FILMS_MAX];
};

struct films *
films_create(struct live_fabric *live, struct api_server *server)
{
	struct films *films = memory_new(sizeof(*films), "films");

	films->live = live;
	films->server = server;
	for (unsigned int i = 0; i < FILMS_MAX; i++) {
		films->all[i].films = films;
		films->all[i].kind = 1u << (NOTIFY_KINDS + i);
	}
	return films;
}

static void
end(struct live_film *f)
{
	film_destroy(f->film);
	json_decref(f->header);
	f->film = NULL;
	f->header = NULL;
	f->interval_ms = 0;
}

void
films_destroy(struct films *films)
{
	if (films == NULL)
		return;
	for (unsigned int i = 0; i < FILMS_MAX; i++)
		end(&films->all[i]);
	node_snapshot_destroy(films->copy);
	film_flows_destroy(films->flows);
	free(films);
}

uint32_t
films_join(struct films *films, unsigned int interval_ms)
{
	struct live_film *found = NULL;

	for (unsigned int i = 0; i < FILMS_MAX; i++) {
		struct live_film *f = &films->all[i];

		if (f->interval_ms == interval_ms || (found == NULL && f->interval_ms == 0))
			found = f;
	}
	if (found == NULL)
		return 0;
	found->interval_ms = interval_ms;
	found->joined = true;
	return found->kind;
}

uint64_t
films_bytes_per_s(const struct live_fabric *live, uint64_t interval_ms)
{
	return film_interval_bytes(live->topology) * 1000 / interval_ms;
}

const char *
films_intervals(const struct films *films, char text[static FILMS_INTERVALS_MAX])
{
	unsigned int before = 0, next;
	int length = 0;

	text[0] = '\0';
	do {
		next = 0;
		for (unsigned int i = 0; i < FILMS_MAX; i++) {
			unsigned int ms = films->all[i].interval_ms;

			if (ms > before && (next == 0 || ms < next))
				next = ms;
		}
		if (next != 0)
			length += snprintf(text + length, FILMS_INTERVALS_MAX - (size_t)length,
					   "%s%u", before != 0 ? ", " : "", next);
		before = next;
	} while (next != 0);
	return text;
}

// ---- what is sent -------------------------------------------------------------------------------

static bool
send_block(void *context, const struct film_block *block)
{
	const struct live_film *f = context;
	char *text = base64_encode(block->bytes, block->size);
	json_t *event = json_pack("{s:s,s:I,s:I,s:s}", "kind", "film", "at_ns",
				  (json_int_t)(f->films->copy->at / PS_PER_NS), "interval_ms",
				  (json_int_t)f->interval_ms, "block", text);

	api_server_notify(f->films->server, f->kind, UINT64_MAX, event);
	json_decref(event);
	free(text);
	return true;
}

static void
begin(struct live_film *f)
{
	struct live_fabric *live = f->films->live;
	unsigned int chunk = CHUNK_MS / f->interval_ms;

	f->options = (struct film_options){
		.kind = "live",
		.fabric = live->fabric,
		.nodes = f->films->copy->reports,
		.times = f->films->copy->times,
		.interval = f->interval_ms * PS_PER_US * 1000 / live->config->fabric.dilation,
		.start = f->films->copy->at,
		.tenants = live->topology->tenant_count + TENANTS_SPARE,
		.intervals = chunk != 0 ? chunk : 1,
		.flow_list = film_flows_list(f->films->flows),
		.take = send_block,
		.context = f,
	};
	f->header = film_header(&f->options);
	f->generation = live->fabric->generation;
	f->flows_seen = f->films->flows_changes;
	f->log_seen = fabric_log_total(live->log);
	f->film = film_create(&f->options);
	f->due_ms = clock_ms() + f->interval_ms;
	f->joined = false;
}

// When and until when flows were sent.
static void
send_flows(struct live_film *f)
{
	json_t *list = film_flows_list(f->films->flows), *keys;

	if (f->flows_seen == f->films->flows_changes)
		return;
	f->flows_seen = f->films->flows_changes;
	f->options.flow_list = list;
	json_object_set(f->header, "flows", list);
	keys = json_pack("{s:O}", "flows", list);
	film_add(f->film, keys);
	json_decref(keys);
}

// What has changed: tenants, attached hosts, thresholds.
static void
send_changes(struct live_film *f)
{
	json_t *header;

	if (f->generation == f->films->live->fabric->generation)
		return;
	f->generation = f->films->live->fabric->generation;
	header = film_header(&f->options);
	if (!json_equal(header, f->header)) {
		json_decref(f->header);
		f->header = json_incref(header);
		film_add(f->film, header);
	}
	json_decref(header);
}

static void
send_log(struct live_film *f)
{
	const struct fabric_log *log = f->films->live->log;
	const json_t *entries = fabric_log_entries(log);
	uint64_t total = fabric_log_total(log), count = total - f->log_seen;
	size_t size = json_array_size(entries);
	json_t *events, *keys;

	if (count == 0)
		return;
	events = json_array();
	for (size_t i = count < size ? size - (size_t)count : 0; i < size; i++)
		json_array_append(events, json_array_get(entries, i));
	keys = json_pack("{s:o}", "events", events);
	film_add(f->film, keys);
	json_decref(keys);
	f->log_seen = total;
}

static bool
is_due(const struct live_film *f, int64_t now)
{
	return f->interval_ms != 0 && (f->film == NULL || f->joined || now >= f->due_ms);
}

static void
poll_film(struct live_film *f, int64_t now)
{
	if (f->film == NULL) {
		begin(f);
		return;
	}
	if (now >= f->due_ms) {
		film_take(f->film, f->films->copy->at);
		f->due_ms += f->interval_ms;
		if (f->due_ms <= now) // this thread was busy, or the machine slept
			f->due_ms = now + f->interval_ms;
		send_flows(f);
		send_changes(f);
		send_log(f);
	} else {
		film_note_peaks(f->film);
	}
	if (!f->joined)
		return;
	film_flush(f->film, 0); // the new subscriber's first chunk begins here
	film_begin_again(f->film, f->header);
	f->joined = false;
}

void
films_poll(struct films *films)
{
	const uint32_t wanted = api_server_wanted(films->server);
	const int64_t now = clock_ms();
	bool due = false;

	for (unsigned int i = 0; i < FILMS_MAX; i++) {
		struct live_film *f = &films->all[i];

		if (f->interval_ms != 0 && !(wanted & f->kind))
			end(f);
		due |= is_due(f, now);
	}
	if (!due)
		return;
	if (films->copy == NULL) {
		films->copy = node_snapshot_create(films->live);
		films->copy->restarts_peaks = true;
		films->flows = film_flows_create(films->live);
	}
	node_snapshot_take(films->copy, films->live);
	films->flows_changes = film_flows_poll(films->flows, now);
	for (unsigned int i = 0; i < FILMS_MAX; i++)
		if (films->all[i].interval_ms != 0)
			poll_film(&films->all[i], now);
}

int
films_wait_ms(const struct films *films, int most)
{
	const int64_t now = clock_ms();

	for (unsigned int i = 0; i < FILMS_MAX; i++) {
		const struct live_film *f = &films->all[i];
		int64_t left = f->due_ms - now;

		if (f->interval_ms == 0)
			continue;
		if (f->film == NULL || f->joined || left < 0)
			left = 0;
		if (left < most)
			most = (int)left;
	}
	return most;
}
