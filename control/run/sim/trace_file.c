// SPDX-License-Identifier: BSD-3-Clause
#include "trace_file.h"

#include "control/base/memory.h"
#include "control/trace/trace.h"
#include "dataplane/node/adopt.h"
#include "experiment.h"

#include <stdlib.h>

// Nodes that have not run yet have not looked for tables either.
static void
take_tables(const struct fabric *f)
{
	for (uint32_t i = 0; i < f->topology->node_count; i++)
		if (f->nodes[i] != NULL && f->nodes[i]->current == NULL)
			node_take_tables(f->nodes[i], 0);
}

int
trace_file(const char *file, ps_t at, const json_t *params, json_t **out, struct diag *diag)
{
	const struct experiment_options options = {
		.kind = EXPERIMENT_FABRIC, .file = file, .until = PS_NEVER};
	struct trace_state state;
	struct experiment e;
	enum run_end end;
	int rc = experiment_create(&e, &options, diag);

	if (rc == 0 && at != 0) {
		e.run->until = at;
		rc = run_all(e.run, &end, diag);
	}
	if (rc == 0) {
		take_tables(e.fabric);
		state = (struct trace_state){
			.fabric = e.fabric,
			.nodes = (const struct node *const *)e.fabric->nodes,
			.now = e.run->drive.now,
		};
		rc = trace_answer(&state, params, out, diag);
	}
	experiment_destroy(&e);
	return rc;
}
