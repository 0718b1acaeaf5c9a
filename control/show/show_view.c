// SPDX-License-Identifier: BSD-3-Clause
// The table of views, and how a question finds its view and is refused. Most answers are
// counters.json with less in it: {"time_ns", "nodes": {NAME: {"ports": {NAME: ...}}}}.
#include "show_view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

extern const struct show_view show_fabric, show_hosts, show_network, show_interface,
	show_interface_counters, show_interface_roce_status, show_interface_roce_counters, show_qos,
	show_config, show_pfc, show_credit, show_llr, show_queue, show_pool, show_tenant,
	show_watchdog, show_histogram, show_drops, show_answers, show_route, show_lft,
	show_neighbour, show_adaptive, show_queue_pairs, show_reorder, show_steering, show_device,
	show_lldp, show_bfd, show_log;

static const struct show_view *const views[] = {
	&show_fabric,
	&show_hosts,
	&show_interface,
	&show_interface_counters,
	&show_interface_roce_status,
	&show_interface_roce_counters,
	&show_qos,
	&show_config,
	&show_pfc,
	&show_credit,
	&show_llr,
	&show_queue,
	&show_pool,
	&show_tenant,
	&show_network,
	&show_watchdog,
	&show_histogram,
	&show_drops,
	&show_answers,
	&show_route,
	&show_lft,
	&show_neighbour,
	&show_adaptive,
	&show_queue_pairs,
	&show_reorder,
	&show_steering,
	&show_device,
	&show_lldp,
	&show_bfd,
	&show_log,
};

#define VIEW_COUNT (sizeof(views) / sizeof(*views))

const struct show_view *const *
show_views(size_t *count)
{
	*count = VIEW_COUNT;
	return views;
}

const struct show_view *
show_find_view(const char *name, const char *view)
{
	for (size_t i = 0; i < VIEW_COUNT; i++)
		if (strcmp(views[i]->name, name) == 0 &&
		    (view == NULL ? views[i]->view == NULL
				  : views[i]->view != NULL && strcmp(views[i]->view, view) == 0))
			return views[i];
	return NULL;
}

const char *const *
show_words(size_t *count)
{
	static const char *words[VIEW_COUNT + 1];

	*count = 0;
	for (size_t i = 0; i < VIEW_COUNT; i++)
		if (views[i]->view == NULL)
			words[(*count)++] = views[i]->name;
	return words;
}

// ---- questions ---------------------------------------------------------------------------------

static const struct show_view *
view_of(const json_t *params)
{
	const char *what = json_string_value(json_object_get(params, "what"));

	return what != NULL
		       ? show_find_view(what, json_string_value(json_object_get(params, "view")))
		       : NULL;
}

unsigned int
show_needs(const json_t *params)
{
	const struct show_view *view = view_of(params);

	return view != NULL ? view->needs : 0;
}

static int
refuse_word(const char *what, struct diag *diag)
{
	size_t count;
	const char *const *words = show_words(&count);
	const char *near = config_suggest(what, words, count);

	return diag_fail(diag, EINVAL, "there is no show %.40s%s%s%s", what,
			 near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
			 near != NULL ? "\"?" : "");
}

static int
refuse_filter(const struct show_question *q, const char *of, struct diag *diag)
{
	const char *port = q->port != NULL ? q->port : "";

	if (q->vrf != NULL)
		return diag_fail(diag, EINVAL, "no %s%s%.40s in a VRF %.40s", q->what,
				 q->port != NULL ? " of " : "", port, q->vrf);
	return diag_fail(diag, EINVAL, "%s: there is no %s %.80s", q->what, of, port);
}

int
show_answer(const struct show_state *s, const json_t *params, json_t **out, struct diag *diag)
{
	struct show_question q = {0};
	const struct show_view *view;
	json_t *answer;
	json_error_t error;

	*out = NULL;
	if (json_unpack_ex((json_t *)(uintptr_t)params, &error, JSON_STRICT, "{s:s,s?:s,s?:s,s?:s}",
			   "what", &q.what, "port", &q.port, "vrf", &q.vrf, "view", &q.view) != 0)
		return diag_fail(
			diag, EINVAL,
			"show needs \"what\" and accepts \"port\", \"vrf\" and \"view\": %s",
			error.text);
	if (show_find_view(q.what, NULL) == NULL)
		return refuse_word(q.what, diag);
	view = show_find_view(q.what, q.view);
	if (view == NULL || view->of == NULL)
		return diag_fail(diag, EINVAL, "%s: there is no view %.40s", q.what, q.view);
	answer = json_pack("{s:I}", "time_ns", (json_int_t)(s->now / PS_PER_NS));
	if (show_collect(view, s, &q, answer)) {
		*out = answer;
		return 0;
	}
	json_decref(answer);
	return refuse_filter(&q, view->of, diag);
}

int
show_print(const char *what, const char *view_name, const json_t *answer, FILE *to)
{
	const struct show_view *view = show_find_view(what, view_name);

	if (view == NULL)
		return -ENOENT;
	show_print_view(view, answer, to);
	return 0;
}
