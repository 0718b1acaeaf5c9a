// SPDX-License-Identifier: BSD-3-Clause
#include "blocks.h"

#include "control/base/memory.h"
#include "control/base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 64

struct interface {
	char name[NAME_MAX_BYTES];
	bool erf; // its packets are records
};

struct blocks {
	struct interface *interfaces;
	size_t count;
};

// The body of a block, or what is left of it.
struct span {
	const uint8_t *at;
	size_t count;
};

struct blocks *
blocks_create(void)
{
	return memory_new(sizeof(struct blocks), "interfaces");
}

void
blocks_destroy(struct blocks *b)
{
	if (b == NULL)
		return;
	free(b->interfaces);
	free(b);
}

static uint32_t
get32(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

static uint64_t
get64(const uint8_t *at)
{
	return (uint64_t)get32(at + 4) << 32 | get32(at);
}

struct option {
	unsigned int code;
	size_t length;
	const uint8_t *value;
};

// The next option; false if there is none.
static bool
next_option(struct span *s, struct option *out)
{
	size_t padded;

	if (s->count < 4)
		return false;
	*out = (struct option){.code = s->at[0] | (unsigned int)s->at[1] << 8,
			       .length = s->at[2] | (size_t)s->at[3] << 8,
			       .value = s->at + 4};
	padded = 4 + (out->length + 3) / 4 * 4;
	if (out->code == PCAPNG_OPTION_END || padded > s->count)
		return false;
	s->at += padded;
	s->count -= padded;
	return true;
}

// What is no UTF-8 or does not print becomes a question mark.
static void
copy_text(char *to, size_t size, const struct option *o)
{
	size_t length = o->length < size ? o->length : size - 1;

	memcpy(to, o->value, length);
	while (length > 0 && (to[length - 1] == '\n' || to[length - 1] == '\0'))
		length--;
	to[length] = '\0';
	for (size_t i = 0; i < length; i++)
		if ((uint8_t)to[i] < ' ' || (uint8_t)to[i] > '~')
			to[i] = '?';
}

static void
add_interface(struct blocks *b, struct span s)
{
	struct option o;
	struct interface *added;

	if (b->count == BLOCKS_INTERFACES_MAX || s.count < 8)
		return;
	b->interfaces = memory_grow(b->interfaces, b->count, sizeof(*b->interfaces), "interfaces");
	added = &b->interfaces[b->count++];
	*added = (struct interface){.name = "?",
				    .erf = (get32(s.at) & 0xffff) == PCAPNG_LINKTYPE_ERF};
	s = (struct span){s.at + 8, s.count - 8};
	while (next_option(&s, &o))
		if (o.code == PCAPNG_OPTION_IF_NAME)
			copy_text(added->name, NAME_MAX_BYTES, &o);
}

static const char *
name_of(const struct blocks *b, uint32_t interface)
{
	return interface < b->count ? b->interfaces[interface].name : "?";
}

// The packet in a record of InfiniBand.
static int
open_record(struct block *out)
{
	if (out->data_len < PCAPNG_ERF_BYTES || out->orig_len < PCAPNG_ERF_BYTES ||
	    out->data[8] != PCAPNG_ERF_INFINIBAND)
		return -EINVAL;
	out->infiniband = true;
	out->data += PCAPNG_ERF_BYTES;
	out->data_len -= PCAPNG_ERF_BYTES;
	out->orig_len -= PCAPNG_ERF_BYTES;
	return 1;
}

static int
read_packet(const struct blocks *b, struct span s, struct block *out)
{
	struct option o;
	uint32_t interface;
	size_t padded;

	if (s.count < 20)
		return -EINVAL;
	out->kind = BLOCK_PACKET;
	interface = get32(s.at);
	out->interface = name_of(b, interface);
	out->at_ns = (uint64_t)get32(s.at + 4) << 32 | get32(s.at + 8);
	out->data_len = get32(s.at + 12);
	out->orig_len = get32(s.at + 16);
	out->data = s.at + 20;
	if (out->data_len > s.count - 20)
		return -EINVAL;
	padded = 20 + ((size_t)out->data_len + 3) / 4 * 4;
	if (padded > s.count)
		return -EINVAL;
	s = (struct span){s.at + padded, s.count - padded};
	while (next_option(&s, &o)) {
		if (o.code == PCAPNG_OPTION_EPB_FLAGS && o.length == 4)
			out->direction = get32(o.value) & 3;
		if (o.code == PCAPNG_OPTION_COMMENT)
			copy_text(out->comment, sizeof(out->comment), &o);
	}
	return interface < b->count && b->interfaces[interface].erf ? open_record(out) : 1;
}

static int
read_statistics(const struct blocks *b, struct span s, struct block *out)
{
	struct option o;

	if (s.count < 12)
		return -EINVAL;
	out->kind = BLOCK_STATISTICS;
	out->interface = name_of(b, get32(s.at));
	s = (struct span){s.at + 12, s.count - 12};
	while (next_option(&s, &o)) {
		if (o.code == PCAPNG_OPTION_ISB_IFRECV && o.length == 8)
			out->seen = get64(o.value);
		if (o.code == PCAPNG_OPTION_ISB_IFDROP && o.length == 8)
			out->lost = get64(o.value);
		if (o.code == PCAPNG_OPTION_COMMENT)
			copy_text(out->comment, sizeof(out->comment), &o);
	}
	return 1;
}

int
blocks_next(struct blocks *b, const uint8_t **bytes, size_t *count, struct block *out)
{
	struct span body;
	uint32_t type, total;

	*out = (struct block){.interface = "?"};
	if (*count == 0)
		return 0;
	if (*count < 12)
		return -EINVAL;
	type = get32(*bytes);
	total = get32(*bytes + 4);
	if (total < 12 || total % 4 != 0 || total > *count || get32(*bytes + total - 4) != total)
		return -EINVAL;
	body = (struct span){*bytes + 8, total - 12};
	*bytes += total;
	*count -= total;
	if (type == PCAPNG_BLOCK_PACKET)
		return read_packet(b, body, out);
	if (type == PCAPNG_BLOCK_STATISTICS)
		return read_statistics(b, body, out);
	if (type == PCAPNG_BLOCK_INTERFACE)
		add_interface(b, body);
	return 1;
}
