// SPDX-License-Identifier: BSD-3-Clause
// Devices that need no privilege; AF_XDP is tested with the veth pairs it sits on (veth_test.c).
#include "dataplane/device/device.h"

#include "dataplane/device/burst.h"
#include "dataplane/device/eal.h"
#include "dataplane/device/pool.h"
#include "dataplane/device/quirks.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define PACKETS 4096
#define ROOM 2048

static struct rte_mempool *pool;
static char directory[] = "/tmp/roost-device-test-XXXXXX";

static int
try_open(struct device **device, const char *spec, unsigned mtu, char err[256])
{
	struct device_options options = {
		.spec = spec, .pool = pool, .mtu = (uint16_t)mtu, .netns_fd = -1};

	err[0] = '\0';
	return device_open(device, &options, err, 256);
}

static struct rte_mbuf *
make_packet(uint8_t fill, uint16_t bytes)
{
	struct rte_mbuf *m;

	assert_int_equal(rte_mempool_get(pool, (void **)&m), 0);
	packet_init_frame(m, RTE_PKTMBUF_HEADROOM, bytes);
	memset(packet_data(m), fill, bytes);
	device_tx_prepare(m);
	return m;
}

// Writes a pcap of the given frame sizes, every byte of frame i being i. Little endian,
// microseconds, Ethernet.
static void
write_pcap(char path[128], const char *name, const uint32_t *sizes, unsigned count)
{
	const uint32_t header[] = {0xa1b2c3d4, 0x00040002, 0, 0, 65535, 1};
	FILE *file;

	snprintf(path, 128, "%s/%s", directory, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fwrite(header, sizeof(header), 1, file);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t record[] = {0, i, sizes[i], sizes[i]};

		fwrite(record, sizeof(record), 1, file);
		for (uint32_t j = 0; j < sizes[i]; j++)
			fputc((int)i, file);
	}
	assert_int_equal(fclose(file), 0);
}

static void
sends_and_receives_through_a_ring(void **state)
{
	struct rte_mbuf *out[3] = {make_packet(1, 60), make_packet(2, 1518), make_packet(3, ROOM)};
	struct rte_mbuf *in[8];
	struct device_stats stats;
	struct device *device;
	char err[256];

	(void)state;
	assert_int_equal(try_open(&device, "net_ring0", 1500, err), 0);
	assert_int_equal(device->frame_max, ROOM);
	assert_int_equal(device_tx_burst(device, out, 3), 3);
	assert_int_equal(device_rx_burst(device, in, 8), 3);
	assert_int_equal(packet_meta(in[0])->data_len, 60);
	assert_int_equal(packet_meta(in[1])->wire_bytes, 1518);
	assert_int_equal(packet_meta(in[2])->data_len, ROOM);
	assert_int_equal(packet_data(in[2])[ROOM - 1], 3);
	for (int i = 0; i < 3; i++)
		rte_pktmbuf_free(in[i]);
	assert_int_equal(device_stats(device, &stats), 0);
	assert_int_equal(stats.rx_packets, 3);
	assert_int_equal(stats.tx_packets, 3);
	device_close(device);
	assert_int_equal(rte_mempool_avail_count(pool), PACKETS);
}

// A ring of 1024 takes 1023; what it does not take stays the sender's.
static void
leaves_unsent_packets_with_the_sender(void **state)
{
	struct rte_mbuf *m[32];
	struct device *device;
	unsigned sent = 0, unsent = 0;
	char err[256];

	(void)state;
	assert_int_equal(try_open(&device, "net_ring1", 1500, err), 0);
	for (int i = 0; i < 40; i++) {
		uint16_t taken;

		for (int j = 0; j < 32; j++)
			m[j] = make_packet(0, 64);
		taken = device_tx_burst(device, m, 32);
		sent += taken;
		unsent += 32 - taken;
		for (int j = taken; j < 32; j++)
			rte_pktmbuf_free(m[j]);
	}
	assert_int_equal(sent, 1023);
	assert_int_equal(unsent, 40 * 32 - 1023);
	for (uint16_t got; (got = device_rx_burst(device, m, 32)) > 0;) {
		for (int j = 0; j < got; j++)
			rte_pktmbuf_free(m[j]);
	}
	device_close(device);
	assert_int_equal(rte_mempool_avail_count(pool), PACKETS);
}

static void
reads_a_pcap_and_drops_chained_frames(void **state)
{
	const uint32_t sizes[] = {60, 1000, 5000, 61};
	char path[128], spec[256], err[256];
	struct device_stats stats;
	struct rte_mbuf *in[8];
	struct device *device;

	(void)state;
	write_pcap(path, "in.pcap", sizes, 4);
	snprintf(spec, sizeof(spec), "net_pcap0,rx_pcap=%s,tx_pcap=/dev/null", path);
	assert_int_equal(try_open(&device, spec, 1500, err), 0);
	assert_int_equal(device_rx_burst(device, in, 8), 3);
	assert_int_equal(packet_meta(in[1])->data_len, 1000);
	assert_int_equal(packet_data(in[1])[999], 1);
	assert_int_equal(packet_meta(in[2])->data_len, 61);
	assert_int_equal(packet_data(in[2])[60], 3);
	assert_int_equal(device_stats(device, &stats), 0);
	assert_int_equal(stats.rx_chained, 1);
	for (int i = 0; i < 3; i++)
		rte_pktmbuf_free(in[i]);
	device_close(device);
	assert_int_equal(rte_mempool_avail_count(pool), PACKETS);
}

// While all packets of the pool are held, a received frame is lost, and counted.
static void
counts_frames_that_find_no_packet(void **state)
{
	const uint32_t sizes[] = {60, 61, 62};
	static struct rte_mbuf *held[PACKETS];
	char path[128], spec[256], err[256];
	struct device_stats stats;
	struct rte_mbuf *in[8];
	struct device *device;

	(void)state;
	write_pcap(path, "in.pcap", sizes, 3);
	snprintf(spec, sizeof(spec), "net_pcap2,rx_pcap=%s,tx_pcap=/dev/null", path);
	assert_int_equal(try_open(&device, spec, 1500, err), 0);
	for (unsigned i = 0; i < PACKETS; i++)
		held[i] = make_packet(0, 60);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(device_rx_burst(device, in, 8), 0);
	for (unsigned i = 0; i < PACKETS; i++)
		rte_pktmbuf_free(held[i]);
	assert_int_equal(device_rx_burst(device, in, 8), 1);
	assert_int_equal(packet_meta(in[0])->data_len, 62);
	assert_int_equal(device_stats(device, &stats), 0);
	assert_int_equal(stats.rx_no_mbuf, 2);
	rte_pktmbuf_free(in[0]);
	device_close(device);
	assert_int_equal(rte_mempool_avail_count(pool), PACKETS);
}

static void
counts_by_name(const char *name, uint64_t value, void *arg)
{
	if (strcmp(name, "tx_good_packets") == 0)
		*(uint64_t *)arg = value;
}

static void
feeds_a_file_for_ever_and_swallows_everything(void **state)
{
	const uint32_t sizes[] = {64, 64};
	struct device *from, *to;
	char path[128], spec[256], err[256];
	struct rte_mbuf *m[64];
	uint64_t sent = 0;

	(void)state;
	write_pcap(path, "loop.pcap", sizes, 2);
	snprintf(spec, sizeof(spec), "net_pcap1,rx_pcap=%s,tx_pcap=/dev/null,infinite_rx=1", path);
	assert_int_equal(try_open(&from, spec, 1500, err), 0);
	assert_int_equal(try_open(&to, "net_null0,no-rx=1", 1500, err), 0);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(device_rx_burst(from, m, 64), 64);
		assert_int_equal(packet_data(m[63])[0], 1);
		assert_int_equal(device_tx_burst(to, m, 64), 64);
	}
	assert_int_equal(device_rx_burst(to, m, 64), 0);
	assert_int_equal(device_counters(to, counts_by_name, &sent), 0);
	assert_int_equal(sent, 64000);
	device_close(to);
	device_close(from);
}

// The reason is in the message, in one line, ahead of which stands what the user wrote.
static void
names_what_is_wrong(void **state)
{
	static const struct {
		const char *spec;
		int error;
		const char *why;
	} cases[] = {
		{"net_af_xpd0,iface=x", -EINVAL, "did you mean net_af_xdp0?"},
		{"swp7", -EINVAL, "neither a port driver's name"},
		{"", -EINVAL, "neither"},
		{"net_null", -EINVAL, "a number: net_null0"},
		{"net_pcap7,rx_pcap=/nonexistent.pcap", -EIO, "No such file"},
		{"net_pcap7,rx_pcap=/dev/null", -EIO, "Couldn't open /dev/null"},
		{"net_pcap7", -EIO, "No rx or tx queues"},
		{"net_af_packet7", -EINVAL, "add ,iface=NAME"},
		{"net_af_packet7,iface=", -EINVAL, "1 to 15 characters"},
		{"net_af_packet7,iface=no-such-iface", -ENODEV, "no interface no-such-iface"},
		{"net_af_packet7,iface=a-name-too-long-for-linux", -EINVAL, "1 to 15 characters"},
		// The pool of this test is a usual one, not in one piece.
		{"net_af_xdp7,iface=lo", -EINVAL, "one piece of memory"},
		{"net_af_packet7,iface=lo,framesz=4096", -EINVAL,
		 "framesz is larger than a packet"},
		{"net_tap7,iface=lo", -EEXIST, "interface lo already"},
		{"net_null7,no-such-key=1", -EIO, "net_null7"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct device *device;
		char err[256];

		assert_int_equal(try_open(&device, cases[i].spec, 1500, err), cases[i].error);
		if (strstr(err, cases[i].why) == NULL)
			fail_msg("%s: not about \"%s\"", err, cases[i].why);
		assert_memory_equal(err, cases[i].spec, strlen(cases[i].spec));
		assert_null(strchr(err, '\n'));
	}
	assert_int_equal(rte_eth_dev_count_avail(), 0);
}

static void
refuses_a_second_opening_and_a_larger_mtu(void **state)
{
	struct device *device, *second;
	char err[256];

	(void)state;
	assert_int_equal(try_open(&device, "net_null0", 1500, err), 0);
	assert_int_equal(try_open(&second, "net_null0,size=128", 1500, err), -EEXIST);
	assert_non_null(strstr(err, "open already"));
	assert_int_equal(try_open(&second, "net_null1", ROOM - 17, err), -EINVAL);
	assert_non_null(strstr(err, "an MTU of at most 2030 here, not 2031"));
	assert_int_equal(try_open(&second, "net_null1", ROOM - 18, err), 0);
	device_close(second);
	device_close(device);
	device_close(NULL);
	assert_int_equal(rte_eth_dev_count_avail(), 0);
}

static void
knows_what_a_device_needs_of_the_pool(void **state)
{
	bool one_chunk = false;

	(void)state;
	assert_int_equal(device_packets_held("net_null0", &one_chunk), 0);
	assert_int_equal(device_packets_held("no such thing", &one_chunk), 0);
	assert_false(one_chunk);
	assert_int_equal(device_packets_held("net_af_xdp0,iface=x", &one_chunk), 4096);
	assert_true(one_chunk);
}

// Without the device, its interface or a pool.
static void
checks_what_a_pool_would_carry(void **state)
{
	static const struct {
		const char *spec;
		uint16_t mtu;
		unsigned room;
		const char *why; // NULL: it can be opened
	} cases[] = {
		{"net_af_xdp0,iface=none", 1500, ROOM, NULL},
		{"net_af_xdp0,iface=none", 3360, 3648, NULL},
		{"net_af_xdp0,iface=none", 3361, 3649, "an MTU of at most 3360,"},
		{"net_af_xdp0,iface=none", 16000, 16288, "an MTU of at most 3360,"},
		{"net_af_xdp0", 1500, ROOM, "add ,iface=NAME"},
		{"net_ring0", 16000, 16288, NULL},
		{"net_ring0", ROOM - 17, ROOM, "at most 2030 here, not 2031"},
		{"net_memif0,bsize=4096", 1500, ROOM, "bsize is larger than a packet"},
		{"net_af_packet0,iface=none,qpairs=1", 1500, ROOM, NULL},
		{"net_af_packet0,iface=none,qpairs=4", 1500, ROOM, "leave qpairs out"},
		{"net_af_packet0,qpairs=10,iface=none", 1500, ROOM, "leave qpairs out"},
		{"net_foo0", 1500, ROOM, "neither a port driver's name"},
	};

	(void)state;
	assert_int_equal(device_room(3360), 3648);
	assert_int_equal(device_mtu_max("net_af_xdp0,iface=none"), 3360);
	assert_int_equal(device_mtu_max("net_af_packet0,iface=none"), UINT16_MAX);
	assert_int_equal(device_mtu_max("net_foo0"), UINT16_MAX);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct pool_options packets = {.private_bytes = PACKET_META_BYTES,
						     .room = cases[i].room};
		char err[256] = "";
		int rc = device_check(cases[i].spec, cases[i].mtu, &packets, err, sizeof(err));

		assert_int_equal(rc, cases[i].why == NULL ? 0 : -EINVAL);
		if (cases[i].why != NULL && strstr(err, cases[i].why) == NULL)
			fail_msg("%s: not about \"%s\"", err, cases[i].why);
	}
}

static int
start(void **state)
{
	char err[256], prefix[64];
	struct eal_options eal = {
		.prefix = prefix, .hugepages = EAL_HUGEPAGES_OFF, .memory_mb = 64};
	(void)state;
	snprintf(prefix, sizeof(prefix), "roost-device-test-%d", (int)getpid());
	if (mkdtemp(directory) == NULL || eal_start(&eal, err, sizeof(err)) != 0)
		return -1;
	pool = rte_pktmbuf_pool_create("device-test", PACKETS, 256, PACKET_META_BYTES,
				       RTE_PKTMBUF_HEADROOM + ROOM, SOCKET_ID_ANY);
	return pool == NULL ? -1 : 0;
}

static int
stop(void **state)
{
	static const char *const files[] = {"in.pcap", "loop.pcap"};
	char path[128];

	(void)state;
	pool_destroy(pool);
	eal_stop();
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, files[i]);
		unlink(path);
	}
	return rmdir(directory);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sends_and_receives_through_a_ring),
		cmocka_unit_test(leaves_unsent_packets_with_the_sender),
		cmocka_unit_test(reads_a_pcap_and_drops_chained_frames),
		cmocka_unit_test(counts_frames_that_find_no_packet),
		cmocka_unit_test(feeds_a_file_for_ever_and_swallows_everything),
		cmocka_unit_test(names_what_is_wrong),
		cmocka_unit_test(refuses_a_second_opening_and_a_larger_mtu),
		cmocka_unit_test(knows_what_a_device_needs_of_the_pool),
		cmocka_unit_test(checks_what_a_pool_would_carry),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
