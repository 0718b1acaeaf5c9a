// SPDX-License-Identifier: BSD-3-Clause
// Families come one after the other, and of each what one node says after the other: the formats
// want the samples of a family together.
#include "metrics_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct metrics *
metrics_create(json_t *counters, json_t *fabric, struct metrics_form form)
{
	struct metrics *m = memory_new(sizeof(*m), "metrics");

	*m = (struct metrics){.form = form,
			      .counters = counters,
			      .fabric = fabric,
			      .nodes = json_object_get(counters, "nodes"),
			      .time_ns = json_integer_value(json_object_get(counters, "time_ns"))};
	m->node = json_object_iter((json_t *)(uintptr_t)m->nodes);
	return m;
}

void
metrics_destroy(struct metrics *m)
{
	if (m == NULL)
		return;
	json_decref(m->counters);
	json_decref(m->fabric);
	free(m->text);
	free(m);
}

// What one family says of one node.
static void
write_piece(struct metrics *m)
{
	size_t count, kind_count = metrics_kinds(m->form);
	const struct counter *rows = counter_rows(&count);
	const char *name = json_object_iter_key(m->node);
	const json_t *node = json_object_iter_value(m->node);

	if (m->family >= count + kind_count) {
		if (!m->form.nvswitch)
			metrics_write_fabric(m);
		if (m->form.openmetrics)
			fputs("# EOF\n", m->to);
		m->ended = true;
		return;
	}
	if (m->node == NULL) {
		m->family++;
		m->headed = false;
		m->node = json_object_iter((json_t *)(uintptr_t)m->nodes);
		return;
	}
	if (m->family < count)
		metrics_write_counter(m, &rows[m->family], name, node);
	else
		metrics_write_kind(m, m->family - count, name, node);
	m->node = json_object_iter_next((json_t *)(uintptr_t)m->nodes, m->node);
}

size_t
metrics_read(struct metrics *m, char *to, size_t room)
{
	size_t length;

	while (m->taken == m->size && !m->ended) {
		free(m->text);
		m->text = NULL;
		m->size = m->taken = 0;
		m->to = memory_stream_open(&m->text, &m->size);
		write_piece(m);
		fclose(m->to);
	}
	length = m->size - m->taken < room ? m->size - m->taken : room;
	memcpy(to, m->text + m->taken, length);
	m->taken += length;
	return length;
}
