// SPDX-License-Identifier: BSD-3-Clause
// What a device loses, from what it counts to what `roost show drops` prints. The device is a file
// of frames (net_pcap), and the counters of the worker are set by hand. What the kernel counts is
// tested by tests/live/test_device_drops.py.
#include "control/run/live/device_drops.h"

#include "control/run/live/collect.h"
#include "dataplane/device/burst.h"
#include "dataplane/device/eal.h"
#include "tests/unit/control/show/report_fixture.h"

#include <rte_mbuf.h>

#include <ctype.h>
#include <stdio.h>
#include <unistd.h>

#define PACKETS 512
#define ROOM 2048
#define LONG 3000 // frames of so many bytes do not fit a packet

static struct rte_mempool *pool;
static char directory[] = "/tmp/roost-device-drops-XXXXXX";

struct bench {
	struct device_port port;
	struct topo_port places[FIXTURE_PORTS];
	struct topo_node nodes[1];
	struct topology topology;
	struct live_fabric live;
};

// A device at swp2 of leaf1, for which three long frames between two short ones have arrived.
static void
bench_open(struct bench *b)
{
	const uint32_t header[] = {0xa1b2c3d4, 0x00040002, 0, 0, 65535, 1};
	static const uint32_t sizes[] = {60, LONG, LONG, LONG, 60};
	static const uint8_t bytes[LONG];
	char path[128], spec[256], err[256] = "";
	struct device_options options = {.spec = spec, .pool = pool, .mtu = 1500, .netns_fd = -1};
	FILE *file;

	snprintf(path, sizeof(path), "%s/in.pcap", directory);
	file = fopen(path, "w");
	assert_non_null(file);
	fwrite(header, sizeof(header), 1, file);
	for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const uint32_t record[] = {0, i, sizes[i], sizes[i]};

		fwrite(record, sizeof(record), 1, file);
		fwrite(bytes, sizes[i], 1, file);
	}
	assert_int_equal(fclose(file), 0);
	snprintf(spec, sizeof(spec), "net_pcap0,rx_pcap=%s,tx_pcap=/dev/null", path);
	*b = (struct bench){
		.places = {{.name = "swp1"}, {.name = "swp2"}},
		.nodes = {{.name = "leaf1", .port_count = FIXTURE_PORTS}},
	};
	b->nodes[0].ports = b->places;
	b->topology.nodes = b->nodes;
	b->live.topology = &b->topology;
	b->live.devices = &b->port;
	b->live.device_count = 1;
	b->port.port = 1;
	b->port.host = TOPOLOGY_NONE;
	assert_int_equal(device_open(&b->port.live.device, &options, err, sizeof(err)), 0);
}

static void
bench_close(struct bench *b)
{
	device_close(b->port.live.device);
	free(b->port.drops);
	assert_int_equal(rte_mempool_avail_count(pool), PACKETS);
}

// Receives a burst and gives it back. Returns how many packets it had.
static unsigned int
receive(struct bench *b)
{
	struct rte_mbuf *in[8];
	unsigned int count = device_rx_burst(b->port.live.device, in, 8);

	for (unsigned int i = 0; i < count; i++)
		rte_pktmbuf_free(in[i]);
	return count;
}

// So many times while no packet is free.
static void
receive_without_packets(struct bench *b, unsigned int times)
{
	struct rte_mbuf *held[PACKETS];

	for (unsigned int i = 0; i < PACKETS; i++)
		assert_int_equal(rte_mempool_get(pool, (void **)&held[i]), 0);
	for (unsigned int i = 0; i < times; i++)
		assert_int_equal(receive(b), 0);
	rte_mempool_put_bulk(pool, (void **)held, PACKETS);
}

// The answer to `show drops`, for the caller to free.
static json_t *
show(struct fixture *f, const struct bench *b)
{
	struct show_state s = {.nodes = f->nodes,
			       .node_count = 2,
			       .device_drops = collect_lost_by_devices(&b->live)};
	json_t *params = json_pack("{s:s}", "what", "drops"), *out;
	struct diag diag = {0};

	assert_int_equal(show_answer(&s, params, &out, &diag), 0);
	json_decref(params);
	json_decref(s.device_drops);
	return out;
}

static void
assert_printed(const json_t *answer, const char *expected)
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	assert_non_null(to);
	assert_int_equal(show_print("drops", NULL, answer, to), 0);
	fclose(to);
	assert_string_equal(text, expected);
	free(text);
}

// Each reason is printed with the port of the device and with its advice.
static void
test_show(void **state)
{
	struct fixture *f = *state;
	struct bench b;
	json_t *out;

	bench_open(&b);
	out = show(f, &b);
	assert_printed(out, "no packet has been dropped\n");
	json_decref(out);
	receive_without_packets(&b, 1);
	assert_int_equal(receive(&b), 1);
	b.port.live.oversized = 4;
	b.port.live.unsendable = 1;
	b.port.live.cut_off = 5;
	out = show(f, &b);
	assert_printed(
		out,
		"device-no-packet  1 packet, lost by the device of leaf1.swp2 (1)\n"
		"    devices received faster than their packets came free: lower the load, or add "
		"workers\n"
		"device-chained  3 packets, lost by the device of leaf1.swp2 (3)\n"
		"    received frames larger than a packet: lower the MTU of the sender's "
		"interface\n"
		"device-oversized  4 packets, lost by the device of leaf1.swp2 (4)\n"
		"    packets larger than the device carries: lower the MTU of the port or of the "
		"sender\n"
		"device-unsendable  1 packet, lost by the device of leaf1.swp2 (1)\n"
		"    packets whose payload was never generated, or did not fit: send from a device "
		"instead\n"
		"device-cut-off  5 packets, lost by the device of leaf1.swp2 (5)\n"
		"    packets that waited for a device whose link went down: look at the log\n");
	json_decref(out);
	bench_close(&b);
}

// A device that is opened anew counts from 0; its port goes on where it was.
static void
test_opened_anew(void **state)
{
	struct device_drops lost;
	struct bench b;
	void *kept;

	(void)state;
	bench_open(&b);
	device_drops_start(&b.live, &b.port);
	assert_int_equal(receive(&b), 2);
	device_drops_keep(&b.live, &b.port);
	device_close(b.port.live.device);
	b.port.live.device = NULL;
	device_drops_read(&b.live, &b.port, &lost);
	assert_int_equal(lost.of[DEVICE_DROP_CHAINED], 3);
	kept = b.port.drops;
	bench_open(&b);
	b.port.drops = kept;
	device_drops_start(&b.live, &b.port);
	receive_without_packets(&b, 2); // the first frames, a short and a long one
	assert_int_equal(receive(&b), 1);
	device_drops_read(&b.live, &b.port, &lost);
	assert_int_equal(lost.of[DEVICE_DROP_CHAINED], 3 + 2);
	assert_int_equal(lost.of[DEVICE_DROP_NO_PACKET], 2);
	bench_close(&b);
}

// What the devices of a port have lost stays when a host is detached, and counts on with the next.
static void
test_detached(void **state)
{
	struct fixture *f = *state;
	struct fabric fabric = {0};
	struct bench b;
	json_t *out;

	bench_open(&b);
	fabric.topology = &b.topology;
	b.live.fabric = &fabric;
	b.live.drive.dilation = 1;
	b.live.log = fabric_log_create(stderr, "the log", false);
	for (uint64_t times = 1; times <= 2; times++) {
		device_drops_attach(&b.live, &b.port);
		device_drops_start(&b.live, &b.port);
		b.port.live.cut_off += 5;
		device_drops_keep(&b.live, &b.port);
		device_drops_detach(&b.live, &b.port);
		assert_null(b.port.drops);
		b.port.detached = true;
		b.port.live.cut_off = 0;
		out = show(f, &b);
		assert_integer_at(out, "nodes/leaf1/ports/swp2/drops/device-cut-off", 5 * times);
		json_decref(out);
		b.port.detached = false;
		assert_int_equal(json_array_size(fabric_log_entries(b.live.log)), times);
	}
	device_drops_free(&b.live);
	fabric_log_destroy(b.live.log);
	bench_close(&b);
}

// A user sees the identifier's name, so that counter, code and documents are found by one word.
static void
test_names(void **state)
{
	static const char *const identifiers[DEVICE_DROP_COUNT] = {
#define X(id, name, read, advice) [DEVICE_DROP_##id] = #id,
		DEVICE_DROPS(X)
#undef X
	};

	(void)state;
	for (unsigned int i = 0; i < DEVICE_DROP_COUNT; i++) {
		const char *name = device_drop_name(i) + strlen("device-");

		assert_memory_equal(device_drop_name(i), "device-", strlen("device-"));
		assert_int_equal(strlen(name), strlen(identifiers[i]));
		for (size_t k = 0; name[k] != '\0'; k++)
			assert_int_equal(name[k] == '-' ? '_' : toupper(name[k]),
					 identifiers[i][k]);
		assert_true(strlen(device_drop_advice(i)) > strlen(name));
	}
}

static int
start(void **state)
{
	char err[256], prefix[64];
	struct eal_options eal = {
		.prefix = prefix, .hugepages = EAL_HUGEPAGES_OFF, .memory_mb = 64};

	(void)state;
	snprintf(prefix, sizeof(prefix), "roost-device-drops-%d", (int)getpid());
	if (mkdtemp(directory) == NULL || eal_start(&eal, err, sizeof(err)) != 0)
		return -1;
	pool = rte_pktmbuf_pool_create("device-drops", PACKETS, 0, PACKET_META_BYTES,
				       RTE_PKTMBUF_HEADROOM + ROOM, SOCKET_ID_ANY);
	return pool == NULL ? -1 : 0;
}

static int
stop(void **state)
{
	char path[128];

	(void)state;
	pool_destroy(pool);
	eal_stop();
	snprintf(path, sizeof(path), "%s/in.pcap", directory);
	unlink(path);
	return rmdir(directory);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_show, fixture_setup, fixture_teardown),
		cmocka_unit_test(test_opened_anew),
		cmocka_unit_test_setup_teardown(test_detached, fixture_setup, fixture_teardown),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
