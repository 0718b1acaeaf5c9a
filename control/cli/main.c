// SPDX-License-Identifier: BSD-3-Clause
#include "cli.h"

#include "commit.h"
#include "control/base/memory.h"
#include "control/run/live/watcher.h"

int
main(int argc, char **argv)
{
	roost_commit = ROOST_COMMIT;
	memory_use_for_json();
	if (watcher_is_called(argc, argv))
		return watcher_main();
	return cli_main(argc, argv);
}
