// SPDX-License-Identifier: BSD-3-Clause
// roost transmit: stops and starts the transmitter of a port, or of one of its queues.
#include "cli.h"

#include "control/show/show_view.h"

static void
print_port(const json_t *answer)
{
	const json_t *off = json_object_get(answer, "off");
	size_t count = json_array_size(off);

	printf("%s transmits", show_string(answer, "port"));
	if (count == PRIORITIES)
		printf(" nothing");
	for (size_t i = 0; count != PRIORITIES && i < count; i++)
		printf("%s%" JSON_INTEGER_FORMAT, i == 0 ? ", except queue " : ",",
		       json_integer_value(json_array_get(off, i)));
	puts("");
}

static int
change(const struct cli_args *args)
{
	json_t *params = json_pack("{s:s,s:s}", "port", args->words[0], "state", args->words[1]);

	if (params != NULL && cli_given(args, "queue"))
		json_object_set_new(params, "queue",
				    json_integer((json_int_t)cli_number(args, "QUEUE", 0)));
	return cli_call_print(args, "transmit", params, print_port);
}

const struct cli_command command_transmit = {
	.name = "transmit",
	.help = "stop or start the transmitter of a port or queue of a live fabric",
	.details = "PORT is leaf1.swp3, or h3.eth1 of a simulated host. `off` keeps packets in the "
		   "queues, so that the\nbuffer fills; `on` sends them. The port sends its pause "
		   "frames in either case. With `queue`, only one\nof the eight queues stops or "
		   "starts.\n\nThe configuration does not change: `roost save` does not write the "
		   "change, and it is lost\nwhen the fabric goes down.\n",
	.forms = {{{{CLI_PORT}, {CLI_LITERAL, "off|on"}}},
		  {{{CLI_PORT},
		    {CLI_LITERAL, "off|on"},
		    {CLI_LITERAL, "queue"},
		    {CLI_NUMBER, "QUEUE", .range = {0, PRIORITIES - 1}}}}},
	.options = {CLI_OUTPUT_OPTION, CLI_FABRIC_OPTION},
	.run = change,
};
