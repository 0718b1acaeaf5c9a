// SPDX-License-Identifier: BSD-3-Clause
#include "expect.h"

static void
mistakes(void **state)
{
	(void)state;
	expect_messages(
		FABRIC "workload:\n"
		       "  - {kind: flow, from: h1, size: 4}\n"
		       "  - {kind: flow, from: [h1, h2], to: h3, size: 4B, rate: 1G, op: read}\n"
		       "  - {kind: incast, to: h1, from: [h2, h2], size: 0B}\n"
		       "  - {kind: incast, to: h1, from: [], size: 1B}\n"
		       "  - {kind: stream, from: h1, to: h2, arrivals: poisson}\n"
		       "  - {kind: all-to-al, size: 1MB}\n"
		       "  - {kind: all-reduce, size: 1MB}\n"
		       "  - {from: h1}\n"
		       "  - flow\n"
		       "  - {kind: permutation, size: 1B, priority: 8, sise: 1B, hosts: [h1]}\n",
		"f.yaml:3:5: workload[0]: needs \"to\": the receiving host\n"
		"f.yaml:3:34: workload[0].size: 4 has no unit: write it with B, KB, MB, GB, KiB, "
		"MiB or GiB\n"
		"f.yaml:4:29: workload[1]: \"from\" is one host here\n"
		"f.yaml:4:52: workload[1].rate: is not a key of kind: flow\n"
		"f.yaml:4:66: workload[1].op: read is known, but not available in this version\n"
		"f.yaml:5:39: workload[2].from: h2 is named twice\n"
		"f.yaml:5:50: workload[2].size: 0B is out of range: 1B to 1024GiB\n"
		"f.yaml:6:34: workload[3].from: needs at least 1 name\n"
		"f.yaml:7:5: workload[4]: needs \"rate\": bits per second\n"
		"f.yaml:8:12: workload[5].kind: \"all-to-al\" is not one of flow, flows, stream, "
		"incast, "
		"permutation, all-to-all; did you mean \"all-to-all\"?\n"
		"f.yaml:9:12: workload[6].kind: all-reduce is known, but not available in this "
		"version\n"
		"f.yaml:10:5: workload[7]: needs \"kind\": flow, flows, stream, incast, "
		"permutation or "
		"all-to-all\n"
		"f.yaml:11:5: workload[8]: expected a map of keys and values, found one value\n"
		"f.yaml:12:45: workload[9].priority: 8 is out of range: 0 to 7\n"
		"f.yaml:12:48: workload[9].sise: unknown key; did you mean \"size\"?\n"
		"f.yaml:12:65: workload[9].hosts: needs at least 2 names\n");
	expect_messages(FABRIC "workload: {kind: flow}\n",
			"f.yaml:2:11: workload: expected a list of maps, each begun by \"- \"\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mistakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
