// SPDX-License-Identifier: BSD-3-Clause
// roost show: gets an answer of the live fabric and prints it, once or repeatedly.
#include "cli.h"

#include "control/show/show_view.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SHOW_PATIENCE_MS 10000
#define PS_PER_S_WALL UINT64_C(1000000000000)
#define WATCH_LEAST_PS (PS_PER_S_WALL / 10)

struct show_request {
	const char *what;
	const char *port; // or a node
	const char *vrf;
	const struct show_view *view;
	bool json;
	uint64_t watch_ps; // 0: once
};

// ---- the request --------------------------------------------------------------------------------

// The forms, made from the rows of the views; a row with `[vrf VRF]` has two.
static struct {
	struct cli_form forms[CLI_FORMS_MAX + 1];
	const struct show_view *views[CLI_FORMS_MAX];
	unsigned count;
	char words[512]; // literals, with NULs between
	size_t used;
} show_forms;

// A word of a view's arguments: "[PORT]", "counters", "[qos]".
static struct cli_argument
make_argument(const char *word, size_t length)
{
	struct cli_argument argument = {.optional = word[0] == '['};
	char *literal = show_forms.words + show_forms.used;

	word += argument.optional;
	length -= argument.optional ? 2 : 0;
	argument.kind = isupper((unsigned char)word[0]) ? cli_kind_named(word, length)
							: CLI_LITERAL;
	if (argument.kind != CLI_LITERAL)
		return argument;
	assert(show_forms.used + length < sizeof(show_forms.words));
	memcpy(literal, word, length);
	show_forms.used += length + 1;
	argument.name = literal;
	return argument;
}

// group: with the arguments from "[vrf VRF]" on, which can only be omitted together.
static void
add_form(const struct show_view *view, bool group)
{
	struct cli_form form = {.help = view->help};
	const char *at = view->arguments;
	unsigned count = 0;

	form.arguments[count++] = (struct cli_argument){.kind = CLI_LITERAL, .name = view->name};
	while (*at != '\0') {
		size_t length = strcspn(at, " "), close = strcspn(at, "]");
		bool in_group = at[0] == '[' && close > length;

		assert(count < CLI_ARGUMENTS_MAX);
		if (in_group && !group)
			break;
		if (in_group) {
			form.arguments[count++] = make_argument(at + 1, length - 1);
			at += length + 1;
			length = strcspn(at, "]");
			form.arguments[count++] = make_argument(at, length);
			length++;
		} else {
			form.arguments[count++] = make_argument(at, length);
		}
		at += length + strspn(at + length, " ");
	}
	assert(show_forms.count < CLI_FORMS_MAX);
	show_forms.views[show_forms.count] = view;
	show_forms.forms[show_forms.count++] = form;
}

static const struct cli_form *
make_forms(void)
{
	size_t count;
	const struct show_view *const *views = show_views(&count);
	bool made = show_forms.count != 0;

	for (size_t i = 0; !made && i < count; i++) {
		if (strstr(views[i]->arguments, "[vrf ") != NULL)
			add_form(views[i], true);
		add_form(views[i], false);
	}
	return show_forms.forms;
}

static int
take_request(struct show_request *r, const struct cli_args *args)
{
	static const char *const names[] = {"PORT", "NODE", "HOST"};

	*r = (struct show_request){
		.what = args->words[0],
		.vrf = cli_text(args, "VRF"),
		.view = show_forms.views[args->form],
		.json = cli_wants_json(args),
		.watch_ps = cli_number(args, "watch", 0),
	};
	for (size_t i = 0; r->port == NULL && i < sizeof(names) / sizeof(names[0]); i++)
		r->port = cli_text(args, names[i]);
	if (cli_given(args, "watch") && r->watch_ps < WATCH_LEAST_PS)
		return cli_usage(args->title, "--watch: %s is out of range: 100ms or more",
				 cli_text(args, "watch"));
	return EXIT_OK;
}

// ---- the answer ---------------------------------------------------------------------------------

// NULL where a word is not UTF-8.
static json_t *
request_params(const struct show_request *r)
{
	// A view that collects nothing prints the answer of the usual one.
	const char *view = r->view->of != NULL ? r->view->view : NULL;

	return json_pack("{s:s,s:s*,s:s*,s:s*}", "what", r->what, "port", r->port, "vrf", r->vrf,
			 "view", view);
}

static int
print_answer(const struct show_request *r, const json_t *answer)
{
	bool watched = r->watch_ps != 0;
	int status;

	if (r->json) {
		status = json_dumpf(answer, stdout,
				    (watched ? JSON_COMPACT : JSON_INDENT(1)) |
					    JSON_REAL_PRECISION(15));
		putchar('\n');
	} else {
		// Overwrites the previous answer on the screen.
		if (watched && isatty(STDOUT_FILENO))
			fputs("\033[H\033[J", stdout);
		status = show_print(r->what, r->view->view, answer, stdout);
	}
	if (fflush(stdout) != 0)
		status = -errno;
	if (status != 0)
		fprintf(stderr, "roost show: %s\n",
			strerror(status < 0 && !r->json ? -status : EIO));
	return status == 0 ? EXIT_OK : EXIT_FAILED;
}

static int
show_once(const struct show_request *r, const char *path, const json_t *params)
{
	const struct api_call call = {path, "show", params, SHOW_PATIENCE_MS};
	struct diag diag = {0};
	json_t *answer;
	int status = api_call(&call, &answer, &diag);

	if (status != 0) {
		fprintf(stderr, "roost show: %s\n", diag_first_error(&diag));
		diag_free(&diag);
		return status == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
	}
	status = print_answer(r, answer);
	json_decref(answer);
	return status;
}

static int
show(const struct cli_args *args)
{
	struct show_request r;
	char path[API_PATH_MAX];
	int status = take_request(&r, args);
	json_t *params;

	if (status == EXIT_OK)
		status = cli_find_fabric(args, path);
	if (status != EXIT_OK)
		return status;
	params = request_params(&r);
	if (params == NULL)
		return cli_usage(args->title, "names must be UTF-8 text");
	status = show_once(&r, path, params);
	while (status == EXIT_OK && r.watch_ps != 0) {
		struct timespec wait = {.tv_sec = (time_t)(r.watch_ps / PS_PER_S_WALL),
					.tv_nsec = (long)(r.watch_ps % PS_PER_S_WALL / 1000)};

		nanosleep(&wait, NULL);
		status = show_once(&r, path, params);
	}
	json_decref(params);
	return status;
}

const struct cli_command command_show = {
	.name = "show",
	.help = "show the state and counters of a live fabric",
	.details = "PORT is leaf1.swp3, swp3 where there is one switch, or leaf1 for all of its "
		   "ports.\n",
	.make_forms = make_forms,
	.options =
		{
			CLI_OUTPUT_OPTION,
			{.name = "watch",
			 .kind = CLI_TIME,
			 .shared = true,
			 .help = "print it again every TIME: 1s"},
			CLI_FABRIC_OPTION,
		},
	.run = show,
};
