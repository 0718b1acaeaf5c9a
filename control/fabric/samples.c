// SPDX-License-Identifier: BSD-3-Clause
#include "samples.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct samples {
	const struct fabric *fabric;
	struct topo_ref *queues;
	unsigned count;
	ps_t interval;
	ps_t next;
	FILE *file;
	char path[PATH_MAX];
};

int
samples_create(struct samples **out, const struct fabric *f, const char *dir,
	       struct config_diag *diag, char *err, size_t err_size)
{
	const struct config_record *record = &f->config->record;
	struct samples *s;
	int rc = -ENOMEM;

	*out = NULL;
	if (record->queues.count == 0 || record->interval_ps == 0)
		return 0;
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return rc;
	s->fabric = f;
	s->interval = record->interval_ps;
	s->queues = calloc(record->queues.count, sizeof(*s->queues));
	if (s->queues == NULL)
		goto fail;
	for (; s->count < record->queues.count; s->count++) {
		rc = topology_resolve_queue(f->topology, &record->queues.items[s->count],
					    "record.queues", &s->queues[s->count], diag);
		if (rc != 0)
			goto fail;
	}
	snprintf(s->path, sizeof(s->path), "%s/queues.csv", dir);
	s->file = fopen(s->path, "w");
	if (s->file == NULL) {
		rc = -errno;
		snprintf(err, err_size, "%s: %s", s->path, strerror(errno));
		goto fail;
	}
	fputs("time_ns", s->file);
	for (unsigned i = 0; i < s->count; i++)
		fprintf(s->file, ",%s", record->queues.items[i].text);
	fputc('\n', s->file);
	*out = s;
	return 0;
fail:
	free(s->queues);
	free(s);
	return rc;
}

int
samples_close(struct samples *s, bool keep, char *err, size_t err_size)
{
	int rc = 0;

	if (s == NULL)
		return 0;
	if (ferror(s->file))
		rc = -EIO;
	if (fclose(s->file) != 0)
		rc = -errno;
	if (rc != 0)
		snprintf(err, err_size, "%s: %s: the file is incomplete", s->path, strerror(-rc));
	if (!keep)
		unlink(s->path);
	free(s->queues);
	free(s);
	return rc;
}

ps_t
samples_next(const struct samples *s)
{
	return s == NULL ? PS_NEVER : s->next;
}

void
samples_take(struct samples *s, ps_t now)
{
	fprintf(s->file, "%llu.%03u", (unsigned long long)(now / PS_PER_NS),
		(unsigned)(now % PS_PER_NS));
	for (unsigned i = 0; i < s->count; i++) {
		const struct topo_ref *q = &s->queues[i];
		const struct node *n = s->fabric->nodes[q->node];
		uint64_t cells = n->depth[q->queue * n->port_count + q->port];

		fprintf(s->file, ",%llu", (unsigned long long)(cells * n->current->cell));
	}
	fputc('\n', s->file);
	s->next += s->interval * ((now - s->next) / s->interval + 1);
}
