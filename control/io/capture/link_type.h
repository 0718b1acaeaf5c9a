// SPDX-License-Identifier: BSD-3-Clause
// Link types of captures: what is an Ethernet frame, what becomes one, and what a user can do about
// the rest.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINK_TYPE_ETHERNET 1
#define LINK_TYPE_INFINIBAND 247
#define LINK_TYPE_ERF 197   // records of Endace's format, of InfiniBand packets among others
#define LINK_TYPE_GROWTH 14 // bytes by which a frame can be longer than what was captured
#define LINK_TYPE_WHY_MAX 240

// Makes an Ethernet frame of a packet without an Ethernet header of its own: `to` has room for
// count + LINK_TYPE_GROWTH bytes. What was not broadcast is sent to the MAC `mac`; the source is
// that of the capture if it has one, and 00:00:00:00:00:00 otherwise. Returns the frame's length;
// or -EINVAL with a text in why: no Ethernet frame can be made of it.
int link_type_convert(uint16_t link, const uint8_t *data, uint32_t count, const uint8_t mac[6],
		      uint8_t *to, char why[static LINK_TYPE_WHY_MAX]);

// Finds the InfiniBand packet, from the LRH to the VCRC, in what was captured of these link types.
// Returns how many bytes stand before it, or -EINVAL: it is something else, or damaged.
int link_type_find_infiniband(uint16_t link, const uint8_t *data, uint32_t count);

// "LINUX_SLL", or "unknown".
const char *link_type_name(uint16_t link);
