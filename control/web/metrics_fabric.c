// SPDX-License-Identifier: BSD-3-Clause
#include "metrics_internal.h"

#include "control/base/program.h"

#include <string.h>

static void
write_fabric_sample(struct metrics *m, const struct family *f, json_int_t value)
{
	const struct label none[METRICS_LABELS_MAX] = {{NULL, NULL}};

	m->headed = false;
	metrics_write(m, f, none, value);
}

static const char *
text_of(const json_t *of, const char *key)
{
	return json_string_value(json_object_get(of, key));
}

static json_int_t
number_of(const json_t *of, const char *key)
{
	return json_integer_value(json_object_get(of, key));
}

static void
write_links(struct metrics *m)
{
	static const struct family up = {"roost_link_up", "whether the link is up", NULL, false,
					 false};
	static const struct family speed = {"roost_link_speed_bytes",
					    "link speed in bytes per second; 0 if unlimited",
					    "bytes", false, false};
	const struct family *families[] = {&up, &speed};
	json_t *link;
	size_t i;

	for (unsigned int k = 0; k < 2; k++) {
		m->headed = false;
		json_array_foreach(json_object_get(m->fabric, "links"), i, link)
		{
			const struct label labels[METRICS_LABELS_MAX] = {{"a", text_of(link, "a")},
									 {"b", text_of(link, "b")}};
			const char *state = text_of(link, "state");
			bool is_up = state != NULL && strcmp(state, "up") == 0;

			metrics_write(m, families[k], labels,
				      k == 0 ? is_up : number_of(link, "rate_bps") / 8);
		}
	}
}

// What has become of the datagrams that carry links. A label without a value is left out.
static void
write_carriers(struct metrics *m)
{
	static const struct {
		struct family family;
		const char *key;
	} rows[] = {
		{{"roost_carrier_lost_packets", "frames to this end that did not arrive in time",
		  "packets", true, false},
		 "lost"},
		{{"roost_carrier_duplicate_packets", "frames that arrived a second time", "packets",
		  true, false},
		 "duplicates"},
		{{"roost_carrier_round_trip_seconds", "the last round trip of the carrier",
		  "seconds", false, true},
		 "round_trip_ns"},
		{{"roost_carrier_delay_variation_seconds",
		  "how much longer than the fastest one datagrams take, on average", "seconds",
		  false, true},
		 "delay_variation_ns"},
	};
	json_t *carrier;
	size_t i;

	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		m->headed = false;
		json_array_foreach(json_object_get(m->fabric, "carriers"), i, carrier)
		{
			const struct label labels[METRICS_LABELS_MAX] = {
				{"port", text_of(carrier, "interface")},
				{"part", text_of(carrier, "part")}};

			metrics_write(m, &rows[k].family, labels, number_of(carrier, rows[k].key));
		}
	}
}

static void
write_workers(struct metrics *m)
{
	static const struct family lag = {"roost_worker_lag_seconds",
					  "how far the worker is behind the clock", "seconds",
					  false, true};
	static const struct family slips = {
		"roost_worker_slips",
		"times that the fabric's clock was set back because the worker lagged too far",
		NULL, true, false};
	json_t *worker;
	size_t i;

	for (unsigned int k = 0; k < 2; k++) {
		m->headed = false;
		json_array_foreach(json_object_get(m->fabric, "workers"), i, worker)
		{
			char index[24];
			const struct label labels[METRICS_LABELS_MAX] = {{"worker", index}};

			snprintf(index, sizeof(index), "%zu", i);
			metrics_write(m, k == 0 ? &lag : &slips, labels,
				      number_of(worker, k == 0 ? "lag_ns" : "slips"));
		}
	}
}

void
metrics_write_fabric(struct metrics *m)
{
	static const struct family info = {"roost_fabric_info", "name and version of the fabric",
					   NULL, false, false};
	static const struct family time = {"roost_fabric_time_seconds",
					   "fabric time at which the values were read", "seconds",
					   false, true};
	static const struct family dilation = {"roost_fabric_dilation",
					       "wall-clock seconds for each second of fabric time",
					       NULL, false, false};
	const struct label labels[METRICS_LABELS_MAX] = {{"fabric", text_of(m->fabric, "name")},
							 {"version", roost_version}};

	m->headed = false;
	metrics_write(m, &info, labels, 1);
	write_fabric_sample(m, &time, m->time_ns);
	write_fabric_sample(m, &dilation, number_of(m->fabric, "dilation"));
	write_links(m);
	write_carriers(m);
	write_workers(m);
}
