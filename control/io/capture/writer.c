// SPDX-License-Identifier: BSD-3-Clause
// Capture files out, as pcapng (draft-ietf-opsawg-pcapng): a Section Header Block, one Interface
// Description Block, then an Enhanced Packet Block for each packet. Always little-endian, so that a
// run writes the same bytes on every machine.
//
// A block is: type, total length, body, total length; everything is padded to 32 bits, and the
// lengths inside do not count the padding. Options follow the body as code, length, value; if there
// are any, opt_endofopt ends them (scapy finds no comment without it).
//
// A comment ends in a newline: scapy 2.5.0 drops comments that have none, and strips it from those
// that do. Wireshark shows the text, tshark's field output a trailing \n.
//
// After the first error nothing is written, because a block may be incomplete, and every later call
// returns that error, capture_writer_close() too.
#include "writer.h"

#include "control/base/memory.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum pcapng_block {
	PCAPNG_BLOCK_INTERFACE = 0x00000001,
	PCAPNG_BLOCK_PACKET = 0x00000006,
	PCAPNG_BLOCK_SECTION = 0x0a0d0d0a,
};

enum pcapng_option {
	PCAPNG_OPTION_END = 0,
	PCAPNG_OPTION_COMMENT = 1,
	PCAPNG_OPTION_EPB_FLAGS = 2,
	PCAPNG_OPTION_IF_NAME = 2,
	PCAPNG_OPTION_SHB_USERAPPL = 4,
	PCAPNG_OPTION_IF_TSRESOL = 9,
};

#define PCAPNG_BYTE_ORDER 0x1a2b3c4du
#define PCAPNG_LINKTYPE_ETHERNET 1u
#define PCAPNG_TSRESOL_NS 9
#define IF_NAME_MAX 255

struct capture_writer {
	FILE *file;
	uint32_t snaplen;
	int error; // 0 or the first error, as -errno
};

static uint32_t
pad32(uint32_t length)
{
	return (length + 3) & ~3u;
}

static uint32_t
option_size(uint32_t length)
{
	return 4 + pad32(length);
}

static void
put_bytes(struct capture_writer *writer, const void *bytes, size_t length)
{
	if (writer->error == 0 && length > 0 && fwrite(bytes, 1, length, writer->file) != length)
		writer->error = errno ? -errno : -EIO;
}

static void
put_word(struct capture_writer *writer, uint32_t word)
{
	word = htole32(word);
	put_bytes(writer, &word, sizeof(word));
}

static void
put_padding(struct capture_writer *writer, uint32_t length)
{
	put_bytes(writer, (const char[4]){0}, pad32(length) - length);
}

static void
put_option_head(struct capture_writer *writer, enum pcapng_option code, uint32_t length)
{
	put_word(writer, (uint32_t)code | length << 16);
}

static void
put_option(struct capture_writer *writer, enum pcapng_option code, const void *value,
	   uint32_t length)
{
	put_option_head(writer, code, length);
	put_bytes(writer, value, length);
	put_padding(writer, length);
}

static void
put_section_header(struct capture_writer *writer)
{
	static const char program[] = "Roost";
	uint32_t program_len = sizeof(program) - 1;
	uint32_t total = 28 + option_size(program_len) + option_size(0);

	put_word(writer, PCAPNG_BLOCK_SECTION);
	put_word(writer, total);
	put_word(writer, PCAPNG_BYTE_ORDER);
	put_word(writer, 1);          // version 1.0
	put_word(writer, UINT32_MAX); // section length not given: -1 in 64 bits
	put_word(writer, UINT32_MAX);
	put_option(writer, PCAPNG_OPTION_SHB_USERAPPL, program, program_len);
	put_option(writer, PCAPNG_OPTION_END, NULL, 0);
	put_word(writer, total);
}

static void
put_interface(struct capture_writer *writer, const char *name)
{
	uint32_t name_len = (uint32_t)strlen(name);
	uint32_t total = 20 + option_size(name_len) + option_size(1) + option_size(0);
	uint8_t resolution = PCAPNG_TSRESOL_NS;

	put_word(writer, PCAPNG_BLOCK_INTERFACE);
	put_word(writer, total);
	put_word(writer, PCAPNG_LINKTYPE_ETHERNET);
	put_word(writer, writer->snaplen);
	put_option(writer, PCAPNG_OPTION_IF_NAME, name, name_len);
	put_option(writer, PCAPNG_OPTION_IF_TSRESOL, &resolution, 1);
	put_option(writer, PCAPNG_OPTION_END, NULL, 0);
	put_word(writer, total);
}

int
capture_writer_open(struct capture_writer **out, const char *path, const char *if_name,
		    uint32_t snaplen)
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
	put_section_header(writer);
	put_interface(writer, if_name);
	// Flushed at once, so that a full disk shows before the run and not after it.
	if (writer->error == 0 && fflush(writer->file) != 0)
		writer->error = -errno;
	if (writer->error != 0)
		return capture_writer_close(writer);
	*out = writer;
	return 0;
}

int
capture_writer_packet(struct capture_writer *writer, const struct capture_record *r)
{
	uint32_t written_len = writer->snaplen && r->data_len > writer->snaplen ? writer->snaplen
										: r->data_len;
	size_t text_len = r->comment ? strlen(r->comment) : 0;
	bool newline = text_len > 0 && r->comment[text_len - 1] != '\n';
	uint32_t comment_len = (uint32_t)text_len + newline;
	uint64_t stamp_ns = r->stamp / PS_PER_NS;
	uint32_t total = 32 + pad32(written_len), options = 0;

	if (writer->error == 0 && r->orig_len < r->data_len)
		writer->error = -EINVAL;
	if (writer->error == 0 && (written_len > CAPTURE_PACKET_MAX || text_len >= UINT16_MAX))
		writer->error = -EMSGSIZE;
	if (writer->error)
		return writer->error;

	options += r->direction ? option_size(4) : 0;
	options += comment_len ? option_size(comment_len) : 0;
	options += options ? option_size(0) : 0;
	total += options;

	put_word(writer, PCAPNG_BLOCK_PACKET);
	put_word(writer, total);
	put_word(writer, 0); // the interface
	put_word(writer, (uint32_t)(stamp_ns >> 32));
	put_word(writer, (uint32_t)stamp_ns);
	put_word(writer, written_len);
	put_word(writer, r->orig_len);
	put_bytes(writer, r->data, written_len);
	put_padding(writer, written_len);
	if (r->direction) {
		put_option_head(writer, PCAPNG_OPTION_EPB_FLAGS, 4);
		put_word(writer, r->direction);
	}
	if (comment_len) {
		put_option_head(writer, PCAPNG_OPTION_COMMENT, comment_len);
		put_bytes(writer, r->comment, text_len);
		put_bytes(writer, "\n", newline);
		put_padding(writer, comment_len);
	}
	if (options)
		put_option(writer, PCAPNG_OPTION_END, NULL, 0);
	put_word(writer, total);
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
	free(writer);
	return status;
}
