// SPDX-License-Identifier: BSD-3-Clause
// Commands that attach hosts to a live fabric and detach them.
#include "cli.h"

static int
attach(const struct cli_args *args)
{
	json_t *settings = json_array();

	for (unsigned i = 1; i < args->count; i++)
		json_array_append_new(settings, json_string(args->words[i]));
	return cli_call_print(args, "attach-host",
			      json_pack("{s:s, s:o}", "host", args->words[0], "settings", settings),
			      NULL);
}

const struct cli_command command_attach = {
	.name = "attach",
	.help = "replace a simulated host with a namespace, container, tap or device",
	.details = "KEY=VALUE as under `attach:` of a file, such as netns=lab-h3: netns, pid, "
		   "container, tap or dev, and\nmtu, nic, buffer, reorder. Lasts until `roost "
		   "detach` or `roost down`.\n",
	.forms = {{{{CLI_HOST}, {CLI_TEXT, "KEY=VALUE", .repeated = true}}}},
	.options = {CLI_FABRIC_OPTION},
	.run = attach,
};

static int
detach(const struct cli_args *args)
{
	return cli_call_print(args, "detach-host", json_pack("{s:s}", "host", args->words[0]),
			      NULL);
}

const struct cli_command command_detach = {
	.name = "detach",
	.help = "detach what is attached as a host",
	.details = "The simulated NIC comes back, unless the file attaches the host: then its link "
		   "stays down until\n`roost attach`.\n",
	.forms = {{{{CLI_TEXT, "HOST"}}}},
	.options = {CLI_FABRIC_OPTION},
	.run = detach,
};
