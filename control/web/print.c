// SPDX-License-Identifier: BSD-3-Clause
// `roost metrics` without a server: prints them once.
#include "web.h"

#include "control/api/api.h"
#include "control/base/program.h"
#include "metrics.h"

#include <stdio.h>

static json_t *
ask(const struct web_options *o, const char *method, json_t *params)
{
	const struct api_call call = {o->socket, method, params, WEB_CALL_MS};
	struct diag diag = {0};
	json_t *result = NULL;

	if (api_call(&call, &result, &diag) != 0)
		fprintf(stderr, "roost metrics: %s\n", diag_first_error(&diag));
	diag_free(&diag);
	json_decref(params);
	return result;
}

int
web_print_metrics(const struct web_options *o)
{
	json_t *counters = ask(o, "counters", NULL);
	json_t *fabric = counters != NULL ? ask(o, "show", json_pack("{s:s}", "what", "fabric"))
					  : NULL;
	char block[8192];
	struct metrics *m;
	size_t length;

	if (fabric == NULL) {
		json_decref(counters);
		return EXIT_FAILED;
	}
	m = metrics_create(counters, fabric, o->metrics);
	while ((length = metrics_read(m, block, sizeof(block))) != 0)
		fwrite(block, 1, length, stdout);
	metrics_destroy(m);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return EXIT_OK;
	perror("roost metrics: writing the result");
	return EXIT_FAILED;
}
