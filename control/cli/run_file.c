// SPDX-License-Identifier: BSD-3-Clause
// Commands that take files and need no live fabric: check, sim, compare, replay.
#include "cli.h"

#include "control/base/memory.h"
#include "control/run/compare/compare.h"
#include "control/run/ranks_load.h"
#include "control/run/replay/replay.h"
#include "control/run/sim/sim.h"

#include <stdlib.h>
#include <string.h>

#define UNTIL_OPTION(what)                                                                  \
	{                                                                                   \
		.name = "until", .kind = CLI_TIME, .help = what " at this fabric time: 1ms" \
	}
#define SEED_OPTION(what)                                                                   \
	{                                                                                   \
		.name = "seed", .kind = CLI_NUMBER, .help = "replace the seed of the " what \
	}
#define SET_OPTION                                                                       \
	{                                                                                \
		.name = "set", .kind = CLI_TEXT, .value = "KEY=VALUE", .repeated = true, \
		.help = "use this value of a key instead of the file's: "                \
			"routing.mode=adaptive, workload=@FILE"                          \
	}
#define THREADS_OPTION                                                                   \
	{                                                                                \
		.name = "threads", .letter = 'j', .kind = CLI_NUMBER,                    \
		.range = {1, PARALLEL_THREADS_MAX},                                      \
		.help = "run on N threads (default: one for each core, fewer for small " \
			"fabrics)"                                                       \
	}

static struct experiment_options
experiment_of(const struct cli_args *args)
{
	return (struct experiment_options){
		.kind = EXPERIMENT_FABRIC,
		.until = cli_number(args, "until", PS_NEVER),
		.seed = cli_number(args, "seed", 0),
		.seed_given = cli_given(args, "seed"),
		.threads = (uint32_t)cli_number(args, "threads", 0),
	};
}

// Takes the values of --set. Returns EXIT_OK, or EXIT_USAGE with the error printed; in either case
// drop_replacements() frees them.
static int
take_replacements(const struct cli_args *args, struct experiment_options *o)
{
	unsigned count;
	const char **texts = cli_texts(args, "set", &count);
	struct config_replacement *all = memory_array(count, sizeof(*all), "values of keys");
	int status = EXIT_OK;

	for (unsigned i = 0; i < count && status == EXIT_OK; i++) {
		const char *equals = strchr(texts[i], '=');

		if (equals == NULL || equals == texts[i]) {
			status =
				cli_usage(args->title,
					  "--set %s: want KEY=VALUE, such as routing.mode=adaptive",
					  texts[i]);
			break;
		}
		all[o->replacement_count++] = (struct config_replacement){
			memory_text_part(texts[i], (size_t)(equals - texts[i])), equals + 1};
	}
	free(texts);
	o->replacements = all;
	return status;
}

static void
drop_replacements(struct experiment_options *o)
{
	for (unsigned i = 0; i < o->replacement_count; i++)
		free((char *)(uintptr_t)o->replacements[i].key);
	free((struct config_replacement *)(uintptr_t)o->replacements);
}

static int
check(const struct cli_args *args)
{
	struct experiment_options options = {.file = cli_text(args, "FILE"),
					     .until = cli_number(args, "until", PS_NEVER)};
	int status = take_replacements(args, &options);

	if (status == EXIT_OK)
		status = run_check(&options, cli_given(args, "json"));
	drop_replacements(&options);
	return status;
}

const struct cli_command command_check = {
	.name = "check",
	.help = "check a file and everything that a run of it would need",
	.details = "Errors are printed as FILE:line:column: key: message, with exit status 2.\n"
		   "Warnings alone leave exit status 0.\n",
	.forms = {{{{CLI_FILE}}}},
	.options =
		{
			SET_OPTION,
			{.name = "until",
			 .kind = CLI_TIME,
			 .help = "check a run that ends at this fabric time: 1ms"},
			{.name = "json",
			 .kind = CLI_FLAG,
			 .help = "print what the file contains, and what a run of it costs, as "
				 "JSON"},
		},
	.run = check,
};

static int
sim(const struct cli_args *args)
{
	struct sim_options options = {
		.experiment = experiment_of(args),
		.out = cli_text(args, "out"),
		.gzip = cli_given(args, "gzip"),
		.json = cli_given(args, "json"),
		.work = cli_given(args, "work"),
	};
	int status;

	if (options.gzip && options.out == NULL)
		return cli_usage(args->title, "--gzip compresses files: it needs -o DIR");
	options.experiment.file = cli_text(args, "FILE");
	options.experiment.window = cli_number(args, "window", 0);
	options.experiment.visit = cli_number(args, "visit", 0);
	status = take_replacements(args, &options.experiment);
	if (status == EXIT_OK && ranks_load(&options.experiment.ranks) != 0)
		status = EXIT_FAILED;
	if (status == EXIT_OK)
		status = run_sim(&options);
	if (options.experiment.ranks != NULL)
		options.experiment.ranks->ops->close(options.experiment.ranks);
	drop_replacements(&options.experiment);
	return status;
}

const struct cli_command command_sim = {
	.name = "sim",
	.help = "run a fabric in virtual time, exactly and at its true rates",
	.forms = {{{{CLI_FILE}}}},
	.options =
		{
			{.name = "out",
			 .letter = 'o',
			 .kind = CLI_DIRECTORY,
			 .help = "write result.json, tables of flows, links and counters, and what "
				 "`record:` names, to DIR"},
			{.name = "gzip",
			 .kind = CLI_FLAG,
			 .help = "compress the tables: flows.csv.gz instead of flows.csv"},
			{.name = "json",
			 .kind = CLI_FLAG,
			 .help = "print result.json instead of the summary"},
			UNTIL_OPTION("end"),
			SEED_OPTION("file"),
			SET_OPTION,
			THREADS_OPTION,
			{.name = "work", .kind = CLI_FLAG, .hidden = true},
			{.name = "window", .kind = CLI_TIME, .hidden = true},
			{.name = "visit", .kind = CLI_NUMBER, .hidden = true},
		},
	.run = sim,
};

static int
compare(const struct cli_args *args)
{
	unsigned count;
	const char **files = cli_texts(args, "FILE", &count);
	struct compare_options options = {
		.experiment = experiment_of(args),
		.json = cli_wants_json(args),
		.seeds = (unsigned)cli_number(args, "seeds", 1),
		.files = files,
		.file_count = count,
	};
	int status;

	if (count > COMPARE_FILES_MAX)
		status = cli_usage(args->title, "%u files: at most %d", count, COMPARE_FILES_MAX);
	else
		status = take_replacements(args, &options.experiment);
	if (status == EXIT_OK)
		status = run_compare(&options);
	drop_replacements(&options.experiment);
	free(files);
	return status;
}

const struct cli_command command_compare = {
	.name = "compare",
	.help = "run the same workload in several fabrics and show which is better, by how much",
	.details = "All files are checked before one runs. A run that stalls or fails leaves exit "
		   "status 1.\n",
	.forms = {{{{CLI_FILE}, {CLI_FILE, .repeated = true}}}},
	.options =
		{
			UNTIL_OPTION("end each run"),
			SEED_OPTION("files"),
			SET_OPTION,
			{.name = "seeds",
			 .kind = CLI_NUMBER,
			 .range = {1, COMPARE_SEEDS_MAX},
			 .help = "run each file with N seeds; show medians and ranges"},
			THREADS_OPTION,
			CLI_OUTPUT_OPTION,
		},
	.run = compare,
};

// "swp1=a.pcap". The name is for free().
static int
take_input(const struct cli_args *args, struct replay_input *input, const char *text)
{
	const char *equals = strchr(text, '=');

	if (equals == NULL || equals == text || equals[1] == '\0')
		return cli_usage(args->title, "--in %s: want PORT=PCAP, such as swp1=a.pcap", text);
	input->port_name = memory_text_part(text, (size_t)(equals - text));
	input->path = equals + 1;
	return EXIT_OK;
}

// The rules of --map. Returns an exit status.
static int
take_rules(const struct cli_args *args, struct rewrite *rewrite)
{
	unsigned count;
	const char **texts = cli_texts(args, "map", &count);
	struct diag diag = {0};
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < count; i++)
		rc = rewrite_add(rewrite, texts[i], &diag);
	free(texts);
	if (rc != 0)
		rc = cli_usage(args->title, "%s", diag_first_error(&diag));
	diag_free(&diag);
	return rc;
}

static int
replay(const struct cli_args *args)
{
	unsigned count, taken = 0;
	const char **texts = cli_texts(args, "in", &count);
	struct replay_input *inputs = memory_array(count + 1, sizeof(*inputs), "inputs");
	struct replay_options options = {
		.file = cli_text(args, "FILE"),
		.out = cli_text(args, "out"),
		.until = cli_number(args, "until", PS_NEVER),
		.line_rate = cli_given(args, "pace"),
		.sort = cli_given(args, "sort"),
		.inputs = inputs,
		.input_count = count,
	};
	int status = EXIT_OK;

	if (count > PORTS_MAX)
		status = cli_usage(args->title, "%u inputs: at most %d", count, PORTS_MAX);
	if (status == EXIT_OK)
		status = take_rules(args, &options.rewrite);
	while (status == EXIT_OK && taken < count) {
		inputs[taken].options = &options;
		status = take_input(args, &inputs[taken], texts[taken]);
		taken += status == EXIT_OK;
	}
	if (status == EXIT_OK)
		status = run_replay(&options);
	for (unsigned i = 0; i < taken; i++)
		free(inputs[i].port_name);
	rewrite_clear(&options.rewrite);
	free(inputs);
	free(texts);
	return status;
}

const struct cli_command command_replay = {
	.name = "replay",
	.help = "play captures into one switch in virtual time",
	.forms = {{{{CLI_FILE}}}},
	.options =
		{
			{.name = "in",
			 .kind = CLI_CAPTURE,
			 .required = true,
			 .repeated = true,
			 .help = "send a pcap or pcapng file, which may be compressed, to a port; "
				 "timestamps say when last bits arrive"},
			{.name = "out",
			 .letter = 'o',
			 .kind = CLI_DIRECTORY,
			 .required = true,
			 .help = "write PORT.pcapng, drops.pcapng and counters.json to DIR"},
			UNTIL_OPTION("end"),
			{.name = "pace",
			 .kind = CLI_LITERAL,
			 .value = "line",
			 .help = "ignore the timestamps: send packets at line rate"},
			{.name = "sort",
			 .kind = CLI_FLAG,
			 .help = "put packets whose timestamps go back in order"},
			{.name = "map",
			 .kind = CLI_TEXT,
			 .value = "FROM=TO",
			 .repeated = true,
			 .help = "rewrite addresses: PREFIX=PREFIX, MAC=MAC, or mac=port for MACs "
				 "of other routers"},
		},
	.run = replay,
};
