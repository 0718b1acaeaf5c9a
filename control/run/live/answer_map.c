// SPDX-License-Identifier: BSD-3-Clause
// The methods "topology" and "where".
#include "answer.h"

#include "collect.h"
#include "control/map/map.h"

int
answer_topology(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	const struct answer *a = context;
	const struct map_source source = collect_map_source(a->live);

	(void)params;
	(void)diag;
	*result = map_describe(&source);
	return 0;
}

int
answer_where(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	const struct answer *a = context;
	const struct map_source source = collect_map_source(a->live);

	return map_find(&source, json_string_value(json_object_get(params, "name")), result, diag);
}
