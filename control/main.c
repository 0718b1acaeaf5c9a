// SPDX-License-Identifier: BSD-3-Clause
#include "control/base/memory.h"
#include "control/cli/cli.h"

int
main(int argc, char **argv)
{
	memory_use_for_json();
	return cli_main(argc, argv);
}
