// SPDX-License-Identifier: BSD-3-Clause
// Capture files out: a section with one interface, then packets (pcapng.c).
//
// After the first error nothing is written, because a block may be incomplete, and every later call
// returns that error, capture_writer_close() too.
#include "writer.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IF_NAME_MAX 255

struct capture_writer {
	FILE *file;
	uint32_t snaplen;
	int error;            // 0 or the first error, as -errno
	struct pcapng blocks; // that are written next
};

static void
write_blocks(struct capture_writer *writer)
{
	const struct pcapng *p = &writer->blocks;

	if (writer->error == 0 && p->count != 0 &&
	    fwrite(p->bytes, 1, p->count, writer->file) != p->count)
		writer->error = errno ? -errno : -EIO;
	writer->blocks.count = 0;
}

int
capture_writer_open(struct capture_writer **out, const char *path, uint32_t link,
		    const char *if_name, uint32_t snaplen)
{
	size_t name_len = strlen(if_name);
	struct capture_writer *writer;
	FILE *file;

	*out = NULL;
	if (name_len == 0 || name_len > IF_NAME_MAX)
		return -EINVAL;
	file = fopen(path, "wbe");
	if (file == NULL)
		return -errno;
	writer = memory_new(sizeof(*writer), "a capture file");
	*writer = (struct capture_writer){.file = file, .snaplen = snaplen};
	pcapng_add_section(&writer->blocks);
	pcapng_add_interface(&writer->blocks, link, if_name, snaplen);
	write_blocks(writer);
	// Flushed at once, so that a full disk shows before the run and not after it.
	if (writer->error == 0 && fflush(writer->file) != 0)
		writer->error = -errno;
	if (writer->error != 0)
		return capture_writer_close(writer);
	*out = writer;
	return 0;
}

int
capture_writer_packet(struct capture_writer *writer, const struct capture_record *record)
{
	struct capture_record r = *record;

	if (writer->error == 0 && r.orig_len < r.data_len)
		writer->error = -EINVAL;
	if (writer->snaplen != 0 && r.data_len > writer->snaplen)
		r.data_len = writer->snaplen;
	if (writer->error == 0)
		writer->error = pcapng_add_packet(&writer->blocks, 0, &r);
	write_blocks(writer);
	return writer->error;
}

int
capture_writer_close(struct capture_writer *writer)
{
	int status;

	if (!writer)
		return 0;
	status = writer->error;
	if (fclose(writer->file) != 0 && status == 0)
		status = -errno;
	free(writer->blocks.bytes);
	free(writer);
	return status;
}
