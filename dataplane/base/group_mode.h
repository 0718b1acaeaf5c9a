// SPDX-License-Identifier: BSD-3-Clause
// The routing modes of a switch: the only list of them and of their names.
#pragma once

// How a switch chooses among next hops, with the word for it in files and output. ROW(ID, word).
// Modes from ADAPTIVE on choose for every packet or flowlet. With PINNED, packets without a pin go
// as with ECMP.
#define GROUP_MODES(ROW)          \
	ROW(ECMP, "ecmp")         \
	ROW(ECMP_QP, "ecmp-qp")   \
	ROW(PINNED, "pinned")     \
	ROW(ADAPTIVE, "adaptive") \
	ROW(SPRAY, "spray")       \
	ROW(RANDOM, "random")     \
	ROW(FLOWLET, "flowlet")

#define GROUP_MODE_ID(id, word) GROUP_##id,
enum group_mode { GROUP_MODES(GROUP_MODE_ID) };
#undef GROUP_MODE_ID
