// SPDX-License-Identifier: BSD-3-Clause
// Commands that attach hosts to a live fabric and detach them.
#include "cli.h"

static int
change(const struct cli_args *args, const char *method, json_t *params)
{
	json_t *result;
	int status = cli_call(args, method, params, &result);

	return status == EXIT_OK ? cli_end_change(args, result) : status;
}

static int
attach(const struct cli_args *args)
{
	json_t *settings = json_array();

	for (unsigned i = 1; i < args->count; i++)
		json_array_append_new(settings, json_string(args->words[i]));
	return change(args, "attach-host",
		      json_pack("{s:s, s:o}", "host", args->words[0], "settings", settings));
}

const struct cli_command command_attach = {
	.name = "attach",
	.help = "replace a simulated host with a namespace, container, tap or device",
	.details =
		"KEY=VALUE as under `attach:` of a file, such as netns=lab-h3: netns, pid, "
		"container, tap or dev, and\nmtu, nic, buffer, reorder. It is a change of "
		"the configuration: `roost history` lists\nit, `roost save` writes it, and `roost "
		"up NAME` attaches the host again.\n",
	.forms = {{{{CLI_HOST}, {CLI_TEXT, "KEY=VALUE", .repeated = true}}}},
	.options = {CLI_FABRIC_OPTION},
	.run = attach,
};

static int
detach(const struct cli_args *args)
{
	return change(args, "detach-host", json_pack("{s:s}", "host", args->words[0]));
}

const struct cli_command command_detach = {
	.name = "detach",
	.help = "detach what is attached as a host",
	.details =
		"It is a change of the configuration. The simulated NIC comes back. If the "
		"fabric came up\nwith the host attached, the link stays down until you attach it "
		"again or bring the\nfabric down and up.\n",
	.forms = {{{{CLI_TEXT, "HOST"}}}},
	.options = {CLI_FABRIC_OPTION},
	.run = detach,
};
