// SPDX-License-Identifier: BSD-3-Clause
// roost show: asks the fabric's daemon and prints the answer, once or every so often.
#include "cli.h"

#include "control/config/config.h"
#include "control/show/view.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
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
	const char *fabric;
	const struct show_view *view;
	bool json;
	uint64_t watch_ps; // 0: once
};

// ---- the request -----------------------------------------------------------------------

static int
take_output(struct show_request *r, const char *command, const char *text)
{
	r->json = strcmp(text, "json") == 0;
	if (!r->json && strcmp(text, "text") != 0)
		return cli_usage(command, "-o %s: json or text", text);
	return CLI_OK;
}

static int
take_watch(struct show_request *r, const char *command, const char *text)
{
	char why[160];

	if (config_parse_duration(text, &r->watch_ps, why) != 0)
		return cli_usage(command, "--watch: %s", why);
	if (r->watch_ps < WATCH_LEAST_PS)
		return cli_usage(command, "--watch %s: at least 100ms", text);
	return CLI_OK;
}

static int
take_options(struct show_request *r, int argc, char **argv)
{
	static const struct option options[] = {{"output", required_argument, NULL, 'o'},
						{"watch", required_argument, NULL, 'w'},
						{"fabric", required_argument, NULL, 'f'},
						{NULL, 0, NULL, 0}};
	int option, status = CLI_OK;

	while (status == CLI_OK &&
	       (option = getopt_long(argc, argv, "o:f:", options, NULL)) != -1) {
		switch (option) {
		case 'o':
			status = take_output(r, argv[0], optarg);
			break;
		case 'w':
			status = take_watch(r, argv[0], optarg);
			break;
		case 'f':
			r->fabric = optarg;
			break;
		default:
			status = cli_usage_hint(argv[0]);
		}
	}
	return status;
}

static int
take_what(struct show_request *r, const char *command, const char *word)
{
	size_t count;
	const char *const *words = show_words(&count);
	const char *near;

	for (size_t i = 0; i < count; i++)
		if (strcmp(words[i], word) == 0)
			r->what = words[i];
	if (r->what != NULL)
		return CLI_OK;
	near = config_suggest(word, words, count);
	if (near != NULL)
		return cli_usage(command, "there is no show %s; did you mean \"%s\"?", word, near);
	return cli_usage(command, "there is no show %s", word);
}

// A word of a view's arguments that stands for itself: "qos" of "[PORT] counters [qos]".
static bool
is_literal(const char *arguments, const char *word)
{
	size_t length = strlen(word);
	const char *at = length != 0 ? strstr(arguments, word) : NULL;

	for (; at != NULL; at = strstr(at + 1, word))
		if ((at == arguments || strchr(" [", at[-1]) != NULL) &&
		    strchr(" ]", at[length]) != NULL && !isupper((unsigned char)*word))
			return true;
	return false;
}

// Whether any view of a word has this literal, so that no port or node is meant by it.
static bool
is_keyword(const char *what, const char *word)
{
	size_t count;
	const struct show_view *const *views = show_views(&count);

	for (size_t i = 0; i < count; i++)
		if (strcmp(views[i]->name, what) == 0 && is_literal(views[i]->arguments, word))
			return true;
	return false;
}

// How far the words behind WHAT fit a view's arguments.
struct match {
	const struct show_view *view;
	int words;        // that fit
	char missing[24]; // the argument that comes next and has no word; empty: none
	const char *port;
	const char *vrf;
};

// Takes a word for an argument: itself, VRF, or one that names a port or node.
static bool
take_argument(struct match *m, const char *argument, size_t length, const char *word)
{
	if (!isupper((unsigned char)*argument))
		return strlen(word) == length && strncmp(argument, word, length) == 0;
	if (strncmp(argument, "VRF", length) == 0) {
		m->vrf = word;
		return true;
	}
	m->port = word;
	return !is_keyword(m->view->name, word);
}

// Goes through the arguments; in brackets they may be left out together.
static void
match_view(struct match *m, const struct show_view *view, int count, char **words)
{
	bool optional = false;
	const char *at = view->arguments;

	*m = (struct match){.view = view};
	while (*at != '\0') {
		const char *begin = *at == '[' ? at + 1 : at;
		size_t length = strcspn(begin, " ]");
		struct match before = *m;

		optional = *at == '[';
		if (m->words < count && take_argument(m, begin, length, words[m->words])) {
			m->words++;
		} else {
			*m = before;
			if (!optional) {
				snprintf(m->missing, sizeof(m->missing), "%.*s", (int)length,
					 begin);
				return;
			}
			length = strcspn(begin, "]");
		}
		at = begin + length;
		at += strspn(at, "] ");
	}
}

// The view whose arguments the words fit best.
static struct match
find_view(const char *what, int count, char **words)
{
	size_t view_count;
	const struct show_view *const *views = show_views(&view_count);
	struct match best = {.words = -1};

	for (size_t i = 0; i < view_count; i++) {
		struct match m;

		if (strcmp(views[i]->name, what) != 0)
			continue;
		match_view(&m, views[i], count, words);
		if (m.words > best.words || (m.words == best.words && *best.missing != '\0'))
			best = m;
	}
	return best;
}

static int
take_request(struct show_request *r, int argc, char **argv)
{
	int status = take_options(r, argc, argv);
	struct match m;

	if (status != CLI_OK)
		return status;
	if (optind == argc)
		return cli_usage(argv[0], "show what?");
	status = take_what(r, argv[0], argv[optind]);
	if (status != CLI_OK)
		return status;
	m = find_view(r->what, argc - optind - 1, argv + optind + 1);
	if (*m.missing != '\0')
		return cli_usage(argv[0], "show %s: %s is missing; usage: %s %s", r->what,
				 m.missing, r->what, m.view->arguments);
	if (optind + 1 + m.words != argc)
		return cli_usage(argv[0], "show %s does not take %s", r->what,
				 argv[optind + 1 + m.words]);
	r->view = m.view;
	r->port = m.port;
	r->vrf = m.vrf;
	return CLI_OK;
}

// ---- asking and printing ---------------------------------------------------------------------

static json_t *
request_params(const struct show_request *r)
{
	json_t *params = json_pack("{s:s}", "what", r->what);

	if (r->port != NULL && json_object_set_new(params, "port", json_string(r->port)) != 0)
		goto failed;
	if (r->vrf != NULL && json_object_set_new(params, "vrf", json_string(r->vrf)) != 0)
		goto failed;
	// Without a collector of its own, a view prints the answer of the usual one.
	if (r->view->collect != NULL && r->view->view != NULL &&
	    json_object_set_new(params, "view", json_string(r->view->view)) != 0)
		goto failed;
	return params;
failed:
	json_decref(params);
	return NULL;
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
		// From the top of the screen, over what stood there.
		if (watched && isatty(STDOUT_FILENO))
			fputs("\033[H\033[J", stdout);
		status = show_print(r->what, r->view->view, answer, stdout);
	}
	if (fflush(stdout) != 0)
		status = -errno;
	if (status != 0)
		fprintf(stderr, "roost show: %s\n",
			strerror(status < 0 && !r->json ? -status : EIO));
	return status == 0 ? CLI_OK : CLI_FAILED;
}

static int
show_once(const struct show_request *r, const char *path, const json_t *params)
{
	char err[API_WHY_MAX];
	json_t *answer;
	int status = api_call(path, "show", params, SHOW_PATIENCE_MS, &answer, err, sizeof(err));

	if (status != 0) {
		fprintf(stderr, "roost show: %s\n", err);
		return status == -EINVAL ? CLI_USAGE : CLI_FAILED;
	}
	status = print_answer(r, answer);
	json_decref(answer);
	return status;
}

int
cmd_show(int argc, char **argv)
{
	struct show_request r = {0};
	char path[API_PATH_MAX];
	int status = take_request(&r, argc, argv);
	json_t *params;

	if (status == CLI_OK)
		status = cli_find_fabric(r.fabric, path);
	if (status != CLI_OK)
		return status;
	params = request_params(&r);
	if (params == NULL) {
		// Words come from outside; JSON carries UTF-8 only.
		return cli_usage(argv[0], "names are UTF-8 text");
	}
	status = show_once(&r, path, params);
	while (status == CLI_OK && r.watch_ps != 0) {
		struct timespec wait = {.tv_sec = (time_t)(r.watch_ps / PS_PER_S_WALL),
					.tv_nsec = (long)(r.watch_ps % PS_PER_S_WALL / 1000)};

		nanosleep(&wait, NULL);
		status = show_once(&r, path, params);
	}
	json_decref(params);
	return status;
}
