// SPDX-License-Identifier: BSD-3-Clause
// roost show: gets an answer of the live fabric and prints it, once or repeatedly.
#include "cli.h"

#include "control/base/memory.h"
#include "control/show/show_view.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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
	json_t *before;    // the answer before, while it is watched
};

// ---- the request --------------------------------------------------------------------------------

// The forms, made from the rows of the views at the first use; a row with "[vrf VRF]" has two.
static struct {
	struct cli_form forms[CLI_FORMS_MAX + 1];
	const struct show_view *views[CLI_FORMS_MAX];
	unsigned count;
} show_forms;

// A word of a view's arguments: "[PORT]", "counters", "[qos]".
static struct cli_argument
make_argument(const char *word, size_t length)
{
	struct cli_argument argument = {.kind = CLI_LITERAL, .optional = word[0] == '['};

	word += argument.optional;
	length -= argument.optional ? 2 : 0;
	if (isupper((unsigned char)word[0]))
		argument.kind = cli_kind_named(word, length);
	else
		argument.name = memory_text_part(word, length);
	return argument;
}

static void
add_form(const struct show_view *view, const char *arguments)
{
	struct cli_form *form = &show_forms.forms[show_forms.count];
	unsigned count = 1;

	assert(show_forms.count < CLI_FORMS_MAX);
	show_forms.views[show_forms.count++] = view;
	*form = (struct cli_form){{{CLI_LITERAL, view->name}}, view->help};
	for (const char *at = arguments; *at != '\0'; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");

		assert(count < CLI_ARGUMENTS_MAX);
		form->arguments[count++] = make_argument(at, length);
		at += length;
	}
}

static const struct cli_form *
make_forms(void)
{
	size_t count;
	const struct show_view *const *views = show_views(&count);
	bool made = show_forms.count != 0;

	for (size_t i = 0; !made && i < count; i++) {
		const char *arguments = views[i]->arguments, *vrf = strstr(arguments, "[vrf VRF]");
		char *before = memory_text_part(arguments, vrf != NULL ? (size_t)(vrf - arguments)
								       : strlen(arguments));
		char *with_vrf = memory_format("%svrf VRF", before);

		if (vrf != NULL)
			add_form(views[i], with_vrf);
		add_form(views[i], before);
		free(with_vrf);
		free(before);
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
show_once(struct show_request *r, const char *path, const json_t *params)
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
	if (r->before != NULL)
		show_add_rates(r->before, answer);
	status = print_answer(r, answer);
	json_decref(r->before);
	r->before = answer;
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
	json_decref(r.before);
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
			 .help = "print again every TIME, such as 1s"},
			CLI_FABRIC_OPTION,
		},
	.run = show,
};
