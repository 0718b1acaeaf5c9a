// SPDX-License-Identifier: BSD-3-Clause
#include "web_internal.h"

#include "control/base/clock.h"
#include "control/base/program.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define LOOP_TICK_MS 250
#define LOOP_ANNOUNCE_MS 3000

// Places of the array that poll waits for; behind calls come those of downloads.
enum { POLL_SIGNALS, POLL_BROWSERS, POLL_MONITOR, POLL_CALLS };
#define POLL_MAX (POLL_CALLS + WEB_CALLS_AT_ONCE + 2 * WEB_CAPTURES_MAX)

static int
open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static struct MHD_Daemon *
start(struct web *w, int listen)
{
	return MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
				request_handle, w, MHD_OPTION_LISTEN_SOCKET, listen,
				MHD_OPTION_CONNECTION_LIMIT, (unsigned int)WEB_CONNECTIONS_MAX,
				MHD_OPTION_CONNECTION_MEMORY_LIMIT,
				(size_t)WEB_HEADERS_MAX + 20 * 1024, MHD_OPTION_CONNECTION_TIMEOUT,
				(unsigned int)WEB_IDLE_MS / 1000, MHD_OPTION_NOTIFY_COMPLETED,
				request_completed, w, MHD_OPTION_NOTIFY_CONNECTION, client_notify,
				w, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

static int
wait_ms(const struct web *w)
{
	MHD_UNSIGNED_LONG_LONG left;

	if (MHD_get_timeout(w->daemon, &left) == MHD_YES && left < LOOP_TICK_MS)
		return (int)left;
	return LOOP_TICK_MS;
}

// Once the first requests can be answered, or the fabric has taken too long to say what it has.
static void
say_ready(struct web *w, int64_t now)
{
	const struct web_options *o = w->options;
	const char *place = o->only_metrics ? "metrics" : "";
	const char *of = "the film";
	char text[LISTEN_TEXT_MAX];

	if (w->announced || (o->socket != NULL && !monitor_is_up(w) && now < w->announce_ms))
		return;
	if (o->fabric != NULL)
		of = o->fabric;
	else if (o->films[1] != NULL)
		of = "the films";
	w->announced = true;
	listen_text(&w->access.listen, text);
	if (w->access.listen.loopback && !o->allow_changes)
		printf("http://%s/%s shows %s; press Ctrl-C to stop\n", text, place, of);
	else
		printf("http://%s/%s?token=%s shows %s%s; press Ctrl-C to stop\n", text, place,
		       w->access.token, of, o->allow_changes ? " and may change it" : "");
	fflush(stdout);
}

static void
run(struct web *w, int signals)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(w->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd polled[POLL_MAX] = {
		[POLL_SIGNALS] = {signals, POLLIN, 0},
		[POLL_BROWSERS] = {info->epoll_fd, POLLIN, 0},
	};

	monitor_tick(w, clock_ms());
	say_ready(w, clock_ms());
	for (;;) {
		unsigned int calls = calls_poll(w, polled + POLL_CALLS);
		struct pollfd *of_downloads = polled + POLL_CALLS + calls;
		unsigned int downloads = downloads_poll(w, of_downloads);
		int64_t now;

		polled[POLL_MONITOR] = monitor_poll(w);
		if (poll(polled, POLL_CALLS + calls + downloads, wait_ms(w)) < 0 && errno != EINTR)
			return;
		if (polled[POLL_SIGNALS].revents != 0)
			return;
		now = clock_ms();
		monitor_turn(w, polled[POLL_MONITOR].revents, now);
		calls_turn(w, polled + POLL_CALLS, calls, now);
		downloads_turn(w, of_downloads, now);
		streams_tick(w, now);
		clients_tick(w, now);
		say_ready(w, now);
		MHD_run(w->daemon);
		monitor_tick(w, now); // a browser may be the first that listens
	}
}

// Connections that are suspended must not be when libmicrohttpd ends.
static void
stop(struct web *w)
{
	calls_close(w);
	downloads_close(w);
	streams_close(w);
	MHD_stop_daemon(w->daemon);
	monitor_close(w);
}

static int
fail(const char *title, struct diag *diag)
{
	fprintf(stderr, "%s: %s\n", title, diag_first_error(diag));
	diag_free(diag);
	return EXIT_FAILED;
}

int
web_run(const struct web_options *options)
{
	struct web w = {.options = options, .monitor = {.up = {.fd = -1}}};
	const char *title = options->only_metrics ? "roost metrics" : "roost web";
	struct listen_address address;
	struct diag diag = {0};
	int listen, signals, rc;

	TAILQ_INIT(&w.calls);
	TAILQ_INIT(&w.streams);
	TAILQ_INIT(&w.downloads);
	TAILQ_INIT(&w.clients);
	if (listen_parse(options->listen, &address, &diag) != 0) {
		fail(title, &diag);
		return EXIT_USAGE;
	}
	listen = listen_open(&address, &diag);
	if (listen < 0)
		return fail(title, &diag);
	signals = open_signals();
	rc = access_init(&w.access, &address, options->allow_changes);
	w.daemon = rc == 0 && signals >= 0 ? start(&w, listen) : NULL;
	if (w.daemon == NULL) {
		diag_fail(&diag, EIO, "the server cannot start: %s",
			  strerror(rc != 0 ? -rc : errno));
		close(listen);
		return fail(title, &diag);
	}
	w.announce_ms = clock_ms() + LOOP_ANNOUNCE_MS;
	run(&w, signals);
	stop(&w);
	close(signals);
	return EXIT_OK;
}
