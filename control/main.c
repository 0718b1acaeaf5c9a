// SPDX-License-Identifier: BSD-3-Clause
#include "control/cli/cli.h"

int
main(int argc, char **argv)
{
	return cli_main(argc, argv);
}
