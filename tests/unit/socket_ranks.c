// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/socket_ranks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct socket_ranks {
	struct ranks ranks;
	int *sockets; // by rank
};

static int
socket_of(struct ranks *r, uint32_t rank)
{
	return ((struct socket_ranks *)r)->sockets[rank];
}

static int
send_all(int to, const void *data, size_t count)
{
	for (size_t done = 0; done < count;) {
		ssize_t n = send(to, (const char *)data + done, count - done, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int
receive_all(int from, void *data, size_t count)
{
	for (size_t done = 0; done < count;) {
		ssize_t n = recv(from, (char *)data + done, count - done, 0);

		if (n == 0)
			return -ECONNRESET;
		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int
socket_send(struct ranks *r, uint32_t to, const void *data, size_t count)
{
	uint64_t length = count;
	int rc = send_all(socket_of(r, to), &length, sizeof(length));

	return rc != 0 ? rc : send_all(socket_of(r, to), data, count);
}

static int
socket_receive(struct ranks *r, uint32_t from, struct ranks_bytes *in)
{
	uint64_t length;
	int rc = receive_all(socket_of(r, from), &length, sizeof(length));

	if (rc == 0)
		rc = ranks_bytes_reserve(in, length);
	if (rc != 0)
		return rc;
	in->count = length;
	return receive_all(socket_of(r, from), in->data, length);
}

// Pair after pair, the lower rank sending first, so that no two wait for each other.
static int
socket_exchange(struct ranks *r, const struct ranks_bytes *out, struct ranks_bytes *in)
{
	int rc = 0;

	for (uint32_t k = 0; rc == 0 && k < r->count; k++) {
		if (k == r->index)
			continue;
		if (r->index > k)
			rc = socket_receive(r, k, &in[k]);
		if (rc == 0)
			rc = socket_send(r, k, out[k].data, out[k].count);
		if (rc == 0 && r->index < k)
			rc = socket_receive(r, k, &in[k]);
	}
	return rc;
}

static void
combine(enum ranks_reduction how, uint64_t *values, const uint64_t *more, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		bool take = how == RANKS_LEAST ? more[i] < values[i] : more[i] > values[i];

		values[i] = how == RANKS_SUM ? values[i] + more[i] : take ? more[i] : values[i];
	}
}

// The first rank combines and tells all.
static int
socket_reduce(struct ranks *r, enum ranks_reduction how, uint64_t *values, uint32_t count)
{
	size_t bytes = count * sizeof(*values);
	uint64_t *more = malloc(bytes + 1);
	int rc = more != NULL ? 0 : -ENOMEM;

	if (r->index != 0) {
		rc = send_all(socket_of(r, 0), values, bytes);
		if (rc == 0)
			rc = receive_all(socket_of(r, 0), values, bytes);
	}
	for (uint32_t k = 1; rc == 0 && r->index == 0 && k < r->count; k++) {
		rc = receive_all(socket_of(r, k), more, bytes);
		if (rc == 0)
			combine(how, values, more, count);
	}
	for (uint32_t k = 1; rc == 0 && r->index == 0 && k < r->count; k++)
		rc = send_all(socket_of(r, k), values, bytes);
	free(more);
	return rc;
}

static void
socket_abort(struct ranks *r, int status)
{
	(void)r;
	_exit(status);
}

static const struct ranks_ops socket_ops = {
	.exchange = socket_exchange,
	.reduce = socket_reduce,
	.send = socket_send,
	.receive = socket_receive,
	.abort = socket_abort,
};

static int *
socket_at(int *all, uint32_t count, uint32_t a, uint32_t b)
{
	return &all[a * count + b];
}

// Keeps the sockets of one rank.
static int
run_one(int *all, uint32_t count, uint32_t index, int (*body)(struct ranks *ranks, void *context),
	void *context)
{
	struct socket_ranks r = {.ranks = {&socket_ops, index, count},
				 .sockets = socket_at(all, count, index, 0)};
	int rc;

	for (uint32_t i = 0; i < count * count; i++)
		if (i / count != index && all[i] >= 0)
			close(all[i]);
	rc = body(&r.ranks, context);
	for (uint32_t i = 0; i < count; i++)
		if (r.sockets[i] >= 0)
			close(r.sockets[i]);
	return rc;
}

unsigned int
socket_ranks_run(uint32_t count, int (*body)(struct ranks *ranks, void *context), void *context)
{
	int *all = malloc(count * count * sizeof(*all));
	unsigned int failed = 0;
	pid_t *pids = calloc(count, sizeof(*pids));

	memset(all, 0xff, count * count * sizeof(*all));
	for (uint32_t a = 0; a < count; a++)
		for (uint32_t b = a + 1; b < count; b++) {
			int pair[2];

			if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
				abort();
			*socket_at(all, count, a, b) = pair[0];
			*socket_at(all, count, b, a) = pair[1];
		}
	for (uint32_t i = 1; i < count; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			_exit(run_one(all, count, i, body, context) == 0 ? 0 : 1);
	}
	failed += run_one(all, count, 0, body, context) != 0;
	for (uint32_t i = 1; i < count; i++) {
		int status;

		waitpid(pids[i], &status, 0);
		failed += status != 0;
	}
	free(pids);
	free(all);
	return failed;
}
