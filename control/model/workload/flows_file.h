// SPDX-License-Identifier: BSD-3-Clause
// Flow files, one flow a line, `#` comments:
// - roost: `src dst tenant priority bytes start_ns`. src and dst are hosts' names; tenant and
//   priority may be `-`: whichever the host has.
// - hpcc, of the HPCC simulator (github.com/alibaba-edu/High-Precision-Congestion-Control): a line
//   with the number of flows, then `src dst pg dport bytes start_s`. Hosts are numbers, pg is the
//   priority, dport means nothing to RoCE and is passed over.
// - conweave, of the ConWeave simulator (github.com/conweave-project/conweave-ns3): the same
//   `src dst pg bytes start_s`, sorted by start. Times there begin at 2 s, which are taken off.
#pragma once

#include "control/config/config.h"

#define FLOWS_FILE_SIZE_MAX UINT64_C(1000000000000000) // bytes of one flow

struct flows_line {
	struct config_name src, dst; // roost: names; else numbers below 2^32
	struct config_name tenant;   // text NULL: `-`
	int8_t priority;             // -1: `-`
	uint64_t bytes;
	uint64_t start_ps;
};

struct flows_file {
	char *text; // what the names point into
	struct flows_line *lines;
	uint32_t count;
};

// Reads the lines from memory; names are not looked up. name: the file's, in messages.
// Returns 0, or -EINVAL with the errors ("NAME:line:column: ...") in diag; *out is to be freed by
// flows_file_free() only after 0.
int flows_file_parse(struct flows_file *out, enum config_file_format format, const char *text,
		     size_t length, const char *name, struct diag *diag);
void flows_file_free(struct flows_file *file);
