// SPDX-License-Identifier: BSD-3-Clause
// Metrics in OpenMetrics (https://prometheus.io/docs/specs/om/open_metrics_spec), or in the text
// format of Prometheus, version 0.0.4. They derive from the rows of counters: a row gives name,
// type, unit and help.
//
// A value that says that nothing happened is absent, unless another value of the same object (the
// same queue, the same tenant) is there; ports are always there. The text is made piece by piece,
// so that it is never in memory as a whole.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct metrics_form {
	bool openmetrics;
	bool nvswitch; // the names of Cumulus Linux, of those metrics that mean the same there
};

struct metrics;

// counters: the answer of the method "counters"; fabric: that of "show", of the fabric, or NULL.
// Takes both.
struct metrics *metrics_create(json_t *counters, json_t *fabric, struct metrics_form form);
// Writes the next bytes. Returns how many; 0: there are no more.
size_t metrics_read(struct metrics *m, char *to, size_t room);
// NULL is fine.
void metrics_destroy(struct metrics *m);

// The name of a counter's metric, without "_total". Returns NULL if it has none in this form.
struct counter;
const char *metrics_name(const struct counter *c, struct metrics_form form, char *name,
			 size_t size);
// The Content-Type.
const char *metrics_type(struct metrics_form form);
