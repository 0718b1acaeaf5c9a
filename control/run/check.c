// SPDX-License-Identifier: BSD-3-Clause
// `roost check`: whether a file can be run, by making everything it asks for and running none of
// it.
#include "control/advice/advice.h"
#include "control/commands.h"
#include "control/model/routes/routes.h"
#include "control/run/sim/experiment.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// One switch: its tables are what can be wrong.
static int
check_single(const struct config *config, struct topology *topology, struct config_diag *diag)
{
	struct packet_pool *pool = NULL;
	struct fabric_options options = {.pools = &pool, .seed = config->fabric.seed};
	struct fabric *f = NULL;
	struct run *run = NULL;
	int rc = packet_pool_create(&pool, PACKET_FRAME_MIN);

	if (rc == 0)
		rc = fabric_create(&f, (struct config *)(uintptr_t)config, topology, &options,
				   diag);
	if (rc == 0)
		rc = advice_give(f, diag);
	if (rc == 0)
		rc = run_create(&run, f, 0, 0, diag);
	run_destroy(run);
	fabric_destroy(f);
	packet_pool_destroy(pool);
	return rc;
}

static int
check_file(const char *file, struct config_diag *diag)
{
	struct experiment_options options = {.file = file, .until = PS_NEVER};
	struct topology *topology = NULL;
	struct config *config = NULL;
	struct experiment e;
	int rc = config_load(&config, file, diag);

	if (rc != 0)
		return rc;
	if (config->fabric.topology != CONFIG_TOPOLOGY_SINGLE) {
		config_free(config);
		config_diag_free(diag);
		*diag = (struct config_diag){0};
		rc = experiment_create(&e, &options, diag);
		experiment_destroy(&e);
		return rc;
	}
	rc = topology_create(&topology, config, diag);
	if (rc == 0)
		rc = topology_check_names(topology, diag);
	if (rc == 0)
		rc = check_single(config, topology, diag);
	if (rc == 0)
		rc = routes_check_events(topology, diag);
	topology_destroy(topology);
	config_free(config);
	return rc;
}

int
cmd_check(int argc, char **argv)
{
	struct config_diag diag = {0};
	int rc;

	if (argc != 2 || argv[1][0] == '-') {
		fprintf(stderr, "usage: roost check FILE\n");
		return 2;
	}
	rc = check_file(argv[1], &diag);
	config_diag_print(&diag, stderr);
	if (rc != 0 && diag.errors == 0)
		fprintf(stderr, "roost check: %s: %s\n", argv[1], strerror(-rc));
	config_diag_free(&diag);
	if (rc != 0)
		return rc == -ENOMEM ? 1 : 2;
	printf("%s: good\n", argv[1]);
	return 0;
}
