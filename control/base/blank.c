// SPDX-License-Identifier: BSD-3-Clause
#include "blank.h"

#include "memory.h"
#include "text.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <search.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLANK_TEXT_MAX INET6_ADDRSTRLEN // longer runs of characters are no address

enum blank_kind { BLANK_MAC, BLANK_IPV4, BLANK_IPV6, BLANK_KINDS };

// What is compared: an address has one entry, however it was written.
struct blank_entry {
	uint8_t kind;
	uint8_t bytes[16];
	unsigned number; // not compared
};

struct blank {
	void *tree; // of struct blank_entry, by tsearch()
	unsigned counts[BLANK_KINDS];
};

static int
compare_entries(const void *left, const void *right)
{
	return memcmp(left, right, offsetof(struct blank_entry, number));
}

struct blank *
blank_create(void)
{
	return memory_new(sizeof(struct blank), "addresses to blank");
}

void
blank_destroy(struct blank *blank)
{
	if (blank == NULL)
		return;
	tdestroy(blank->tree, free);
	free(blank);
}

static unsigned
number_of(struct blank *blank, const struct blank_entry *address)
{
	struct blank_entry *const *found = tfind(address, &blank->tree, compare_entries);
	struct blank_entry *entry;

	if (found != NULL)
		return (*found)->number;
	entry = memory_new(sizeof(*entry), "addresses to blank");
	*entry = *address;
	entry->number = ++blank->counts[address->kind];
	if (tsearch(entry, &blank->tree, compare_entries) == NULL)
		memory_exhausted(1, sizeof(*entry), "addresses to blank");
	return entry->number;
}

static bool
read_address(const char *text, struct blank_entry *out)
{
	*out = (struct blank_entry){.kind = BLANK_MAC};
	if (text_mac(text, out->bytes))
		return true;
	out->kind = BLANK_IPV4;
	if (inet_pton(AF_INET, text, out->bytes) == 1)
		return true;
	out->kind = BLANK_IPV6;
	return inet_pton(AF_INET6, text, out->bytes) == 1;
}

// IEEE 802.1Q, table 8-1: 01-80-C2-00-00-0x, which bridges do not forward.
static bool
names_nobody(const struct blank_entry *address)
{
	static const uint8_t zeros[15], reserved[] = {0x01, 0x80, 0xc2, 0, 0},
					ones[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	const uint8_t *bytes = address->bytes;

	switch (address->kind) {
	case BLANK_MAC:
		return memcmp(bytes, zeros, 6) == 0 || memcmp(bytes, ones, 6) == 0 ||
		       memcmp(bytes, reserved, sizeof(reserved)) == 0;
	case BLANK_IPV4:
		return memcmp(bytes, zeros, 4) == 0 || memcmp(bytes, ones, 4) == 0 ||
		       bytes[0] == 127;
	default: // :: and ::1
		return memcmp(bytes, zeros, 15) == 0 && bytes[15] <= 1;
	}
}

// Writes the first `length` characters as an address, if they are one.
static bool
write_address(struct blank *blank, const char *text, size_t length, FILE *to)
{
	static const char *const names[] = {"mac", "ip4", "ip6"};
	char copy[BLANK_TEXT_MAX];
	struct blank_entry address;

	if (length == 0 || length >= sizeof(copy))
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	if (strlen(copy) != length || !read_address(copy, &address))
		return false;
	if (names_nobody(&address))
		fwrite(text, 1, length, to);
	else
		fprintf(to, "<%s-%u>", names[address.kind], number_of(blank, &address));
	return true;
}

static size_t
span(const char *text, size_t length, bool (*of)(char c))
{
	size_t count = 0;

	while (count < length && of(text[count]))
		count++;
	return count;
}

static bool
in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool
in_address(char c)
{
	return isxdigit((unsigned char)c) || c == ':' || c == '.';
}

static bool
in_ipv4(char c)
{
	return isdigit((unsigned char)c) || c == '.';
}

// The length without the full stops and colons behind, which belong to the sentence.
static size_t
trim(const char *text, size_t length)
{
	while (length > 0 && (text[length - 1] == '.' || text[length - 1] == ':'))
		length--;
	return length;
}

// Writes the address that begins here, and returns its length; 0: none does.
static size_t
take_address(struct blank *blank, const char *text, size_t length, FILE *to)
{
	size_t run = span(text, length, in_address), ipv4 = trim(text, span(text, run, in_ipv4));
	const size_t ends[] = {run, trim(text, run), ipv4}; // "2001:db8::", all, "10.0.1.3:4791"

	for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t end = ends[i];

		// "10.0.1.3" is none in "10.0.1.30" or "10.0.1.3rc".
		if (end > 0 && (end == length || !in_name(text[end])) &&
		    write_address(blank, text, end, to))
			return end;
	}
	return 0;
}

void
blank_write(struct blank *blank, const char *text, size_t length, FILE *to)
{
	size_t at = 0, taken;

	while (at < length) {
		taken = take_address(blank, text + at, length - at, to);
		at += taken;
		if (taken != 0)
			continue;
		// Where none begins, none begins within the word either. The character behind a
		// backslash is not of a word: JSON writes a new line as "\n".
		if (text[at] == '\\' && at + 1 < length)
			taken = 2;
		else if (isdigit((unsigned char)text[at])) // "22.11.0.1.2" has none
			taken = span(text + at, length - at, in_ipv4);
		else
			taken = span(text + at, length - at, in_name);
		if (taken == 0)
			taken = 1;
		fwrite(text + at, 1, taken, to);
		at += taken;
	}
}
