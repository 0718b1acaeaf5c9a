// SPDX-License-Identifier: BSD-3-Clause
#include "captures.h"

#include "control/base/memory.h"
#include "control/fabric/gather.h"
#include "control/io/capture/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SNAPLEN_DEFAULT 128
#define BLOCK_BYTES (1 << 16)
#define REASON_MAX 256

enum piece { PIECE_BYTES, PIECE_ERROR };

// A port that is recorded.
struct capture {
	const struct output_file *file; // of the first rank where another one records; else NULL
	FILE *temporary;                // where this rank records for the first one; else NULL
	FILE *to;                       // of `file`
	int error;
	char reason[REASON_MAX]; // of another rank; "": that of `error`
};

struct captures {
	struct ranks *ranks;
	struct recorder *recorder;
	struct output *output; // NULL: another rank's
	struct capture *items;
	unsigned int count;
};

// Where temporary files without a name are.
static const char *
directory(void)
{
	const char *setting = getenv("TMPDIR");

	return setting != NULL && setting[0] != '\0' ? setting : "/tmp";
}

static int
open_temporary(struct captures *c, struct capture *one, const struct recorder_source *source)
{
	char path[64];

	int fd = open(directory(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	one->temporary = fd >= 0 ? fdopen(fd, "w+") : NULL;
	if (one->temporary == NULL)
		return -errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(one->temporary));
	return recorder_add_path(c->recorder, source, path);
}

// The port was found when the file was checked.
static int
open_one(struct captures *c, struct capture *one, const struct experiment *e, const char *port)
{
	char interface[TOPOLOGY_NAME_MAX], name[TOPOLOGY_NAME_MAX + 8];
	struct recorder_source source = {.what = RECORDER_SENT | RECORDER_RECEIVED,
					 .interface = interface,
					 .infiniband = topology_is_infiniband(e->topology)};
	struct topo_ref ref = {.node = 0};

	topology_find_port(e->topology, port, &ref);
	topology_port_name(e->topology, ref.node, ref.port, interface);
	snprintf(name, sizeof(name), "%s.pcapng", interface);
	source.node = e->fabric->nodes[ref.node];
	source.port = ref.port;
	if (c->output == NULL)
		return source.node != NULL ? open_temporary(c, one, &source) : 0;
	return source.node != NULL ? recorder_add(c->recorder, &source, c->output, name)
				   : output_add(c->output, name, &one->file);
}

int
captures_open(struct captures **out, const struct experiment *e, struct output *output,
	      struct diag *diag)
{
	const struct config_record *record = &e->config->record;
	uint32_t snaplen = record->snaplen_bytes != 0 ? record->snaplen_bytes : SNAPLEN_DEFAULT;
	struct captures *c = memory_new(sizeof(*c), "captures");
	int rc = 0;

	*out = c;
	*c = (struct captures){
		.ranks = e->fabric->ranks,
		.recorder = recorder_create(record->snaplen_full ? 0 : snaplen),
		.output = output,
		.items = memory_array(record->pcap.count, sizeof(*c->items), "captures"),
		.count = record->pcap.count,
	};
	for (unsigned i = 0; rc == 0 && i < c->count; i++)
		rc = open_one(c, &c->items[i], e, record->pcap.items[i].text);
	if (rc != 0 && output == NULL)
		diag_fail(diag, -rc, "roost: a temporary file in %s: %s", directory(),
			  strerror(-rc));
	return rc;
}

// ---- from rank to rank --------------------------------------------------------------------------

// Sends a file that is complete, or why it is not.
static void
send_one(struct gather *g, const struct captures *c, struct capture *one, int error)
{
	char block[BLOCK_BYTES], reason[REASON_MAX];
	size_t count;

	rewind(one->temporary);
	while (error == 0 && (count = fread(block, 1, sizeof(block), one->temporary)) != 0)
		gather_put(g, PIECE_BYTES, block, count);
	if (error == 0 && ferror(one->temporary))
		error = -EIO;
	if (error == 0)
		return;
	snprintf(reason, sizeof(reason), "rank %u: a temporary file in %.128s: %s", c->ranks->index,
		 directory(), strerror(-error));
	gather_put(g, PIECE_ERROR, reason, sizeof(reason));
}

static void
use_piece(void *context, const struct gather_piece *piece)
{
	const struct captures *c = context;
	struct capture *one;

	if (piece->index >= c->count)
		return;
	one = &c->items[piece->index];
	if (one->file == NULL || one->error != 0)
		return;
	if (piece->kind == PIECE_ERROR && piece->count == sizeof(one->reason)) {
		one->error = -EIO;
		memcpy(one->reason, piece->data, sizeof(one->reason));
		one->reason[REASON_MAX - 1] = '\0';
		return;
	}
	if (one->to == NULL)
		one->to = fopen(one->file->temporary, "we");
	errno = 0;
	if (one->to == NULL || fwrite(piece->data, 1, piece->count, one->to) != piece->count)
		one->error = errno != 0 ? -errno : -EIO;
}

// Returns 0, or -errno with the reason in c->output->diag.
static int
close_one(struct captures *c, struct capture *one)
{
	if (one->to != NULL && fclose(one->to) != 0 && one->error == 0)
		one->error = -errno;
	one->to = NULL;
	if (one->error != 0 && one->reason[0] != '\0')
		return diag_fail(&c->output->diag, -one->error, "%s: %s", one->file->path,
				 one->reason);
	return one->error == 0 ? 0 : output_fail(c->output, one->file, one->error);
}

int
captures_finish(struct captures *c)
{
	struct gather *g = gather_create(c->ranks, 0);
	int rc = recorder_close(c->recorder), lost;

	c->recorder = NULL;
	for (unsigned i = 0; i < c->count; i++) {
		gather_at(g, i);
		if (c->items[i].temporary != NULL)
			send_one(g, c, &c->items[i], rc);
		gather_take(g, i, use_piece, c);
	}
	lost = gather_finish(g, use_piece, c);
	for (unsigned i = 0; i < c->count && c->output != NULL; i++) {
		int closed = close_one(c, &c->items[i]);

		rc = rc == 0 ? closed : rc;
	}
	gather_destroy(g);
	return lost != 0 ? lost : c->output == NULL ? 0 : rc;
}

void
captures_close(struct captures *c)
{
	if (c == NULL)
		return;
	recorder_close(c->recorder);
	for (unsigned i = 0; i < c->count; i++) {
		if (c->items[i].temporary != NULL)
			fclose(c->items[i].temporary);
		if (c->items[i].to != NULL)
			fclose(c->items[i].to);
	}
	free(c->items);
	free(c);
}
