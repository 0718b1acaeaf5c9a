// SPDX-License-Identifier: BSD-3-Clause
// roost show: asks the fabric's daemon and prints what it answers, once or again and again.
#include "cli.h"
#include "show_text.h"

#include "control/config/config.h"
#include "control/show/show.h"

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
	const char *view; // of an interface, as the API knows it; or SHOW_TEXT_COUNTERS
	bool json;
	uint64_t watch_ps; // 0: once
};

// ---- what is asked for -----------------------------------------------------------------------

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

// "counters [qos]" or "qos roce [status|counters]" of an interface. Returns how many words fitted.
static int
take_view(struct show_request *r, int count, char **words)
{
	if (count > 0 && strcmp(words[0], "counters") == 0) {
		if (count == 1 || strcmp(words[1], "qos") != 0)
			return 1;
		r->view = SHOW_TEXT_COUNTERS;
		return 2;
	}
	if (count < 2 || strcmp(words[0], "qos") != 0 || strcmp(words[1], "roce") != 0)
		return 0;
	r->view = "roce-status";
	if (count == 2)
		return 2;
	if (strcmp(words[2], "counters") == 0)
		r->view = "roce-counters";
	else if (strcmp(words[2], "status") != 0)
		return 2;
	return 3;
}

// The words behind WHAT: [PORT] with a view, or [NODE] [vrf NAME]. Returns how many fitted.
static int
take_words(struct show_request *r, int count, char **words)
{
	bool interface = strcmp(r->what, "interface") == 0;
	bool route = strcmp(r->what, "route") == 0 || strcmp(r->what, "neighbour") == 0;
	int i = 0;

	if (strcmp(r->what, "fabric") == 0 || strcmp(r->what, "network") == 0)
		return 0;
	if (strcmp(r->what, "qos") == 0) {
		if (count == 0 || strcmp(words[0], "roce") != 0)
			return 0;
		i++;
	}
	if (i < count && !(route && strcmp(words[i], "vrf") == 0) &&
	    !(interface && (strcmp(words[i], "counters") == 0 || strcmp(words[i], "qos") == 0)))
		r->port = words[i++];
	if (route && i + 1 < count && strcmp(words[i], "vrf") == 0) {
		r->vrf = words[i + 1];
		i += 2;
	}
	return interface ? i + take_view(r, count - i, words + i) : i;
}

static int
take_request(struct show_request *r, int argc, char **argv)
{
	int status = take_options(r, argc, argv);
	int taken;

	if (status != CLI_OK)
		return status;
	if (optind == argc)
		return cli_usage(argv[0], "show what?");
	status = take_what(r, argv[0], argv[optind]);
	if (status != CLI_OK)
		return status;
	if (strcmp(r->what, "qos") == 0 && optind + 1 == argc)
		return cli_usage(argv[0], "show qos what? There is qos roce");
	taken = optind + 1 + take_words(r, argc - optind - 1, argv + optind + 1);
	if (taken != argc && strcmp(r->what, "interface") == 0 && strcmp(argv[taken], "qos") == 0)
		return cli_usage(argv[0], "show interface qos what? There is qos roce");
	if (taken != argc)
		return cli_usage(argv[0], "show %s does not take %s%s", r->what, argv[taken],
				 strcmp(argv[taken], "vrf") == 0 ? " without a name" : "");
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
	if (r->view != NULL && strcmp(r->view, SHOW_TEXT_COUNTERS) != 0 &&
	    json_object_set_new(params, "view", json_string(r->view)) != 0)
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
		status = show_text_print(r->what, r->view, answer, stdout);
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
