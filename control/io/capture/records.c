// SPDX-License-Identifier: BSD-3-Clause
// Both formats are read here and not by libpcap, which refuses a pcapng file whose interfaces
// differ in link type or snap length; captures of several interfaces, and merged ones, do.
// draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng say what the bytes mean.
//
// The bytes are hostile. Lengths are limited before memory is made for them, and blocks of no
// interest are passed by without being kept.
#include "records.h"

#include "byte_source.h"
#include "control/base/memory.h"
#include "pcapng.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PCAP_MAGIC_US 0xa1b2c3d4u
#define PCAP_MAGIC_NS 0xa1b23c4du
#define PCAP_MAGIC_MODIFIED 0xa1b2cd34u
#define PCAP_HEAD_BYTES 24
#define PCAP_FCS_PRESENT (1u << 26) // of the link type's word, whose top 4 bits count 16-bit words
#define NS_PER_S UINT64_C(1000000000)
#define BLOCK_BYTES_MAX (1u << 20) // of those that are kept: a packet and its comments
#define INTERFACES_MAX 65536

enum {
	BLOCK_PACKET_OLD = 0x00000002,
	BLOCK_PACKET_SIMPLE = 0x00000003,
	OPTION_IF_FCSLEN = 13,
	OPTION_IF_TSOFFSET = 14,
};

struct interface {
	uint16_t link;
	uint8_t fcs_bytes;
	uint8_t resolution; // if_tsresol
	int64_t offset_s;   // if_tsoffset
	uint32_t snaplen;   // 0: none
};

struct records {
	struct byte_source *source;
	bool pcapng;
	bool big_endian;
	bool nanoseconds; // of pcap
	struct interface *interfaces;
	uint32_t interface_count;
	uint8_t *bytes; // of the packet or block being read
	size_t room;
	char fault[256];
};

__attribute__((format(printf, 2, 3))) static int
records_fail(struct records *r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(r->fault, sizeof(r->fault), format, args);
	va_end(args);
	return -EINVAL;
}

static uint16_t
get16(const struct records *r, const uint8_t *at)
{
	return r->big_endian ? (uint16_t)(at[0] << 8 | at[1]) : (uint16_t)(at[1] << 8 | at[0]);
}

static uint32_t
get32(const struct records *r, const uint8_t *at)
{
	return r->big_endian ? (uint32_t)get16(r, at) << 16 | get16(r, at + 2)
			     : (uint32_t)get16(r, at + 2) << 16 | get16(r, at);
}

// Reads bytes of which all must be there, but for none of them if `may_end`. Returns 1, 0 at the
// end, or an error.
static int
read_all(struct records *r, uint8_t *to, size_t count, bool may_end)
{
	ssize_t got = byte_source_read(r->source, to, count);

	if (got < 0) {
		snprintf(r->fault, sizeof(r->fault), "%s", byte_source_fault(r->source));
		return (int)got;
	}
	if (got == 0 && may_end)
		return 0;
	if ((size_t)got < count)
		return records_fail(r, "truncated: the file ends %zu bytes too early",
				    count - (size_t)got);
	return 1;
}

// Reads `count` bytes, limited by the caller, into r->bytes, which is there even if that is 0.
static int
read_kept(struct records *r, size_t count)
{
	if (count >= r->room) {
		r->room = count + 1;
		r->bytes = memory_resize(r->bytes, r->room, 1, "bytes of a capture");
	}
	return read_all(r, r->bytes, count, false);
}

// ---- pcap ---------------------------------------------------------------------------------------

static int
next_pcap(struct records *r, struct record *out)
{
	const struct interface *of = &r->interfaces[0];
	uint8_t head[16];
	uint32_t s, fraction;
	int rc = read_all(r, head, sizeof(head), true);

	if (rc != 1)
		return rc;
	s = get32(r, head);
	fraction = get32(r, head + 4);
	*out = (struct record){
		.stamp = RECORD_STAMP,
		.link = of->link,
		.fcs_bytes = of->fcs_bytes,
		.data_len = get32(r, head + 8),
		.orig_len = get32(r, head + 12),
	};
	if (fraction >= (r->nanoseconds ? NS_PER_S : 1000000))
		out->stamp = RECORD_BAD_STAMP;
	out->stamp_ns = s * NS_PER_S + (uint64_t)fraction * (r->nanoseconds ? 1 : 1000);
	if (out->data_len > RECORDS_PACKET_MAX)
		return records_fail(r, "damaged: %u bytes captured, more than the %u that can be",
				    out->data_len, RECORDS_PACKET_MAX);
	rc = read_kept(r, out->data_len);
	out->data = r->bytes;
	return rc;
}

// ---- pcapng -------------------------------------------------------------------------------------

// The body of a block, or what is left of it.
struct span {
	const uint8_t *at;
	size_t count;
};

struct option {
	unsigned int code;
	size_t length;
	const uint8_t *value;
};

static bool
next_option(const struct records *r, struct span *s, struct option *out)
{
	size_t padded;

	if (s->count < 4)
		return false;
	*out = (struct option){get16(r, s->at), get16(r, s->at + 2), s->at + 4};
	padded = 4 + (out->length + 3) / 4 * 4;
	if (out->code == PCAPNG_OPTION_END || padded > s->count)
		return false;
	*s = (struct span){s->at + padded, s->count - padded};
	return true;
}

// Units of 10^-n s, or of 2^-n s with the top bit. Stamps are rounded down to the ns.
static void
set_stamp(const struct interface *of, uint64_t units, struct record *out)
{
	const unsigned int n = of->resolution & 0x7f;
	__int128 ns = units;

	if (of->resolution & 0x80)
		ns = (__int128)((unsigned __int128)units * NS_PER_S >> n);
	else
		for (unsigned int i = n; i < 9; i++)
			ns *= 10;
	for (unsigned int i = 9; i < n && !(of->resolution & 0x80) && ns != 0; i++)
		ns /= 10;
	ns += (__int128)of->offset_s * (int64_t)NS_PER_S;
	out->stamp = ns < 0 || ns > UINT64_MAX ? RECORD_BAD_STAMP : RECORD_STAMP;
	out->stamp_ns = (uint64_t)ns;
}

static int
add_interface(struct records *r, struct span s)
{
	struct interface *of;
	struct option o;

	if (s.count < 8)
		return records_fail(r, "damaged: an interface block of %zu bytes", s.count + 12);
	if (r->interface_count == INTERFACES_MAX)
		return records_fail(r, "over %d interfaces in one section", INTERFACES_MAX);
	r->interfaces = memory_grow(r->interfaces, r->interface_count, sizeof(*of), "interfaces");
	of = &r->interfaces[r->interface_count++];
	*of = (struct interface){
		.link = get16(r, s.at), .snaplen = get32(r, s.at + 4), .resolution = 6};
	s = (struct span){s.at + 8, s.count - 8};
	while (next_option(r, &s, &o)) {
		if (o.code == PCAPNG_OPTION_IF_TSRESOL && o.length == 1)
			of->resolution = o.value[0];
		if (o.code == OPTION_IF_FCSLEN && o.length == 1)
			of->fcs_bytes = o.value[0];
		if (o.code == OPTION_IF_TSOFFSET && o.length == 8)
			of->offset_s =
				(int64_t)((uint64_t)get32(r, o.value + (r->big_endian ? 0 : 4))
						  << 32 |
					  get32(r, o.value + (r->big_endian ? 4 : 0)));
	}
	return 0;
}

// An Enhanced Packet Block, or its older form, whose interface has 16 bits.
static int
take_packet(struct records *r, uint32_t type, struct span s, struct record *out)
{
	const struct interface *of;
	struct option o;
	uint32_t interface;
	size_t padded;

	if (s.count < 20)
		return records_fail(r, "damaged: a packet block of %zu bytes", s.count + 12);
	interface = type == BLOCK_PACKET_OLD ? get16(r, s.at) : get32(r, s.at);
	if (interface >= r->interface_count)
		return records_fail(r, "damaged: interface %u, of %u that the file describes",
				    interface, r->interface_count);
	of = &r->interfaces[interface];
	*out = (struct record){
		.link = of->link,
		.fcs_bytes = of->fcs_bytes,
		.data_len = get32(r, s.at + 12),
		.orig_len = get32(r, s.at + 16),
		.data = s.at + 20,
	};
	padded = 20 + ((size_t)out->data_len + 3) / 4 * 4;
	if (padded > s.count || out->data_len > RECORDS_PACKET_MAX)
		return records_fail(r, "damaged: %u bytes captured, in a block of %zu",
				    out->data_len, s.count + 12);
	set_stamp(of, (uint64_t)get32(r, s.at + 4) << 32 | get32(r, s.at + 8), out);
	s = (struct span){s.at + padded, s.count - padded};
	while (next_option(r, &s, &o))
		if (o.code == PCAPNG_OPTION_EPB_FLAGS && o.length == 4 &&
		    (get32(r, o.value) >> 5 & 15) != 0)
			out->fcs_bytes = (uint8_t)(get32(r, o.value) >> 5 & 15);
	return 1;
}

// A Simple Packet Block, of the first interface, has no stamp.
static int
take_simple(struct records *r, struct span s, struct record *out)
{
	const struct interface *of = r->interfaces;

	if (s.count < 4 || r->interface_count == 0)
		return records_fail(r, "damaged: a simple packet block of %zu bytes, %u interfaces",
				    s.count + 12, r->interface_count);
	*out = (struct record){
		.stamp = RECORD_NO_STAMP,
		.link = of->link,
		.fcs_bytes = of->fcs_bytes,
		.orig_len = get32(r, s.at),
		.data = s.at + 4,
	};
	out->data_len = of->snaplen != 0 && of->snaplen < out->orig_len ? of->snaplen
									: out->orig_len;
	if (out->data_len > s.count - 4 || out->data_len > RECORDS_PACKET_MAX)
		return records_fail(r, "damaged: %u bytes captured, in a block of %zu",
				    out->data_len, s.count + 12);
	return 1;
}

// Passes by what nobody needs, and checks the length at its end.
static int
skip_block(struct records *r, uint32_t total)
{
	uint8_t some[4096];
	uint32_t left = total - 8;
	int rc = 1;

	while (rc == 1 && left > sizeof(some)) {
		rc = read_all(r, some, sizeof(some), false);
		left -= (uint32_t)sizeof(some);
	}
	if (rc == 1)
		rc = read_all(r, some, left, false);
	if (rc == 1 && get32(r, some + left - 4) != total)
		return records_fail(r, "damaged: a block with two lengths, %u and %u", total,
				    get32(r, some + left - 4));
	return rc == 1 ? 0 : rc;
}

// A section may have another byte order, which comes behind the length.
static int
begin_section(struct records *r, const uint8_t *total_bytes)
{
	uint8_t order[4];
	uint32_t total;
	int rc = read_all(r, order, sizeof(order), false);

	if (rc != 1)
		return rc;
	r->big_endian = false;
	if (get32(r, order) != PCAPNG_BYTE_ORDER)
		r->big_endian = true;
	if (get32(r, order) != PCAPNG_BYTE_ORDER)
		return records_fail(r, "damaged: a section of no byte order");
	total = get32(r, total_bytes);
	if (total < 28 || total % 4 != 0 || total > BLOCK_BYTES_MAX)
		return records_fail(r, "damaged: a section header of %u bytes", total);
	rc = read_kept(r, total - 12);
	if (rc != 1)
		return rc;
	if (get16(r, r->bytes) != 1)
		return records_fail(r, "pcapng version %u.%u, must be 1", get16(r, r->bytes),
				    get16(r, r->bytes + 2));
	if (get32(r, r->bytes + total - 16) != total)
		return records_fail(r, "damaged: a section header with two lengths");
	free(r->interfaces);
	r->interfaces = NULL;
	r->interface_count = 0;
	return 0;
}

// Reads one block. Returns 1 if it is a packet, 0 if not, or an error.
static int
read_block(struct records *r, const uint8_t *head, struct record *out)
{
	uint32_t type = get32(r, head), total = get32(r, head + 4);
	struct span s;
	int rc;

	if (type == PCAPNG_BLOCK_SECTION) // the same in either order
		return begin_section(r, head + 4);
	if (total < 12 || total % 4 != 0)
		return records_fail(r, "damaged: a block of %u bytes", total);
	if (type != PCAPNG_BLOCK_INTERFACE && type != PCAPNG_BLOCK_PACKET &&
	    type != BLOCK_PACKET_OLD && type != BLOCK_PACKET_SIMPLE)
		return skip_block(r, total);
	if (total > BLOCK_BYTES_MAX)
		return records_fail(r, "damaged: a block of %u bytes", total);
	rc = read_kept(r, total - 8);
	if (rc != 1)
		return rc;
	if (get32(r, r->bytes + total - 12) != total)
		return records_fail(r, "damaged: a block with two lengths, %u and %u", total,
				    get32(r, r->bytes + total - 12));
	s = (struct span){r->bytes, total - 12};
	if (type == PCAPNG_BLOCK_INTERFACE)
		return add_interface(r, s);
	return type == BLOCK_PACKET_SIMPLE ? take_simple(r, s, out) : take_packet(r, type, s, out);
}

static int
next_pcapng(struct records *r, struct record *out)
{
	uint8_t head[8];
	int rc;

	do {
		rc = read_all(r, head, sizeof(head), true);
		if (rc != 1)
			return rc;
		rc = read_block(r, head, out);
	} while (rc == 0);
	return rc;
}

// ---- both ---------------------------------------------------------------------------------------

int
records_next(struct records *r, struct record *out)
{
	return r->pcapng ? next_pcapng(r, out) : next_pcap(r, out);
}

static int
read_pcap_head(struct records *r, const uint8_t *head)
{
	struct interface *of = memory_new(sizeof(*of), "interfaces");
	uint32_t link = get32(r, head + 20);

	r->interfaces = of;
	r->interface_count = 1;
	of->link = (uint16_t)link;
	of->fcs_bytes = link & PCAP_FCS_PRESENT ? (uint8_t)(link >> 28 << 1) : 0;
	if (get16(r, head + 4) != 2 || get16(r, head + 6) != 4)
		return records_fail(r, "pcap version %u.%u, must be 2.4; convert it with editcap",
				    get16(r, head + 4), get16(r, head + 6));
	return 0;
}

// The first bytes of the file, of which at least one is there.
static int
read_head(struct records *r)
{
	uint8_t head[PCAP_HEAD_BYTES];
	int rc = read_all(r, head, 4, false);

	for (int order = 0; rc == 1 && order < 2; order++) {
		uint32_t magic;

		r->big_endian = order;
		magic = get32(r, head);
		if (magic == PCAP_MAGIC_MODIFIED)
			return records_fail(r, "a modified pcap; convert it with editcap");
		if (magic != PCAPNG_BLOCK_SECTION && magic != PCAP_MAGIC_US &&
		    magic != PCAP_MAGIC_NS)
			continue;
		r->nanoseconds = magic == PCAP_MAGIC_NS;
		r->pcapng = magic == PCAPNG_BLOCK_SECTION;
		rc = read_all(r, head + 4, (r->pcapng ? 8 : PCAP_HEAD_BYTES) - 4, false);
		if (rc != 1)
			return rc;
		return r->pcapng ? begin_section(r, head + 4) : read_pcap_head(r, head);
	}
	return rc != 1 ? rc : records_fail(r, "unknown file format");
}

int
records_open(struct records **out, const char *path, struct diag *diag)
{
	struct byte_source *source;
	struct records *r;
	int rc = byte_source_open(&source, path, diag);

	*out = NULL;
	if (rc != 0)
		return rc;
	r = memory_new(sizeof(*r), "capture files");
	r->source = source;
	rc = read_head(r);
	if (rc < 0) {
		diag_fail(diag, -rc, "%s: %s%s", path,
			  rc == -EINVAL ? "not a pcap or pcapng file: " : "", r->fault);
		records_close(r);
		return rc;
	}
	*out = r;
	return 0;
}

const char *
records_fault(const struct records *r)
{
	return r->fault;
}

void
records_close(struct records *r)
{
	if (r == NULL)
		return;
	byte_source_close(r->source);
	free(r->interfaces);
	free(r->bytes);
	free(r);
}
