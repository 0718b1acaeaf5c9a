// SPDX-License-Identifier: BSD-3-Clause
#include "gather.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_BYTES ((size_t)256 << 20) // by the first rank, of all others together
#define CHUNK_LEAST ((size_t)64 << 10)
#define CHUNK_MOST ((size_t)8 << 20)
#define END UINT32_MAX // as an index: the list of a rank ends

struct head {
	uint32_t index;
	uint32_t kind;
	uint64_t count; // of bytes behind it
};

// What has come from another rank.
struct peer {
	struct ranks_bytes chunk;
	size_t at;        // of the next piece's head
	struct head next; // index END: none
};

struct gather {
	struct ranks *ranks;
	size_t chunk;
	int error; // the first of them
	// A rank that sends.
	uint8_t *bytes;
	size_t used, room;
	uint32_t index;
	// The first rank.
	struct peer *peers;      // by rank; [0] is not used
	bool begun;              // the first pieces of all are here
	uint32_t least;          // index of all next pieces; END: none is left
	uint32_t second;         // of all peers but the one with the least
	struct peer *least_peer; // that has it
};

struct gather *
gather_create(struct ranks *ranks, size_t chunk)
{
	struct gather *g;

	if (!ranks_many(ranks))
		return NULL;
	g = memory_new(sizeof(*g), "what ranks send");
	g->ranks = ranks;
	g->chunk = chunk != 0 ? chunk : KEPT_BYTES / ranks->count;
	if (chunk == 0 && g->chunk < CHUNK_LEAST)
		g->chunk = CHUNK_LEAST;
	if (chunk == 0 && g->chunk > CHUNK_MOST)
		g->chunk = CHUNK_MOST;
	if (ranks_first(ranks))
		g->peers = memory_array(ranks->count, sizeof(*g->peers), "ranks");
	return g;
}

void
gather_destroy(struct gather *g)
{
	if (g == NULL)
		return;
	for (uint32_t i = 0; g->peers != NULL && i < g->ranks->count; i++)
		free(g->peers[i].chunk.data);
	free(g->peers);
	free(g->bytes);
	free(g);
}

bool
gather_sends(const struct gather *g)
{
	return g != NULL && g->peers == NULL;
}

// ---- ranks that send ----------------------------------------------------------------------------

static void
flush(struct gather *g)
{
	int rc = 0;

	if (g->used != 0 && g->error == 0)
		rc = g->ranks->ops->send(g->ranks, 0, g->bytes, g->used);
	if (g->error == 0)
		g->error = rc;
	g->used = 0;
}

void
gather_at(struct gather *g, uint32_t index)
{
	if (g != NULL)
		g->index = index;
}

void
gather_put(struct gather *g, uint32_t kind, const void *data, size_t count)
{
	const struct head head = {g->index, kind, count};
	size_t all = sizeof(head) + count;

	if (g->used != 0 && g->used + all > g->chunk)
		flush(g);
	if (g->used + all > g->room) {
		g->room = g->used + all < g->chunk / 16 ? 2 * (g->used + all)
			  : all > g->chunk              ? all
							: g->chunk;
		g->bytes = memory_resize(g->bytes, g->room, 1, "bytes for the first rank");
	}
	memcpy(g->bytes + g->used, &head, sizeof(head));
	if (count != 0)
		memcpy(g->bytes + g->used + sizeof(head), data, count);
	g->used += all;
}

struct stream {
	struct gather *g;
	uint32_t kind;
};

static ssize_t
write_stream(void *cookie, const char *bytes, size_t count)
{
	const struct stream *s = cookie;

	gather_put(s->g, s->kind, bytes, count);
	return (ssize_t)count;
}

static int
close_stream(void *cookie)
{
	free(cookie);
	return 0;
}

FILE *
gather_open(struct gather *g, uint32_t kind)
{
	const struct stream stream = {g, kind};
	struct stream *s = memory_copy(&stream, 1, sizeof(stream), "a stream");
	FILE *to = fopencookie(
		s, "w", (cookie_io_functions_t){.write = write_stream, .close = close_stream});

	if (to == NULL)
		memory_exhausted(1, BUFSIZ, "a stream");
	return to;
}

// ---- the first rank -----------------------------------------------------------------------------

static int
receive(struct gather *g, struct peer *p)
{
	p->at = 0;
	return g->ranks->ops->receive(g->ranks, (uint32_t)(p - g->peers), &p->chunk);
}

// Reads the head of the next piece. What does not look like one ends the list.
static void
read_head(struct gather *g, struct peer *p)
{
	int rc = p->at == p->chunk.count ? receive(g, p) : 0;

	if (rc == 0 && p->chunk.count - p->at < sizeof(p->next))
		rc = -EPROTO;
	if (rc == 0) {
		memcpy(&p->next, (const uint8_t *)p->chunk.data + p->at, sizeof(p->next));
		if (p->next.count > p->chunk.count - p->at - sizeof(p->next))
			rc = -EPROTO;
	}
	if (rc == 0)
		return;
	if (g->error == 0)
		g->error = rc;
	p->next.index = END;
}

static void
find_least(struct gather *g)
{
	g->least = g->second = END;
	for (uint32_t i = 1; i < g->ranks->count; i++) {
		struct peer *p = &g->peers[i];

		if (p->next.index < g->least) {
			g->second = g->least;
			g->least = p->next.index;
			g->least_peer = p;
		} else if (p->next.index < g->second) {
			g->second = p->next.index;
		}
	}
}

static void
begin(struct gather *g)
{
	for (uint32_t i = 1; i < g->ranks->count; i++)
		read_head(g, &g->peers[i]);
	g->begun = true;
	find_least(g);
}

static void
take_one(struct gather *g, gather_use *use, void *context)
{
	struct peer *p = g->least_peer;
	const struct gather_piece piece = {
		.index = p->next.index,
		.kind = p->next.kind,
		.data = (const uint8_t *)p->chunk.data + p->at + sizeof(p->next),
		.count = p->next.count,
	};

	use(context, &piece);
	p->at += sizeof(p->next) + p->next.count;
	read_head(g, p);
	g->least = p->next.index;
	if (g->least >= g->second)
		find_least(g);
}

void
gather_take(struct gather *g, uint32_t index, gather_use *use, void *context)
{
	if (g == NULL || g->peers == NULL)
		return;
	if (!g->begun)
		begin(g);
	while (g->least <= index && g->least != END)
		take_one(g, use, context);
}

int
gather_finish(struct gather *g, gather_use *use, void *context)
{
	if (g == NULL)
		return 0;
	if (g->peers == NULL) {
		g->index = END;
		gather_put(g, 0, NULL, 0);
		flush(g);
		g->index = 0;
		return g->error;
	}
	gather_take(g, END, use, context);
	for (uint32_t i = 1; i < g->ranks->count; i++)
		g->peers[i].at = g->peers[i].chunk.count = 0;
	g->begun = false;
	return g->error;
}
