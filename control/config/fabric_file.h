// SPDX-License-Identifier: BSD-3-Clause
// Topology files of the HPCC and other ns-3 RoCE simulators
// (github.com/alibaba-edu/High-Precision-Congestion-Control, simulation/mix), as nodes and links.
#pragma once

#include "decode.h"

#define FABRIC_FILE_BYTES_MAX (UINT32_C(64) << 20)
#define FABRIC_FILE_LINKS_MAX 1000000u

// Fills fabric->nodes and links from a text in the HPCC format:
//     nodes switches links
//     the switches' ids, among 0 .. nodes - 1
//     a b rate delay error          one line a link: 0 256 100Gbps 1000ns 0.000000
// `#` begins a comment. Host 7 is called h7 and switch 7 s7; a switch with hosts is a leaf, another
// next to a leaf a spine, and the rest supers. Switch ports are numbered in the order of the lines,
// those towards hosts first. name: the file's, for messages. Returns 0, or -EINVAL with an error in
// diag for every bad line. Everything is allocated in the arena; what links name lives
// there too. pos: the configuration's key, which all of it is reported at later.
int fabric_file_parse(struct config_fabric *fabric, struct arena *arena, const char *text,
		      size_t length, const char *name, struct diag_pos pos, struct diag *diag);

// The file that `fabric.topology.file` names, the same way; a relative path is relative to
// `beside`.
int fabric_file_load(struct config_fabric *fabric, struct arena *arena, const char *config_file,
		     const char *beside, struct diag *diag);
