// SPDX-License-Identifier: BSD-3-Clause
// Frames of any bytes: the kernel runs the XDP program on them, and what it takes each for is what
// a second reading of the same rules says, written for bytes and lengths instead of the verifier.
// The frame goes on as it came, and is counted once. Frames are cut anywhere, options and tags
// included.
#include "loaded.h"

#define FRAMES 20000
#define FRAME_MIN 14 // below it the kernel refuses to run a program
#define FRAME_MAX 160

static uint64_t state_of_random = 1;

static const uint8_t local4[4] = {10, 0, 0, 1}, local6[16] = {0xfd, [15] = 1};

// ---- the rules, a second time -------------------------------------------------------------------

static unsigned int
get16(const uint8_t *at)
{
	return (unsigned int)at[0] << 8 | at[1];
}

static enum steer_class
read_payload(unsigned int protocol, const uint8_t *at, int left, bool local)
{
	const enum steer_class otherwise = local ? STEER_LOCAL : STEER_LINK_LOCAL;
	unsigned int source, destination;

	if (left < 4)
		return otherwise;
	source = get16(at);
	destination = get16(at + 2);
	if (protocol == 6)
		return source == 179 || destination == 179 ? STEER_BGP : otherwise;
	if (protocol != 17)
		return otherwise;
	if (destination == 3784 || destination == 3785 || destination == 4784)
		return STEER_BFD;
	return destination == 4789 && local ? STEER_VXLAN : otherwise;
}

static enum steer_class
read_ip4(const uint8_t *at, int left)
{
	const uint8_t *to = at + 16;
	int header;
	bool link, local;

	if (left < 20 || at[0] >> 4 != 4 || (at[0] & 15) < 5)
		return STEER_OTHER;
	header = (at[0] & 15) * 4;
	link = (to[0] == 224 && to[1] == 0 && to[2] == 0) || memcmp(to, "\xff\xff\xff\xff", 4) == 0;
	local = memcmp(to, local4, 4) == 0;
	if (!link && !local)
		return STEER_OTHER;
	if ((get16(at + 6) & 0x3fff) != 0) // a fragment
		return local ? STEER_LOCAL : STEER_LINK_LOCAL;
	return read_payload(at[9], at + header, left - header, local);
}

static enum steer_class
read_ip6(const uint8_t *at, int left)
{
	const uint8_t *to = at + 24;
	bool link, local;

	if (left < 40 || at[0] >> 4 != 6)
		return STEER_OTHER;
	if (at[6] == 58 && left > 40 && at[40] >= 133 && at[40] <= 137)
		return STEER_ND;
	link = (to[0] == 0xfe && (to[1] & 0xc0) == 0x80) || (to[0] == 0xff && to[1] == 2);
	local = memcmp(to, local6, 16) == 0;
	if (!link && !local)
		return STEER_OTHER;
	return read_payload(at[6], at + 40, left - 40, local);
}

static enum steer_class
read_frame(const uint8_t *frame, int length)
{
	unsigned int type = get16(frame + 12);
	int at = 14;

	if (type == 0x8100) {
		if (length < 18)
			return STEER_OTHER;
		type = get16(frame + 16);
		at = 18;
	}
	if (type == 0x8808)
		return STEER_PAUSE;
	if ((memcmp(frame, "\x01\x80\xc2\x00\x00", 5) == 0 && frame[5] < 16) || type == 0x88cc)
		return STEER_LLDP;
	if (type == 0x0806)
		return STEER_ARP;
	if (type == 0x0800)
		return read_ip4(frame + at, length - at);
	return type == 0x86dd ? read_ip6(frame + at, length - at) : STEER_OTHER;
}

// ---- frames -------------------------------------------------------------------------------------

static uint32_t
draw(uint32_t below)
{
	state_of_random = state_of_random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(state_of_random >> 33) % below;
}

static void
draw_ip4(uint8_t *at)
{
	static const uint8_t to[][4] = {
		{10, 0, 0, 1}, {10, 0, 0, 2}, {224, 0, 0, 5}, {224, 0, 1, 0}, {255, 255, 255, 255}};

	if (draw(8) != 0)
		at[0] = (uint8_t)(0x40 | draw(16));
	if (draw(2) != 0)
		at[6] = at[7] = 0;
	memcpy(at + 16, to[draw(5)], 4);
}

static void
draw_ip6(uint8_t *at)
{
	static const uint8_t to[][2] = {
		{0xfe, 0x80}, {0xfe, 0xbf}, {0xfe, 0xc0}, {0xff, 2}, {0xff, 5}};

	if (draw(8) != 0)
		at[0] = 0x60;
	if (draw(2) != 0)
		memcpy(at + 24, local6, 16);
	else
		memcpy(at + 24, to[draw(5)], 2);
	if (draw(2) != 0) {
		at[6] = 58;
		at[40] = (uint8_t)(130 + draw(10));
	}
}

static void
draw_ports(uint8_t *at)
{
	static const uint16_t ports[] = {179, 3784, 3785, 4784, 4789, 4790, 80};

	for (unsigned int i = 0; i < 2; i++) {
		uint16_t port = ports[draw(7)];

		at[2 * i] = (uint8_t)(port >> 8);
		at[2 * i + 1] = (uint8_t)port;
	}
}

// Random bytes, among them what each rule looks for, and its neighbours.
static int
draw_frame(uint8_t *frame)
{
	static const uint16_t types[] = {0x0800, 0x0800, 0x0800, 0x86dd, 0x86dd, 0x86dd,
					 0x8808, 0x88cc, 0x0806, 0x8100, 0x88a8};
	static const uint8_t protocols[] = {6, 17, 17, 58, 1};
	int at = 12;
	uint16_t type = types[draw(11)];

	for (int i = 0; i < FRAME_MAX; i++)
		frame[i] = (uint8_t)draw(256);
	if (draw(4) == 0) {
		memcpy(frame, "\x01\x80\xc2\x00\x00", 5);
		frame[5] = (uint8_t)draw(20);
	}
	for (unsigned int tags = draw(5) == 0 ? 1 + draw(2) : 0; tags > 0; tags--, at += 4)
		memcpy(frame + at, "\x81\x00", 2);
	frame[at] = (uint8_t)(type >> 8);
	frame[at + 1] = (uint8_t)type;
	at += 2;
	if (type == 0x0800) {
		frame[at + 9] = protocols[draw(5)];
		draw_ip4(frame + at);
		draw_ports(frame + at + (draw(2) != 0 ? (frame[at] & 15) * 4 : 20));
	} else if (type == 0x86dd) {
		frame[at + 6] = protocols[draw(5)];
		draw_ports(frame + at + 40);
		draw_ip6(frame + at);
	}
	return draw(2) == 0 ? FRAME_MAX : FRAME_MIN + (int)draw(FRAME_MAX - FRAME_MIN);
}

// ---- running it ---------------------------------------------------------------------------------

static void
hostile_frames(void **state)
{
	struct steer_count before[STEER_CLASSES], after[STEER_CLASSES];
	struct steer_count wanted[STEER_CLASSES] = {{0}};
	uint8_t frame[FRAME_MAX], out[FRAME_MAX];

	(void)state;
	need_program();
	read_counts(before);
	for (unsigned int i = 0; i < FRAMES; i++) {
		int length = draw_frame(frame);
		enum steer_class class = read_frame(frame, length);
		LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = frame,
			    .data_size_in = (uint32_t)length, .data_out = out,
			    .data_size_out = sizeof(out));

		assert_int_equal(bpf_prog_test_run_opts(program, &options), 0);
		if (options.retval != (class < STEER_ARP ? XDP_REDIRECT : XDP_PASS))
			fail_msg("frame %u of %d bytes: verdict %u, but its class is %d", i, length,
				 options.retval, class);
		assert_int_equal(options.data_size_out, length);
		assert_memory_equal(out, frame, length);
		wanted[class].packets++;
		wanted[class].bytes += (uint64_t)length;
	}
	read_counts(after);
	for (unsigned int class = 0; class < STEER_CLASSES; class ++) {
		assert_int_equal(after[class].packets - before[class].packets,
				 wanted[class].packets);
		assert_int_equal(after[class].bytes - before[class].bytes, wanted[class].bytes);
		assert_true(class == STEER_UNREAD || class == STEER_BFD_OFFLOAD ||
			    class == STEER_BGP_HELD || wanted[class].packets > FRAMES / 1000);
	}
}

static int
load(void **state)
{
	(void)state;
	return load_program(local4, local6);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostile_frames),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
