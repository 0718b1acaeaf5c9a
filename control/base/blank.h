// SPDX-License-Identifier: BSD-3-Clause
// Addresses in a text replaced with names, for a text that its owner gives away. The same address
// has the same name throughout, so a reader still sees what belongs together.
#pragma once

#include <stddef.h>
#include <stdio.h>

// The addresses that were replaced so far. One thread at a time.
struct blank;

struct blank *blank_create(void);
// NULL is fine.
void blank_destroy(struct blank *blank);

// Writes a text with each MAC address as "<mac-N>", each IPv4 address as "<ip4-N>", and each IPv6
// address as "<ip6-N>", N counting from 1 in the order of appearance; the length of a prefix, a
// port and everything else stay. Addresses that name nobody stay too: unspecified, loopback,
// broadcast, and the group addresses of PFC and LLDP.
void blank_write(struct blank *blank, const char *text, size_t length, FILE *to);
