// SPDX-License-Identifier: BSD-3-Clause
// The port driver of DPDK loads the program and attaches it (`xdp_prog=`), opens the AF_XDP socket
// and writes it into xsks_map. The driver does not report what it loaded, so this file asks the
// kernel for the program on the interface, its name and its maps, by their ids. Any other program
// is refused, because it might send frames anywhere.
//
// The driver's attachment stays on the interface when the process is killed. Without a reader, the
// interface would be dead for Linux too. So the program is attached a second time, by a link, which
// the kernel removes with its last descriptor; that needs Linux 5.9. Between the two attachments
// frames go to Linux, as before. A program of ours without a link is therefore one whose process
// was killed at that moment; the next start removes it.
#include "steering.h"

#include "dataplane/base/punt.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <errno.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

_Static_assert(STEER_BFD_ADDRESS_LAST == PUNT_BFD_ADDRESS_LAST, "the pipeline knows its frames");

struct steering {
	struct steering_program program;
	int link_fd;
	int counters_fd;
	int local_fd[2]; // version 4, version 6
	int settings_fd, held_fd;
	uint8_t turn; // of steering_set_local(): what it wrote last
	unsigned cpus;
	struct steer_count *each; // by CPU
};

static const char *const class_names[STEER_CLASSES] = {
	[STEER_OTHER] = "other",       [STEER_PAUSE] = "pause",
	[STEER_VXLAN] = "vxlan",       [STEER_UNREAD] = "unread",
	[STEER_ARP] = "arp",           [STEER_ND] = "nd",
	[STEER_LLDP] = "lldp",         [STEER_BGP] = "bgp",
	[STEER_BFD] = "bfd",           [STEER_LINK_LOCAL] = "link-local",
	[STEER_LOCAL] = "local",       [STEER_BFD_OFFLOAD] = "bfd-offload",
	[STEER_BGP_HELD] = "bgp-held",
};

const char *steering_class_name(enum steer_class class)
{
	return class_names[class];
}

const char *steering_class_reader(enum steer_class class)
{
	return class >= STEER_ARP ? "kernel" : class >= STEER_UNREAD ? "nobody" : "dataplane";
}

int
steering_open_object(char path[static STEERING_PATH_MAX])
{
	const struct embedded_file *object = &embedded_steer[0];
	int fd = memfd_create(STEER_PROGRAM, MFD_CLOEXEC);
	ssize_t written;

	if (fd < 0)
		return -errno;
	written = write(fd, object->text, object->length);
	if (written != (ssize_t)object->length) {
		int error = written < 0 ? -errno : -EIO;

		close(fd);
		return error;
	}
	snprintf(path, STEERING_PATH_MAX, "/proc/self/fd/%d", fd);
	return fd;
}

// ---- ours ------------------------------------------------------------------------------------

static int
open_maps(struct steering *s)
{
	const struct steering_program *program = &s->program;

	s->counters_fd = bpf_map_get_fd_by_id(steering_find_map(program, STEER_COUNTERS)->id);
	s->local_fd[0] = bpf_map_get_fd_by_id(steering_find_map(program, STEER_LOCAL4)->id);
	s->local_fd[1] = bpf_map_get_fd_by_id(steering_find_map(program, STEER_LOCAL6)->id);
	s->settings_fd = bpf_map_get_fd_by_id(steering_find_map(program, STEER_SETTINGS)->id);
	s->held_fd = bpf_map_get_fd_by_id(steering_find_map(program, STEER_HELD)->id);
	if (s->counters_fd < 0 || s->local_fd[0] < 0 || s->local_fd[1] < 0 || s->settings_fd < 0 ||
	    s->held_fd < 0)
		return -errno;
	return 0;
}

// From the driver's way of attaching to a link.
static int
hold(struct steering *s, int index, int program_fd)
{
	LIBBPF_OPTS(bpf_link_create_opts, options,
		    .flags = s->program.generic ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE);
	int error = bpf_xdp_detach(index, 0, NULL);

	if (error != 0)
		return error;
	s->link_fd = bpf_link_create(program_fd, index, BPF_XDP, &options);
	return s->link_fd < 0 ? s->link_fd : 0;
}

int
steering_take(struct steering **out, int index, char *why, size_t why_bytes)
{
	struct steering *s = calloc(1, sizeof(*s));
	int cpus = libbpf_num_possible_cpus(), program_fd = -1, error;
	char instead[128];

	if (s == NULL || cpus <= 0) {
		free(s);
		snprintf(why, why_bytes, "no memory");
		return -ENOMEM;
	}
	s->link_fd = s->counters_fd = s->local_fd[0] = s->local_fd[1] = s->settings_fd = -1;
	s->held_fd = -1;
	s->cpus = (unsigned)cpus;
	s->each = calloc(s->cpus, sizeof(*s->each));
	error = s->each != NULL ? steering_look(index, &s->program, &program_fd) : -ENOMEM;
	if (error == 0 && !steering_is_ours(&s->program, instead, sizeof(instead))) {
		snprintf(why, why_bytes, "the kernel has %s where %s should be", instead,
			 STEER_PROGRAM);
		error = -ENOENT;
		goto out;
	}
	if (error == 0)
		error = open_maps(s);
	if (error == 0)
		error = hold(s, index, program_fd);
	if (error != 0)
		snprintf(why, why_bytes, "cannot keep the XDP program %s: %s", STEER_PROGRAM,
			 strerror(-error));
out:
	if (program_fd >= 0)
		close(program_fd);
	if (error == 0)
		*out = s;
	else
		steering_release(s);
	return error;
}

void
steering_release(struct steering *s)
{
	if (s == NULL)
		return;
	for (unsigned i = 0; i < 2; i++)
		if (s->local_fd[i] >= 0)
			close(s->local_fd[i]);
	if (s->settings_fd >= 0)
		close(s->settings_fd);
	if (s->held_fd >= 0)
		close(s->held_fd);
	if (s->counters_fd >= 0)
		close(s->counters_fd);
	if (s->link_fd >= 0)
		close(s->link_fd);
	free(s->each);
	free(s);
}

const struct steering_program *
steering_program(const struct steering *s)
{
	return &s->program;
}

// ---- addresses -------------------------------------------------------------------------------

// Forgets what was not written in this turn. The key after one that goes is fetched first.
static int
sweep(int map_fd, uint8_t turn)
{
	uint8_t key[16], next[16], value;
	int error = bpf_map_get_next_key(map_fd, NULL, key);

	while (error == 0) {
		error = bpf_map_get_next_key(map_fd, key, next);
		if (bpf_map_lookup_elem(map_fd, key, &value) == 0 && value != turn)
			(void)bpf_map_delete_elem(map_fd, key);
		memcpy(key, next, sizeof(key));
	}
	return error == -ENOENT ? 0 : error;
}

int
steering_set_local(struct steering *s, const struct steering_address *addresses, size_t count)
{
	int result = 0;

	s->turn++;
	for (size_t i = 0; i < count; i++) {
		int map_fd = s->local_fd[addresses[i].version == 6];
		int error = bpf_map_update_elem(map_fd, addresses[i].bytes, &s->turn, BPF_ANY);

		// Those of before may take the room that there is in all.
		if (error == -E2BIG && sweep(map_fd, s->turn) == 0)
			error = bpf_map_update_elem(map_fd, addresses[i].bytes, &s->turn, BPF_ANY);
		if (error != 0 && result == 0)
			result = error;
	}
	for (unsigned i = 0; i < 2; i++) {
		int error = sweep(s->local_fd[i], s->turn);

		if (result == 0)
			result = error;
	}
	return result;
}

int
steering_offload_bfd(struct steering *s, bool on)
{
	const uint32_t zero = 0, settings = on ? STEER_SETTING_BFD : 0;

	return bpf_map_update_elem(s->settings_fd, &zero, &settings, BPF_ANY);
}

static void
put_address(uint8_t to[static 16], const struct steering_address *address)
{
	const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (address->version == 6) {
		memcpy(to, address->bytes, 16);
		return;
	}
	memcpy(to, mapped, sizeof(mapped));
	memcpy(to + sizeof(mapped), address->bytes, 4);
}

int
steering_hold_bgp(struct steering *s, const struct steering_address *from,
		  const struct steering_address *to, bool on)
{
	const uint8_t value = 1;
	struct steer_endpoints endpoints;
	int error;

	put_address(endpoints.from, from);
	put_address(endpoints.to, to);
	if (on)
		return bpf_map_update_elem(s->held_fd, &endpoints, &value, BPF_ANY);
	error = bpf_map_delete_elem(s->held_fd, &endpoints);
	return error == -ENOENT ? 0 : error;
}

int
steering_read(const struct steering *s, struct steer_count counts[static STEER_CLASSES])
{
	for (uint32_t class = 0; class < STEER_CLASSES; class ++) {
		int error = bpf_map_lookup_elem(s->counters_fd, &class, s->each);

		if (error != 0)
			return error;
		counts[class] = (struct steer_count){0};
		for (unsigned cpu = 0; cpu < s->cpus; cpu++) {
			counts[class].packets += s->each[cpu].packets;
			counts[class].bytes += s->each[cpu].bytes;
		}
	}
	return 0;
}
