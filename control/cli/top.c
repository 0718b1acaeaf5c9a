// SPDX-License-Identifier: BSD-3-Clause
// roost top: rates of a live fabric, refreshed. On a terminal a screen with keys; elsewhere plain
// tables, one after the other.
#include "cli.h"
#include "control/base/clock.h"
#include "control/show/show_view.h"
#include "top_rows.h"
#include "top_screen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TOP_PATIENCE_MS 10000
#define PS_PER_MS_WALL UINT64_C(1000000000)
#define INTERVAL_DEFAULT_MS 1000
#define INTERVAL_LEAST_MS 100
#define TITLE_MAX 200

struct top {
	char path[API_PATH_MAX];
	char title[TITLE_MAX];
	struct top_screen screen;
	uint64_t times; // that are left; UINT64_MAX: no end
	int interval_ms;
	bool json;
	const char *command; // for messages
	json_t *before, *now;
	struct top_rows rows;
};

// ---- answers ------------------------------------------------------------------------------------

static int
ask(const struct top *t, const char *what, json_t **answer)
{
	json_t *params = json_pack("{s:s}", "what", what);
	const struct api_call call = {t->path, "show", params, TOP_PATIENCE_MS};
	struct diag diag = {0};
	int rc = api_call(&call, answer, &diag);

	if (rc != 0) {
		if (t->screen.title != NULL)
			top_screen_close();
		fprintf(stderr, "%s: %s\n", t->command, diag_first_error(&diag));
	}
	json_decref(params);
	diag_free(&diag);
	return rc == 0 ? EXIT_OK : EXIT_FAILED;
}

static void
sort(struct top *t)
{
	top_rows_free(&t->rows);
	top_rows_make(t->screen.view, t->before, t->now, t->screen.column, &t->rows);
}

// Reads the counters again.
static int
sample(struct top *t)
{
	json_t *answer;
	int status = ask(t, top_show_word(t->screen.view), &answer);

	if (status != EXIT_OK)
		return status;
	json_decref(t->before);
	t->before = t->now;
	t->now = answer;
	sort(t);
	return EXIT_OK;
}

static int
make_title(struct top *t)
{
	json_t *fabric;
	int status = ask(t, "fabric", &fabric);

	if (status != EXIT_OK)
		return status;
	snprintf(t->title, sizeof(t->title),
		 "%s: every %d ms; rates in fabric time, dilation %ju; q quits, s or arrows sort",
		 show_string(fabric, "name"), t->interval_ms,
		 (uintmax_t)show_number(fabric, "dilation"));
	json_decref(fabric);
	return EXIT_OK;
}

// ---- plain --------------------------------------------------------------------------------------

static int
print_rows(const struct top *t, bool first)
{
	json_t *answer;

	if (t->json) {
		answer = top_rows_json(t->screen.view, t->now, &t->rows);
		json_dumpf(answer, stdout, JSON_COMPACT);
		putchar('\n');
		json_decref(answer);
	} else {
		if (!first)
			putchar('\n');
		top_rows_print(t->screen.view, &t->rows, stdout);
	}
	return fflush(stdout) == 0 ? EXIT_OK : EXIT_FAILED;
}

static int
run_plain(struct top *t)
{
	const struct timespec pause = {.tv_sec = t->interval_ms / 1000,
				       .tv_nsec = t->interval_ms % 1000 * 1000000L};
	int status = sample(t);

	for (bool first = true; status == EXIT_OK && t->times != 0; first = false) {
		nanosleep(&pause, NULL);
		status = sample(t);
		if (status == EXIT_OK)
			status = print_rows(t, first);
		t->times -= t->times != UINT64_MAX;
	}
	return status;
}

// ---- on a terminal ------------------------------------------------------------------------------

// Takes keys until the next sample is due. Returns false to quit.
static bool
take_keys(struct top *t, int64_t due_ms)
{
	for (int64_t left; (left = due_ms - clock_ms()) > 0;) {
		enum top_key key = top_screen_wait(&t->screen, (int)left);

		if (key == TOP_KEY_QUIT)
			return false;
		if (key == TOP_KEY_SORT)
			sort(t);
		if (key != TOP_KEY_NONE)
			top_screen_draw(&t->screen, &t->rows);
	}
	return true;
}

static int
run_screen(struct top *t)
{
	int64_t due = clock_ms();
	int status = EXIT_OK;

	while (t->times != 0) {
		status = sample(t);
		if (status != EXIT_OK)
			return status; // ask() has given the terminal back
		top_screen_draw(&t->screen, &t->rows);
		t->times -= t->times != UINT64_MAX && t->before != NULL;
		due = due + t->interval_ms > clock_ms() ? due + t->interval_ms
							: clock_ms() + t->interval_ms;
		if (!take_keys(t, due))
			break;
	}
	top_screen_close();
	return status;
}

// ---- the command --------------------------------------------------------------------------------

static int
take_options(struct top *t, const struct cli_args *args)
{
	static const struct {
		const char *option;
		enum top_view view;
	} views[] = {{"queues", TOP_QUEUES}, {"tenants", TOP_TENANTS}, {"ports", TOP_PORTS}};
	const char *sort = cli_text(args, "sort");
	uint64_t interval_ps = cli_number(args, "interval", INTERVAL_DEFAULT_MS * PS_PER_MS_WALL);

	*t = (struct top){.json = cli_wants_json(args), .command = args->title};
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
		if (cli_given(args, views[i].option))
			t->screen.view = views[i].view;
	if (sort == NULL)
		t->screen.column = top_find_column(
			t->screen.view, t->screen.view == TOP_TENANTS ? "rx_bps" : "tx_bps");
	else
		t->screen.column = top_find_column(t->screen.view, sort);
	if (t->screen.column == -2)
		return cli_usage(args->title, "--sort %s: no such column; -o json has their names",
				 sort);
	t->interval_ms = (int)(interval_ps / PS_PER_MS_WALL);
	if (interval_ps < INTERVAL_LEAST_MS * PS_PER_MS_WALL ||
	    interval_ps > 3600 * 1000 * PS_PER_MS_WALL)
		return cli_usage(args->title, "--interval: %s is out of range: 100ms to 3600s",
				 cli_text(args, "interval"));
	t->times = cli_given(args, "once") ? 1 : cli_number(args, "times", UINT64_MAX);
	return EXIT_OK;
}

static int
top(const struct cli_args *args)
{
	struct top t;
	int status = take_options(&t, args);

	if (status == EXIT_OK)
		status = cli_find_fabric(args, t.path);
	if (status == EXIT_OK)
		status = make_title(&t);
	if (status != EXIT_OK)
		return status;
	if (t.json || cli_given(args, "once") || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
	    top_screen_open() != 0) {
		status = run_plain(&t);
	} else {
		t.screen.title = t.title;
		status = run_screen(&t);
	}
	top_rows_free(&t.rows);
	json_decref(t.before);
	json_decref(t.now);
	return status;
}

const struct cli_command command_top = {
	.name = "top",
	.help = "show the rates of a live fabric, sorted and refreshed",
	.details = "On a terminal: q quits, s and arrows choose the column to sort by, up and down "
		   "scroll.\n",
	.forms = {{{{CLI_END}}}},
	.options =
		{
			{.name = "ports",
			 .kind = CLI_FLAG,
			 .help = "a row for each port (default)"},
			{.name = "queues", .kind = CLI_FLAG, .help = "a row for each queue"},
			{.name = "tenants",
			 .kind = CLI_FLAG,
			 .help = "a row for each tenant of each switch"},
			{.name = "sort",
			 .kind = CLI_TEXT,
			 .value = "KEY",
			 .help = "sort by this column: a JSON field name such as tx_bps, or "
				 "`name`"},
			{.name = "interval",
			 .kind = CLI_TIME,
			 .help = "time between two readings (default: 1s)"},
			{.name = "times",
			 .letter = 'n',
			 .kind = CLI_NUMBER,
			 .range = {1, 1000000000},
			 .help = "end after N intervals"},
			{.name = "once", .kind = CLI_FLAG, .help = "print one table and end"},
			CLI_OUTPUT_OPTION,
			CLI_FABRIC_OPTION,
		},
	.run = top,
};
