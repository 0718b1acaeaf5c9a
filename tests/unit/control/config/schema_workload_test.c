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
		       "  - {kind: all-reduced, size: 1MB}\n"
		       "  - {from: h1}\n"
		       "  - flow\n"
		       "  - {kind: permutation, size: 1B, priority: 8, sise: 1B, hosts: []}\n",
		"f.yaml:3:5: workload[0]: needs \"to\": the receiving host, or its NIC\n"
		"f.yaml:3:34: workload[0].size: 4 has no unit: write it with B, KB, MB, GB, KiB, "
		"MiB or GiB\n"
		"f.yaml:4:29: workload[1]: \"from\" is one host here\n"
		"f.yaml:4:52: workload[1].rate: is not a key of kind: flow\n"
		"f.yaml:5:39: workload[2].from: h2 is named twice\n"
		"f.yaml:5:50: workload[2].size: 0B is out of range: 1B to 1024GiB\n"
		"f.yaml:6:34: workload[3].from: needs at least 1 name\n"
		"f.yaml:7:5: workload[4]: needs \"rate\": bits per second\n"
		"f.yaml:8:12: workload[5].kind: \"all-to-al\" is not one of flow, flows, stream, "
		"incast, permutation, shift, poisson, all-reduce, all-gather, reduce-scatter, "
		"all-to-all, broadcast, step, trace, model; did you mean \"all-to-all\"?\n"
		"f.yaml:9:12: workload[6].kind: \"all-reduced\" is not one of flow, flows, stream, "
		"incast, permutation, shift, poisson, all-reduce, all-gather, reduce-scatter, "
		"all-to-all, broadcast, step, trace, model; did you mean \"all-reduce\"?\n"
		"f.yaml:10:5: workload[7]: needs \"kind\": one of "
		"flow, flows, stream, incast, permutation, shift, poisson, all-reduce, all-gather, "
		"reduce-scatter, all-to-all, broadcast, step, trace, model\n"
		"f.yaml:11:5: workload[8]: expected a map of keys and values, found one value\n"
		"f.yaml:12:45: workload[9].priority: 8 is out of range: 0 to 7\n"
		"f.yaml:12:48: workload[9].sise: unknown key; did you mean \"size\"?\n"
		"f.yaml:12:65: workload[9].hosts: needs at least 1 name\n");
	expect_messages(FABRIC "workload: {kind: flow}\n",
			"f.yaml:2:11: workload: expected a list of maps, each begun by \"- \"\n");
}

static void
collectives(void **state)
{
	(void)state;
	expect_messages(
		FABRIC "workload:\n"
		       "  - {kind: all-reduce, size: 1MB, algorithm: shift}\n"
		       "  - {kind: all-to-all, size: 1MB, algorithm: ring}\n"
		       "  - {kind: reduce-scatter, size: 1MB, algorithm: tree}\n"
		       "  - {kind: all-reduce, size: 1MB, chunk: 3B}\n"
		       "  - {kind: all-gather, size: 1MB, chunk: 3B}\n"
		       "  - {kind: step}\n"
		       "  - {kind: step, operations: [], size: 1MB}\n"
		       "  - {kind: step, operations: {kind: all-gather, size: 1B}}\n"
		       "  - kind: step\n"
		       "    operations:\n"
		       "      - {kind: flow}\n"
		       "      - {size: 3B}\n"
		       "      - {kind: all-gather}\n"
		       "      - {kind: all-gather, size: 1MB, hosts: [h1, h2]}\n"
		       "      - {kind: all-gather, size: 1MB, algorithm: halving-doubling}\n"
		       "      - {kind: all-reduce, size: 1MB, algorithm: tree, channels: 2}\n"
		       "      - {kind: all-to-all, size: 1MB, channels: 2}\n"
		       "      - {kind: all-gather, size: 1MB, channels: 65}\n",
		"f.yaml:3:46: workload[0]: all-reduce is done as ring, tree or halving-doubling\n"
		"f.yaml:4:46: workload[1]: all-to-all is done as direct or shift\n"
		"f.yaml:5:50: workload[2]: reduce-scatter is done as ring\n"
		"f.yaml:6:35: workload[3]: \"chunk\" is of algorithm: tree\n"
		"f.yaml:7:35: workload[4].chunk: is not a key of kind: all-gather\n"
		"f.yaml:8:5: workload[5]: needs \"operations\": computing, collectives and "
		"messages; each waits for the one before it, unless after says otherwise\n"
		"f.yaml:9:30: workload[6]: \"operations\" is empty\n"
		"f.yaml:9:34: workload[6].size: is not a key of kind: step\n"
		"f.yaml:10:30: workload[7].operations: expected a list of maps, each begun by \"- "
		"\"\n"
		"f.yaml:13:16: workload[8].operations[0].kind: \"flow\" is not one of compute, "
		"all-reduce, all-gather, reduce-scatter, all-to-all, broadcast, send, dispatch, "
		"combine\n"
		"f.yaml:14:9: workload[8].operations[1]: needs \"kind\": one of "
		"compute, all-reduce, all-gather, reduce-scatter, all-to-all, broadcast, send, "
		"dispatch, combine\n"
		"f.yaml:15:9: workload[8].operations[2]: needs \"size\": bytes to send\n"
		"f.yaml:16:39: workload[8].operations[3].hosts: unknown key\n"
		"f.yaml:17:50: workload[8].operations[4]: all-gather is done as ring\n"
		"f.yaml:18:56: workload[8].operations[5]: \"channels\" is of algorithm: ring\n"
		"f.yaml:19:39: workload[8].operations[6].channels: is not a key of kind: "
		"all-to-all\n"
		"f.yaml:20:49: workload[8].operations[7].channels: 65 is out of range: 1 to 64, "
		"or "
		"auto\n");
}

static void
operations(void **state)
{
	(void)state;
	expect_messages(
		FABRIC "workload:\n"
		       "  - kind: step\n"
		       "    operations:\n"
		       "      - {kind: send, size: 1B, by: 0}\n"
		       "      - {kind: compute, time: 1us, on: {pp: 3-2}}\n"
		       "      - {kind: all-to-all, size: 1B, shares: [0, 0]}\n"
		       "      - {kind: dispatch, tokens: 1, token: 1B, experts: 2, top-k: 3}\n"
		       "      - {kind: combine, tokens: 1000000000, token: 1GB, experts: 8, "
		       "top-k: 8}\n",
		"f.yaml:5:36: workload[0].operations[0]: a rank cannot send to itself: by is not "
		"0\n"
		"f.yaml:6:45: workload[0].operations[1].on: 3-2: needs a position in the group, "
		"from 0, or a range such as 1-3\n"
		"f.yaml:7:46: workload[0].operations[2].shares: needs a share above 0\n"
		"f.yaml:8:9: workload[0].operations[3]: a token goes to 3 experts, but there are "
		"2\n"
		"f.yaml:9:9: workload[0].operations[4]: 1000000000 tokens of 1000000000 bytes to "
		"8 experts each are more than 1099511627776 bytes, the most that a rank sends\n");
}

static void
poisson(void **state)
{
	(void)state;
	expect_messages(
		FABRIC
		"workload:\n"
		"  - {kind: poisson, load: 0%, sizes: rpc, until: 200us, at: 300us}\n"
		"  - {kind: poisson, load: 10%, sizes: rpc, until: 1ms, priority: 3, mix: {3: 90%, "
		"0: 1.5%}}\n"
		"  - {kind: flows, file: x, mix: {9: 90%, 03: 5%, 0: 5}}\n"
		"  - {kind: shift, size: 1B, by: 0, mix: {0: 100%}}\n"
		"  - {kind: poisson, load: 110%}\n"
		"  - {kind: stream, from: h1, to: h2, rate: 1G, at: 5us, until: 5us}\n",
		"f.yaml:3:27: workload[0]: a load of nothing sends nothing\n"
		"f.yaml:3:50: workload[0]: \"until\" is no later than \"at\"\n"
		"f.yaml:4:69: workload[1]: priority and mix exclude each other: the other is at "
		"line 4\n"
		"f.yaml:4:74: workload[1].mix: the shares are 91.5% together, not 100%\n"
		"f.yaml:5:34: workload[2].mix.9: 9 is out of range: 0 to 7\n"
		"f.yaml:5:42: workload[2].mix.03: write \"03\" as 3\n"
		"f.yaml:5:53: workload[2].mix.0: 5 has no unit: write it with %\n"
		"f.yaml:6:33: workload[3].by: 0 is out of range: 1 to 65535\n"
		"f.yaml:6:36: workload[3].mix: is not a key of kind: shift\n"
		"f.yaml:7:5: workload[4]: needs \"until\": when it ends\n"
		"f.yaml:7:5: workload[4]: needs \"sizes\": a file of the distribution, or "
		"web-search, storage, hadoop, rpc\n"
		"f.yaml:7:27: workload[4].load: 110% is out of range: 0% to 100%\n"
		"f.yaml:8:64: workload[5]: \"until\" is no later than \"at\"\n");
}

static void
models(void **state)
{
	(void)state;
	expect_messages(
		FABRIC
		"workload:\n"
		"  - {kind: model}\n"
		"  - {kind: model, batch: {sequence: 8}, transformer: {layers: 4}, gpu: {}}\n"
		"  - kind: model\n"
		"    transformer: {layers: 2, hidden: 10, heads: 4, kv-heads: 3, ffn: 1}\n"
		"    batch: {sequence: 1, micro-batches: 1}\n"
		"    parallel: {pp: 3, ep: 2}\n"
		"    gpu: {tflops: 1, efficiency: 0%}\n"
		"    simulate: {share: 0%}\n"
		"  - kind: model\n"
		"    transformer: {layers: 2, hidden: 8, heads: 4, kv-heads: 2, ffn: 1, latent: "
		"{key-value: 2},\n"
		"      experts: {count: 3, top-k: 4, ffn: 1}}\n"
		"    batch: {sequence: 1, micro-batches: 1}\n"
		"    parallel: {tp: 2, ep: 2, sequence: off}\n"
		"    gpu: {tflops: 1}\n"
		"    operations: []\n",
		"f.yaml:3:5: workload[0]: needs \"transformer\": sizes of the model\n"
		"f.yaml:3:5: workload[0]: needs \"batch\": what each pipeline computes in a step\n"
		"f.yaml:3:5: workload[0]: needs \"gpu\": how fast a rank computes\n"
		"f.yaml:4:26: workload[1].batch: needs \"micro-batches\": micro-batches of each "
		"pipeline in a step\n"
		"f.yaml:4:54: workload[1].transformer: needs \"hidden\": width of a token between "
		"layers\n"
		"f.yaml:4:54: workload[1].transformer: needs \"heads\": number of attention heads\n"
		"f.yaml:4:54: workload[1].transformer: needs \"ffn\": inner width of the "
		"feed-forward network\n"
		"f.yaml:4:72: workload[1].gpu: needs \"tflops\": peak rate in 10^12 floating-point "
		"operations a second\n"
		"f.yaml:6:49: workload[2]: 4 heads do not divide 10: write the width of a head as "
		"head:\n"
		"f.yaml:6:62: workload[2]: 4 heads do not share 3 heads of keys and values "
		"equally\n"
		"f.yaml:8:20: workload[2]: 2 layers are too few for 3 stages\n"
		"f.yaml:8:27: workload[2]: the model has no experts\n"
		"f.yaml:9:34: workload[2]: needs an efficiency above 0\n"
		"f.yaml:10:23: workload[2]: needs a share above 0\n"
		"f.yaml:12:61: workload[3]: latent attention has no kv-heads\n"
		"f.yaml:13:16: workload[3]: a token goes to 4 experts, but there are 3\n"
		"f.yaml:15:27: workload[3]: 3 experts cannot be shared equally by 2 ranks\n"
		"f.yaml:15:40: workload[3]: experts need sequence: on, so that each rank has its "
		"own tokens\n"
		"f.yaml:17:5: workload[3].operations: is not a key of kind: model\n"
		"f.yaml:17:17: workload[3]: \"operations\" is empty\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mistakes),   cmocka_unit_test(collectives),
		cmocka_unit_test(operations), cmocka_unit_test(poisson),
		cmocka_unit_test(models),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
