// SPDX-License-Identifier: BSD-3-Clause
#include "cli.h"

#include "control/base/memory.h"

int
main(int argc, char **argv)
{
	memory_use_for_json();
	return cli_main(argc, argv);
}
