// SPDX-License-Identifier: BSD-3-Clause
// roost-web is what `roost web` and `roost metrics` become (control/cli/web.c), with words that
// they have checked:
//	roost-web live LISTEN FABRIC SOCKET read|write
//	roost-web films LISTEN DIRECTORY...
//	roost-web metrics LISTEN|- FABRIC SOCKET roost|nvswitch prometheus|openmetrics
// It runs itself as `roost-web filter FILTER` (compile.c).
#include "web.h"

#include "control/base/memory.h"
#include "control/base/program.h"

#include <stdio.h>
#include <string.h>

static int
usage(void)
{
	fputs("roost-web: run `roost web` or `roost metrics` instead\n", stderr);
	return EXIT_USAGE;
}

int
main(int argc, char **argv)
{
	struct web_options options = {0};

	memory_use_for_json();
	if (argc == 3 && strcmp(argv[1], "filter") == 0)
		return web_print_filter(argv[2]);
	if (argc < 4)
		return usage();
	memory_name_process(strcmp(argv[1], "metrics") == 0 ? "roost metrics" : "roost web");
	options.listen = argv[2];
	if (strcmp(argv[1], "films") == 0) {
		options.films = argv + 3;
		return web_run(&options);
	}
	if (argc < 6)
		return usage();
	options.fabric = argv[3];
	options.socket = argv[4];
	if (strcmp(argv[1], "live") == 0) {
		options.allow_changes = strcmp(argv[5], "write") == 0;
		return web_run(&options);
	}
	if (argc < 7 || strcmp(argv[1], "metrics") != 0)
		return usage();
	options.only_metrics = true;
	options.metrics.nvswitch = strcmp(argv[5], "nvswitch") == 0;
	options.metrics.openmetrics = strcmp(argv[6], "openmetrics") == 0;
	return strcmp(options.listen, "-") == 0 ? web_print_metrics(&options) : web_run(&options);
}
