// SPDX-License-Identifier: BSD-3-Clause
// A block is: type, total length, body, total length; everything is padded to 32 bits, and the
// lengths inside do not count the padding. Options follow the body as code, length, value; if there
// are any, opt_endofopt ends them (scapy finds no comment without it).
//
// A comment ends in a newline: scapy 2.5.0 drops comments that have none, and strips it from those
// that do. Wireshark shows the text, tshark's field output a trailing \n.
#include "pcapng.h"

#include "control/base/memory.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define ROOM_MIN 4096

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
put_bytes(struct pcapng *p, const void *bytes, size_t length)
{
	if (p->count + length > p->room) {
		p->room = 2 * (p->count + length) > ROOM_MIN ? 2 * (p->count + length) : ROOM_MIN;
		p->bytes = memory_resize(p->bytes, p->room, 1, "bytes of a capture");
	}
	if (length != 0)
		memcpy(p->bytes + p->count, bytes, length);
	p->count += length;
}

static void
put_word(struct pcapng *p, uint32_t word)
{
	word = htole32(word);
	put_bytes(p, &word, sizeof(word));
}

static void
put_padding(struct pcapng *p, uint32_t length)
{
	put_bytes(p, (const char[4]){0}, pad32(length) - length);
}

static void
put_option_head(struct pcapng *p, enum pcapng_option code, uint32_t length)
{
	put_word(p, (uint32_t)code | length << 16);
}

static void
put_option(struct pcapng *p, enum pcapng_option code, const void *value, uint32_t length)
{
	put_option_head(p, code, length);
	put_bytes(p, value, length);
	put_padding(p, length);
}

// Times in a block are two words, the high one first.
static void
put_time(struct pcapng *p, ps_t at)
{
	uint64_t ns = at / PS_PER_NS;

	put_word(p, (uint32_t)(ns >> 32));
	put_word(p, (uint32_t)ns);
}

void
pcapng_add_section(struct pcapng *p)
{
	static const char program[] = "Roost";
	uint32_t program_len = sizeof(program) - 1;
	uint32_t total = 28 + option_size(program_len) + option_size(0);

	put_word(p, PCAPNG_BLOCK_SECTION);
	put_word(p, total);
	put_word(p, PCAPNG_BYTE_ORDER);
	put_word(p, 1);          // version 1.0
	put_word(p, UINT32_MAX); // section length not given: -1 in 64 bits
	put_word(p, UINT32_MAX);
	put_option(p, PCAPNG_OPTION_SHB_USERAPPL, program, program_len);
	put_option(p, PCAPNG_OPTION_END, NULL, 0);
	put_word(p, total);
}

void
pcapng_add_interface(struct pcapng *p, uint32_t link, const char *name, uint32_t snaplen)
{
	uint32_t name_len = (uint32_t)strlen(name);
	uint32_t total = 20 + option_size(name_len) + option_size(1) + option_size(0);
	uint8_t resolution = PCAPNG_TSRESOL_NS;

	put_word(p, PCAPNG_BLOCK_INTERFACE);
	put_word(p, total);
	put_word(p, link);
	put_word(p, snaplen != 0 && link == PCAPNG_LINKTYPE_ERF ? snaplen + PCAPNG_ERF_BYTES
								: snaplen);
	put_option(p, PCAPNG_OPTION_IF_NAME, name, name_len);
	put_option(p, PCAPNG_OPTION_IF_TSRESOL, &resolution, 1);
	put_option(p, PCAPNG_OPTION_END, NULL, 0);
	put_word(p, total);
}

// The header of an ERF record (Wireshark's wiretap/erf.c): a stamp of 32.32 bits, little endian,
// and lengths, big endian.
static void
put_erf(struct pcapng *p, const struct capture_record *r)
{
	const uint64_t ns = r->stamp % PS_PER_S / 1000, billion = 1000000000;
	// Rounded up, so that a reader that rounds down finds the nanosecond again.
	const uint32_t fraction = (uint32_t)(((ns << 32) + billion - 1) / billion);
	const uint16_t record = (uint16_t)(PCAPNG_ERF_BYTES + r->data_len);
	const uint8_t rest[8] = {
		PCAPNG_ERF_INFINIBAND,
		0x04, // of varying length
		(uint8_t)(record >> 8),
		(uint8_t)record,
		0,
		0,
		(uint8_t)(r->orig_len >> 8),
		(uint8_t)r->orig_len,
	};

	put_word(p, fraction);
	put_word(p, (uint32_t)(r->stamp / PS_PER_S));
	put_bytes(p, rest, sizeof(rest));
}

int
pcapng_add_packet(struct pcapng *p, uint32_t interface, const struct capture_record *r)
{
	size_t text_len = r->comment ? strlen(r->comment) : 0;
	bool newline = text_len > 0 && r->comment[text_len - 1] != '\n';
	uint32_t comment_len = (uint32_t)text_len + newline;
	const uint32_t before = r->infiniband ? PCAPNG_ERF_BYTES : 0;
	uint32_t total = 32 + before + pad32(r->data_len), options = 0;

	if (r->orig_len < r->data_len)
		return -EINVAL;
	if (r->data_len > CAPTURE_PACKET_MAX || text_len >= UINT16_MAX)
		return -EMSGSIZE;
	options += r->direction ? option_size(4) : 0;
	options += comment_len ? option_size(comment_len) : 0;
	options += options ? option_size(0) : 0;
	total += options;

	put_word(p, PCAPNG_BLOCK_PACKET);
	put_word(p, total);
	put_word(p, interface);
	put_time(p, r->stamp);
	put_word(p, before + r->data_len);
	put_word(p, before + r->orig_len);
	if (r->infiniband)
		put_erf(p, r);
	put_bytes(p, r->data, r->data_len);
	put_padding(p, r->data_len);
	if (r->direction) {
		put_option_head(p, PCAPNG_OPTION_EPB_FLAGS, 4);
		put_word(p, r->direction);
	}
	if (comment_len) {
		put_option_head(p, PCAPNG_OPTION_COMMENT, comment_len);
		put_bytes(p, r->comment, text_len);
		put_bytes(p, "\n", newline);
		put_padding(p, comment_len);
	}
	if (options)
		put_option(p, PCAPNG_OPTION_END, NULL, 0);
	put_word(p, total);
	return 0;
}

static void
put_count(struct pcapng *p, enum pcapng_option code, uint64_t value)
{
	value = htole64(value);
	put_option(p, code, &value, sizeof(value));
}

void
pcapng_add_statistics(struct pcapng *p, uint32_t interface, const struct pcapng_statistics *s)
{
	const uint32_t comment_len = s->comment ? (uint32_t)strlen(s->comment) : 0;
	const uint32_t total = 24 + 6 * option_size(8) + option_size(0) +
			       (comment_len ? option_size(comment_len) : 0);

	put_word(p, PCAPNG_BLOCK_STATISTICS);
	put_word(p, total);
	put_word(p, interface);
	put_time(p, s->to);
	put_option_head(p, PCAPNG_OPTION_ISB_STARTTIME, 8);
	put_time(p, s->from);
	put_option_head(p, PCAPNG_OPTION_ISB_ENDTIME, 8);
	put_time(p, s->to);
	put_count(p, PCAPNG_OPTION_ISB_IFRECV, s->seen);
	put_count(p, PCAPNG_OPTION_ISB_IFDROP, s->lost);
	put_count(p, PCAPNG_OPTION_ISB_FILTERACCEPT, s->accepted);
	put_count(p, PCAPNG_OPTION_ISB_USRDELIV, s->delivered);
	if (comment_len)
		put_option(p, PCAPNG_OPTION_COMMENT, s->comment, comment_len);
	put_option(p, PCAPNG_OPTION_END, NULL, 0);
	put_word(p, total);
}
