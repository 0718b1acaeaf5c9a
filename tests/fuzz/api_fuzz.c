// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as what a client sends, in pieces of any size: the server answers with whole lines of
// JSON-RPC or not at all, and closes or goes on, but nothing else. Behind it stands the method
// "show".
#include "control/api/server_internal.h"
#include "control/show/show.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TURNS_MAX 100000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(int truth)
{
	if (!truth)
		abort();
}

static int
show(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct show_state state = {.fabric = json_pack("{s:s}", "name", "f"),
				   .routes = json_pack("{s:{s:{s:{s:{s:s,s:[{s:s}]}}}}}", "leaf1",
						       "vrfs", "red", "10.0.0.0/8", "mode", "ecmp",
						       "via", "port", "swp1")};
	int rc = show_answer(&state, params, result, diag);

	(void)context;
	json_decref(state.fabric);
	json_decref(state.routes);
	return rc;
}

static const struct api_method methods[] = {{.name = "show", .call = show}, {.name = NULL}};

// An answer is an object with a result or an error, or a batch of them.
static void
require_answer(const json_t *answer)
{
	if (json_is_array(answer)) {
		require(json_array_size(answer) > 0 && json_array_size(answer) <= API_BATCH_MAX);
		for (size_t i = 0; i < json_array_size(answer); i++)
			require_answer(json_array_get(answer, i));
		return;
	}
	require(strcmp(json_string_value(json_object_get(answer, "jsonrpc")), "2.0") == 0);
	require((json_object_get(answer, "result") == NULL) !=
		(json_object_get(answer, "error") == NULL));
	require(json_object_get(answer, "id") != NULL);
}

static void
require_line(const char *line, size_t length)
{
	json_t *answer = json_loadb(line, length, 0, NULL);

	require(answer != NULL);
	require_answer(answer);
	json_decref(answer);
}

// Takes what the client has been sent; *kept: bytes of a line that is not complete. False when
// there is nothing more for now.
static bool
take_answers(int fd, char *text, size_t *kept, size_t size)
{
	ssize_t got = recv(fd, text + *kept, size - *kept, MSG_DONTWAIT);
	char *newline;

	if (got <= 0)
		return false;
	*kept += (size_t)got;
	while ((newline = memchr(text, '\n', *kept)) != NULL) {
		size_t length = (size_t)(newline - text) + 1;

		require_line(text, length);
		*kept -= length;
		memmove(text, newline + 1, *kept);
	}
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct service service = {.rpc = {methods, NULL}, .patience_ms = INT_MAX};
	static char text[8 * API_REQUEST_MAX];
	struct connection c = {.deadline_ms = INT64_MAX};
	size_t piece, sent = 0, kept = 0;
	int fds[2], turns = 0;
	bool open = true, told_end = false;

	if (size == 0)
		return 0;
	piece = 1 + (size_t)data[0] * data[0];
	data++;
	size--;
	require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) == 0);
	c.fd = fds[0];
	while (open) {
		ssize_t more = 0;
		bool waits = c.out != NULL;

		if (sent < size)
			more = send(fds[1], data + sent, size - sent < piece ? size - sent : piece,
				    MSG_NOSIGNAL);
		if (more > 0)
			sent += (size_t)more;
		if (sent == size && !told_end) {
			shutdown(fds[1], SHUT_WR);
			told_end = true;
		}
		open = connection_turn(&service, &c, waits ? POLLOUT : POLLIN, 0) == 0;
		take_answers(fds[1], text, &kept, sizeof(text));
		require(++turns < TURNS_MAX);
	}
	require(c.out == NULL || c.doomed);
	connection_close(&c);
	while (take_answers(fds[1], text, &kept, sizeof(text)))
		;
	require(kept == 0);
	close(fds[1]);
	return 0;
}
