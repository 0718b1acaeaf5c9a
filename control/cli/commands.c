// SPDX-License-Identifier: BSD-3-Clause
// The table of commands: adding one is a line here and a cmd_NAME() somewhere.
#include "cli.h"

#include "control/show/show.h"

static struct cli_command commands[] = {
	{"check", "FILE", "reads a file and says what is wrong with it",
	 "Errors come as FILE:line:column: key: what is wrong, with exit status 2; warnings alone "
	 "leave 0.\n",
	 cmd_check},
	{"sim", "FILE [-o DIR] [--json] [--until T] [--seed N]",
	 "runs a fabric in virtual time, exactly and at its true rates",
	 "  -o DIR       writes result.json and what `record:` asks for to DIR\n"
	 "  --json       prints result.json instead of the summary\n"
	 "  --until T    ends at that fabric time: 1ms\n"
	 "  --seed N     instead of the file's seed\n",
	 cmd_sim},
	{"compare", "FILE FILE... [--until T] [--seed N]",
	 "runs the same workload in several fabrics and says which is better by how much",
	 "Errors of any file end it with status 2 before one has run; a run that stalls or fails "
	 "leaves 1.\n\n"
	 "  --until T               ends each at that fabric time: 1ms\n"
	 "  --seed N                instead of the files' seeds\n"
	 "  -o, --output json|text  the form of the answer\n",
	 cmd_compare},
	{"plot", "DIR [-o DIR]\nDIR DIR... -o DIR",
	 "draws what `roost sim -o DIR` wrote there as SVG",
	 "Completion times, slowdowns and loads of links from result.json; queues, rates, loads, "
	 "pauses and\npools where `record:` asked for them.\n\n"
	 "  -o DIR  where the drawings go, instead of the same directory\n",
	 cmd_plot},
	{"replay", "FILE --in PORT=PCAP [--in PORT=PCAP...] --out DIR [--until T] [--pace line]",
	 "plays captures into one switch in virtual time",
	 "  --in PORT=PCAP  a pcap or pcapng file; its stamps are when last bits arrive\n"
	 "  --out DIR       gets PORT.pcapng of what left, drops.pcapng and counters.json\n"
	 "  --until T       ends at that fabric time: 1ms\n"
	 "  --pace line     ignores the stamps: packets follow each other at line rate\n",
	 cmd_replay},
	{"up", "FILE|NAME", "brings a live fabric up in the background",
	 "NAME: as it ran last, where there is no such file. "
	 "Namespaces and devices of `attach:` are made as needed; `roost down` removes what was "
	 "made.\n",
	 cmd_up},
	{"down", "[NAME]", "takes a live fabric down and removes what `up` made",
	 "Without NAME: the one of -f or ROOST_FABRIC, or the only one that is up.\n", cmd_down},
	{"exec", "HOST -- COMMAND [ARGUMENT...]",
	 "runs a command in the namespace of an attached host",
	 "The exit status is the command's.\n", cmd_exec},
	{"run", "FILE", "brings a live fabric up and stays in the foreground until interrupted", "",
	 cmd_run},
	{"show", NULL, // show_usage()
	 "shows the state and counters of a live fabric",
	 "PORT is leaf1.swp3, swp3 where there is one switch, or leaf1 for all of its ports.\n\n"
	 "  -o, --output json|text  the form of the answer\n"
	 "  --watch TIME            shows it again every so often: 1s\n"
	 "  -f, --fabric NAME       of this fabric (or ROOST_FABRIC)\n",
	 cmd_show},
	{"events", "[link|pause|watchdog|drops|apply...] [--pause-over TIME]",
	 "shows what happens in a live fabric, as it happens",
	 "Of these kinds; without one, of all.\n\n"
	 "  --pause-over TIME       of pauses those that took at least so long since the last "
	 "look\n"
	 "  -o, --output json|text  the form of a line\n"
	 "  -f, --fabric NAME       of this fabric (or ROOST_FABRIC)\n",
	 cmd_events},
	{"api", "[--markdown]", "prints what a live fabric's API can be asked, as OpenRPC",
	 "  --markdown  as the tables of the documentation\n", cmd_api},
	{"set", "KEY VALUE [--stage]\ntenant TENANT [hosts HOST,... | KEY VALUE] [--stage]",
	 "changes a key of a live fabric's configuration while traffic runs",
	 "KEY as in a file, from a section of switches or tenants on: switch.qos.tc.3.ecn.min, "
	 "leaf1.qos.pfc.refresh,\ntenants.green.hosts; or its words with blanks between: tenant "
	 "green hosts h5,h6 adds to the list.\n"
	 "What cannot hold is refused whole, with status 1, and changes nothing.\n\n"
	 "  --stage            only for a later `roost apply`\n"
	 "  -f, --fabric NAME  of this fabric (or ROOST_FABRIC)\n"
	 "  KEY --help         tells of a key: its type, unit, range and default\n",
	 cmd_set},
	{"unset", "KEY [--stage]\ntenant TENANT [hosts HOST,... | KEY] [--stage]",
	 "makes a live fabric as if a key were not written",
	 "tenant green hosts h5 takes h5 from the list; tenant green takes the tenant.\n\n"
	 "  --stage            only for a later `roost apply`\n"
	 "  -f, --fabric NAME  of this fabric (or ROOST_FABRIC)\n",
	 cmd_unset},
	{"config", "diff [REVISION]\ndetach", "shows what of a live fabric's configuration differs",
	 "diff: what is staged against what runs, and what runs against the file it came from; or "
	 "what runs\nagainst a revision. detach: forgets what is staged.\n\n"
	 "  -o, --output json|text  the form of the answer\n"
	 "  -f, --fabric NAME       of this fabric (or ROOST_FABRIC)\n",
	 cmd_config},
	{"apply", "[FILE] [--confirm TIME]\n--confirm-yes | --confirm-no | --confirm-status",
	 "applies what is staged, or makes a live fabric what FILE says, whole or not at all",
	 "  --confirm TIME     undoes it by itself after so long (90s, 5m, 1h) unless "
	 "--confirm-yes "
	 "comes\n"
	 "  --confirm-yes      what was applied stays\n"
	 "  --confirm-no       it is undone at once\n"
	 "  --confirm-status   says whether something waits\n"
	 "  -f, --fabric NAME  of this fabric (or ROOST_FABRIC)\n",
	 cmd_apply},
	{"save", "[FILE]", "writes what a live fabric runs to a file",
	 "By default to the file that it came from, which stays as FILE~. Comments are not "
	 "kept.\n\n"
	 "  -o, --output json|text  the form of the answer\n"
	 "  -f, --fabric NAME       of this fabric (or ROOST_FABRIC)\n",
	 cmd_save},
	{"history", "", "lists what a live fabric's configuration has been",
	 "  -o, --output json|text  the form of the answer\n"
	 "  -f, --fabric NAME       of this fabric (or ROOST_FABRIC)\n",
	 cmd_history},
	{"rollback", "REVISION [--confirm TIME]", "makes a live fabric what it was",
	 "REVISION is a number of `roost history`.\n\n"
	 "  --confirm TIME     as of apply\n"
	 "  -f, --fabric NAME  of this fabric (or ROOST_FABRIC)\n",
	 cmd_rollback},
	{"clear", "watermarks [persistent] [NODE]",
	 "starts a live fabric's maxima again from what is held now",
	 "The user's, which `max` shows, or the persistent ones; of NODE, or of all.\n\n"
	 "  -f, --fabric NAME  of this fabric (or ROOST_FABRIC)\n",
	 cmd_clear},
	{"watchdog", "restore PORT.QUEUE", "ends a storm that the PFC watchdog found, by hand",
	 "PORT.QUEUE is leaf1.swp3.3. If the queue is paused on, the watchdog will find it "
	 "again.\n\n"
	 "  -f, --fabric NAME  of this fabric (or ROOST_FABRIC)\n",
	 cmd_watchdog},
	{"where", "ADDRESS [FILE]",
	 "tells which host's place an IPv4, IPv6 or MAC address stands for",
	 "With FILE also whose it is there.\n\n"
	 "  -o, --output json|text  the form of the answer\n",
	 cmd_where},
	{"headroom", "RATE CABLE MTU [--lossless-mtu 1500] [--small-packets 100%] [--cell 192]",
	 "tells how much headroom a lossless priority group of such a port needs, and why",
	 "RATE is 100G, CABLE its length, 40m, MTU the port's in bytes of IP packet, 9100.\n\n"
	 "  --lossless-mtu BYTES    of the lossless traffic\n"
	 "  --small-packets SHARE   how much of it is packets of 64 B\n"
	 "  --cell BYTES            what the buffer is counted in\n"
	 "  -o, --output json|text  the form of the answer\n",
	 cmd_headroom},
	{"completion", "bash", "prints the script that makes bash complete roost's command lines",
	 "source <(roost completion bash), or as a file in a directory that bash-completion "
	 "reads.\n",
	 cmd_completion},
	{"complete", "-- WORD...", "", "", cmd_complete},
	{"help", "[COMMAND | KEY]", "tells how a command is used, or what a key of a file is",
	 "KEY as in a file: switch.qos.tc.3.ecn.min, workload.size, or without its section.\n",
	 cmd_help},
	{"schema", "[--markdown]", "prints the JSON Schema of a file, for editors and programs",
	 "Draft 2020-12, of a fabric's file or one switch's; all that can be written, with ranges, "
	 "defaults\nand help.\n\n"
	 "  --markdown  prints the reference page of keys instead\n",
	 cmd_schema},
};

const struct cli_command *
cli_commands(size_t *count)
{
	*count = sizeof(commands) / sizeof(*commands);
	for (size_t i = 0; i < *count; i++)
		if (commands[i].run == cmd_show)
			commands[i].arguments = show_usage();
	return commands;
}
