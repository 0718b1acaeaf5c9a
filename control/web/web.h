// SPDX-License-Identifier: BSD-3-Clause
// roost-web: the console of a live fabric, or of films, over HTTP. It is a client of the fabric's
// socket with the rights of the user who started it, and of nothing else; it links no DPDK.
//
// One thread does everything, in one loop (loop.c): libmicrohttpd's connections, the calls that
// wait for the fabric (calls.c), the captures that browsers download (download.c), and the
// connection that events come over (monitor.c). Nothing in it blocks, so a browser that does not
// read delays nobody. What may grow has a bound (WEB_*).
#pragma once

#include "metrics.h"

#include <stdbool.h>

#define WEB_CONNECTIONS_MAX 192
#define WEB_STREAMS_MAX 96           // of them, those that /live is sent to
#define WEB_BODY_MAX (1024u * 1024)  // bytes of a request's body, as the fabric takes them
#define WEB_HEADERS_MAX (16u * 1024) // bytes of a request's head
#define WEB_STREAM_MAX (512u * 1024) // bytes that wait for a browser; what comes then is lost
#define WEB_CALLS_MAX 64             // requests that wait for the fabric
#define WEB_CALLS_AT_ONCE 4          // of them, those that the fabric is asked at a time
#define WEB_REQUEST_MS 5000          // for a request to be complete
#define WEB_IDLE_MS 20000            // without a byte either way
#define WEB_CALL_MS 60000            // for the fabric's answer
#define WEB_CAPTURES_MAX 4           // at a time
#define WEB_CAPTURE_SECONDS 5        // that one lasts, unless the request says
#define WEB_CAPTURE_SECONDS_MAX 60
#define WEB_CAPTURE_REST_MS 60000 // for a browser to read what is left then

struct web_options {
	const char *listen; // "127.0.0.1:8080"
	const char *fabric; // its name; NULL: films are shown
	const char *socket; // its path
	char *const *films; // directories with results, NULL behind the last
	bool allow_changes;
	bool only_metrics; // nothing else is served
	struct metrics_form metrics;
};

// Serves until SIGINT or SIGTERM comes. Returns an exit status; errors go to stderr.
int web_run(const struct web_options *options);
// Compiles a filter of captures and prints the program, or why there is none. Returns an exit
// status.
int web_print_filter(const char *text);
// Prints the fabric's metrics. Returns an exit status; errors go to stderr.
int web_print_metrics(const struct web_options *options);
