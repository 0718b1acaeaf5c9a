// SPDX-License-Identifier: BSD-3-Clause
// The PFC watchdog, as it is set and as it sees the queues that it watches: those of classes that
// a received pause can hold; and what it has told of them.
#include "control/fabric/counters_part.h"
#include "show_part.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const actions[] = {
	[WATCHDOG_DROP] = "drop",
	[WATCHDOG_FORWARD] = "forward",
	[WATCHDOG_ALERT] = "alert",
};

// The watchdog looks at it, or has.
static bool
queue_watched(const struct report_node *n, unsigned int port, unsigned int tc)
{
	const struct tables *t = report_tables(n);
	const struct port_profile *profile = report_profile(n, port);

	if (profile == NULL)
		return false;
	if (n->node->ports[port].more[tc].watchdog.storms != 0)
		return true;
	return t->watchdog.poll != 0 &&
	       (profile->link_pause || (profile->obeyed & t->tc_priorities[tc]) != 0);
}

// No pause comes at the very start: 0 is none.
static json_t *
queue_json(const struct watchdog_queue *w)
{
	return json_pack("{s:s,s:b,s:I,s:I,s:I,s:I}", "status", w->storm ? "STORM" : "OK",
			 "watchdog", w->storm, "watchdog_storms", (json_int_t)w->storms,
			 "watchdog_dropped", (json_int_t)w->dropped, "stuck_since_ns",
			 counters_instant(w->stuck_since), "last_xoff_ns",
			 w->last_xoff != 0 ? counters_instant(w->last_xoff) : -1);
}

// {"queue": {TC: ...}} with the queues that are watched.
static json_t *
watched_port(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	json_t *queues = json_object();
	int status = 0;

	(void)s;
	for (unsigned int tc = 0; tc < PRIORITIES; tc++) {
		char name[4];

		if (!queue_watched(n, port, tc))
			continue;
		snprintf(name, sizeof(name), "%u", tc);
		status |= json_object_set_new(queues, name,
					      queue_json(&n->node->ports[port].more[tc].watchdog));
	}
	if (status == 0)
		return json_pack("{s:o}", "queue", queues);
	json_decref(queues);
	return NULL;
}

static json_t *
settings_json(const struct watchdog_profile *w)
{
	return json_pack("{s:b,s:I,s:I,s:I,s:s,s:b,s:b}", "enabled", w->poll != 0, "poll_ns",
			 (json_int_t)(w->poll / PS_PER_NS), "detect_ns",
			 (json_int_t)(w->detect / PS_PER_NS), "restore_ns",
			 (json_int_t)(w->restore / PS_PER_NS), "action", actions[w->action],
			 "flush", w->flush, "ingress", w->ingress);
}

int
show_watchdog(const struct show_state *s, const struct show_question *q, json_t *to)
{
	int status = show_each_port(s, q, true, watched_port, to);
	json_t *nodes = json_object_get(to, "nodes");

	for (unsigned int i = 0; i < s->node_count && status == 0; i++) {
		const struct tables *t = report_tables(&s->nodes[i]);
		json_t *node = json_object_get(nodes, s->nodes[i].name);

		if (node != NULL && t != NULL &&
		    json_object_set_new(node, "watchdog", settings_json(&t->watchdog)) != 0)
			status = -ENOMEM;
	}
	return status == 0 ? show_add_log(s, q->port, true, to) : status;
}
