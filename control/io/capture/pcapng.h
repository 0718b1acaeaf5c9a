// SPDX-License-Identifier: BSD-3-Clause
// Blocks of a capture file, made in memory as pcapng (draft-ietf-opsawg-pcapng): a Section Header
// Block, an Interface Description Block for each interface, an Enhanced Packet Block for each
// packet, and Interface Statistics Blocks at the end. Always little-endian, so that a run writes
// the same bytes on every machine.
#pragma once

#include "dataplane/base/time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pcapng_block {
	PCAPNG_BLOCK_INTERFACE = 0x00000001,
	PCAPNG_BLOCK_STATISTICS = 0x00000005,
	PCAPNG_BLOCK_PACKET = 0x00000006,
	PCAPNG_BLOCK_SECTION = 0x0a0d0d0a,
};

enum pcapng_option {
	PCAPNG_OPTION_END = 0,
	PCAPNG_OPTION_COMMENT = 1,
	PCAPNG_OPTION_EPB_FLAGS = 2,
	PCAPNG_OPTION_IF_NAME = 2,
	PCAPNG_OPTION_ISB_STARTTIME = 2,
	PCAPNG_OPTION_ISB_ENDTIME = 3,
	PCAPNG_OPTION_SHB_USERAPPL = 4,
	PCAPNG_OPTION_ISB_IFRECV = 4,
	PCAPNG_OPTION_ISB_IFDROP = 5,
	PCAPNG_OPTION_ISB_FILTERACCEPT = 6,
	PCAPNG_OPTION_ISB_USRDELIV = 8,
	PCAPNG_OPTION_IF_TSRESOL = 9,
};

#define PCAPNG_BYTE_ORDER 0x1a2b3c4du
#define PCAPNG_LINKTYPE_ETHERNET 1u
// Records of Endace's format, which say that InfiniBand packets are in them: Wireshark 4 reads no
// link type of InfiniBand alone (247).
#define PCAPNG_LINKTYPE_ERF 197u
#define PCAPNG_ERF_BYTES 16u
#define PCAPNG_ERF_INFINIBAND 21u
#define PCAPNG_TSRESOL_NS 9

// What Wireshark and libpcap accept as an Ethernet packet's captured length.
#define CAPTURE_PACKET_MAX 262144u

// As the port sees it. The values are epb_flags' (draft-ietf-opsawg-pcapng, 4.3.1).
enum capture_direction {
	CAPTURE_DIRECTION_NONE = 0, // not in the file
	CAPTURE_DIRECTION_IN = 1,
	CAPTURE_DIRECTION_OUT = 2,
};

struct capture_record {
	ps_t stamp; // fabric time, written rounded down to the ns
	enum capture_direction direction;
	uint32_t data_len;
	uint32_t orig_len; // bytes on the wire without FCS, or with VCRC; at least data_len
	const void *data;
	bool infiniband;     // the interface is of PCAPNG_LINKTYPE_ERF
	const char *comment; // UTF-8, or NULL
};

// Blocks one after the other. Zeroed is empty; bytes are for free().
struct pcapng {
	uint8_t *bytes;
	size_t count;
	size_t room;
};

// What an interface counted while it was captured.
struct pcapng_statistics {
	ps_t from, to;
	uint64_t seen;       // packets of the directions that are captured
	uint64_t lost;       // of them not looked at, for lack of room
	uint64_t accepted;   // by the filter
	uint64_t delivered;  // that are in the file
	const char *comment; // UTF-8, or NULL
};

void pcapng_add_section(struct pcapng *p);

// link: PCAPNG_LINKTYPE_. name: 1 to 255 bytes. snaplen: 0: none.
void pcapng_add_interface(struct pcapng *p, uint32_t link, const char *name, uint32_t snaplen);

// interface: in the order in which they were added. r->data_len bytes are written. Returns 0, or
// -EINVAL or -EMSGSIZE as capture_writer_packet(), and then nothing is added.
int pcapng_add_packet(struct pcapng *p, uint32_t interface, const struct capture_record *r);

void pcapng_add_statistics(struct pcapng *p, uint32_t interface, const struct pcapng_statistics *s);
