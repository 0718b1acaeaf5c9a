// SPDX-License-Identifier: BSD-3-Clause
// roost link: takes a link of a live fabric down or up, makes it slower or longer, or has it lose
// packets.
#include "cli.h"

#include "control/base/text.h"
#include "control/show/show_view.h"

#include <string.h>

static void
print_link(const json_t *link)
{
	char rate[TEXT_VALUE_MAX], delay[TEXT_VALUE_MAX];
	const bool is_port = json_object_get(link, "b") == NULL;
	const json_t *changed = json_object_get(link, "changed");
	const char *key;
	json_t *value;

	printf("%s is %s: %s", show_string(link, "link"), show_string(link, "state"),
	       show_number(link, "rate_bps") != 0 ? text_rate(rate, show_number(link, "rate_bps"))
						  : "a device's rate");
	if (!is_port)
		printf(", delay %s", text_duration(delay, show_number(link, "delay_ps")));
	json_object_foreach((json_t *)(uintptr_t)changed, key, value)
	{
		if (strcmp(key, "state") != 0 && strcmp(key, "rate") != 0 &&
		    strcmp(key, "delay") != 0)
			printf(", %s %s", key, show_text(value));
	}
	puts(changed == NULL ? ", as configured" : "");
}

static int
change(const struct cli_args *args)
{
	const char *link = args->words[0], *what = args->words[1];
	json_t *params;

	if (args->count == 3)
		params = json_pack("{s:s,s:s}", "link", link, what, args->words[2]);
	else if (strcmp(what, "clear") == 0)
		params = json_pack("{s:s,s:b}", "link", link, "clear", 1);
	else
		params = json_pack("{s:s,s:s}", "link", link, "state", what);
	return cli_call_print(args, "link", params, print_link);
}

const struct cli_command command_link = {
	.name = "link",
	.help = "fail, degrade or restore a link of a live fabric",
	.details =
		"LINK is leaf1-spine1, or a port at one of its ends: leaf1.swp5. The change takes "
		"effect at once, in\nboth directions, like a link event of a file. `loss` drops "
		"this share of packets, `corrupt` gives this\nshare of frames a wrong FCS, "
		"`corrupt-payload` gives this share of RoCEv2 packets a wrong ICRC,\n"
		"`bit-error-rate` makes each bit wrong with this probability.\n`clear` "
		"restores the link to what the file says.\n\nOf a single switch, LINK is a port, "
		"such as swp2, which can go `down` and `up`.\n\nThe configuration does not "
		"change: "
		"`roost save` does not write the change, and it is lost\nwhen the fabric goes "
		"down.\n",
	.forms = {{{{CLI_LINK}, {CLI_LITERAL, "down|up|clear"}}},
		  {{{CLI_LINK}, {CLI_LITERAL, "rate"}, {CLI_RATE}}},
		  {{{CLI_LINK}, {CLI_LITERAL, "delay"}, {CLI_TIME}}},
		  {{{CLI_LINK}, {CLI_LITERAL, "loss|corrupt|corrupt-payload"}, {CLI_PERCENT}}},
		  {{{CLI_LINK}, {CLI_LITERAL, "bit-error-rate"}, {CLI_ERROR_RATE}}}},
	.options = {CLI_OUTPUT_OPTION, CLI_FABRIC_OPTION},
	.run = change,
};
