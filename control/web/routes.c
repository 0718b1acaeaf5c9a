// SPDX-License-Identifier: BSD-3-Clause
// What GET answers: a row for each place.
#include "web_internal.h"

#include "control/base/memory.h"
#include "control/base/program.h"
#include "control/config/schema/describe.h"

#include <stdlib.h>
#include <string.h>

static enum MHD_Result
get_info(struct request *r)
{
	const struct web *w = r->web;
	const struct web_options *o = w->options;

	return respond_json(r->connection, MHD_HTTP_OK,
			    json_pack("{s:s,s:s*,s:o,s:s,s:b,s:b,s:b,s:O*}", "mode",
				      o->socket != NULL ? "live" : "film", "fabric", o->fabric,
				      "films", film_list(o), "version", roost_version, "up",
				      monitor_is_up(w), "allow_changes", o->allow_changes, "write",
				      r->right == ACCESS_WRITE, "methods", w->monitor.methods));
}

static enum MHD_Result
get_live(struct request *r)
{
	return stream_answer(r->web, r->connection);
}

// From here on the cookie goes with every request, and the page takes the token from its address.
static enum MHD_Result
get_index(struct request *r)
{
	const struct access *a = &r->web->access;
	char *cookie = NULL;
	enum MHD_Result result;

	if (r->set_cookie)
		cookie = memory_format("%s=%s; Path=/; HttpOnly; SameSite=Strict", a->cookie,
				       a->session);
	result = page_answer(r->connection, "index.html", cookie);
	free(cookie);
	return result;
}

static enum MHD_Result
get_schema(struct request *r)
{
	return respond_json(r->connection, MHD_HTTP_OK, describe_json_schema());
}

struct route {
	const char *place;
	enum MHD_Result (*get)(struct request *r);
};

static const struct route routes[] = {
	{"/", get_index},    {"/capture", download_answer}, {"/info", get_info},
	{"/live", get_live}, {"/metrics", metrics_answer},  {"/schema", get_schema},
};

enum MHD_Result
route_get(struct request *r, const char *url)
{
	for (size_t i = 0; i < sizeof(routes) / sizeof(*routes); i++)
		if (strcmp(routes[i].place, url) == 0)
			return routes[i].get(r);
	if (strncmp(url, "/film/", 6) == 0)
		return film_answer(r, url + 6);
	if (strncmp(url, "/dir/", 5) == 0)
		return result_answer(r, url + 5);
	return page_answer(r->connection, url + 1, NULL);
}
