// SPDX-License-Identifier: BSD-3-Clause
// The port driver of DPDK loads the program and attaches it (`xdp_prog=`), opens the AF_XDP socket
// and writes it into xsks_map. It tells nobody what it loaded, so this file asks the kernel: the
// program on the interface, its name and its maps, by their ids. What is not ours is refused: frames
// would go who knows where.
//
// What the driver attached stays on an interface when the process is killed, and with no reader left
// the interface would be dead for Linux too. So it is attached once more, by a link, which the kernel
// takes away with the last descriptor of it; that needs Linux 5.9. While the driver's has gone and
// the link is not yet there, frames go to Linux, as they did before. A program of ours without a link
// is therefore one whose process was killed just then: the next start takes it away.
#include "steering.h"

#include "steer_object.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <errno.h>
#include <linux/if_link.h>
#include <linux/in6.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct steering {
	struct steering_program program;
	int link_fd;
	int counters_fd;
	int local_fd[2]; // version 4, version 6
	uint8_t turn;    // of steering_set_local(): what it wrote last
	unsigned cpus;
	struct steer_count *each; // by CPU
};

static const struct steering_map steering_maps[] = {
	{STEER_XSKS, 0, BPF_MAP_TYPE_XSKMAP, 4, 4, STEER_QUEUES},
	{STEER_COUNTERS, 0, BPF_MAP_TYPE_PERCPU_ARRAY, 4, sizeof(struct steer_count),
	 STEER_CLASSES},
	{STEER_LOCAL4, 0, BPF_MAP_TYPE_HASH, 4, 1, STEER_ADDRESSES},
	{STEER_LOCAL6, 0, BPF_MAP_TYPE_HASH, sizeof(struct in6_addr), 1, STEER_ADDRESSES},
};

#define STEERING_MAPS (sizeof(steering_maps) / sizeof(steering_maps[0]))

static const char *const class_names[STEER_CLASSES] = {
	[STEER_DATAPLANE] = "dataplane",
	[STEER_PAUSE] = "pause",
	[STEER_VXLAN] = "vxlan",
	[STEER_UNREAD] = "unread",
	[STEER_ARP] = "arp",
	[STEER_ND] = "nd",
	[STEER_LLDP] = "lldp",
	[STEER_BGP] = "bgp",
	[STEER_BFD] = "bfd",
	[STEER_LINK_LOCAL] = "link-local",
	[STEER_LOCAL] = "local",
};

const char *steering_class_name(enum steer_class class)
{
	return class_names[class];
}

const char *steering_class_reader(enum steer_class class)
{
	return class >= STEER_ARP ? "kernel" : class == STEER_UNREAD ? "nobody" : "dataplane";
}

static const struct steering_map *
find_map(const struct steering_program *program, const char *name)
{
	for (unsigned i = 0; i < program->map_count; i++)
		if (strcmp(program->maps[i].name, name) == 0)
			return &program->maps[i];
	return NULL;
}

bool
steering_is_ours(const struct steering_program *program, char *why, size_t why_bytes)
{
	if (program->id == 0) {
		snprintf(why, why_bytes, "no XDP program");
		return false;
	}
	if (strcmp(program->name, STEER_PROGRAM) != 0) {
		snprintf(why, why_bytes, "XDP program %u, \"%s\"", program->id, program->name);
		return false;
	}
	for (unsigned i = 0; i < STEERING_MAPS; i++) {
		const struct steering_map *wanted = &steering_maps[i];
		const struct steering_map *map = find_map(program, wanted->name);

		if (map != NULL && map->type == wanted->type &&
		    map->key_bytes == wanted->key_bytes &&
		    map->value_bytes == wanted->value_bytes && map->entries == wanted->entries)
			continue;
		snprintf(why, why_bytes, "XDP program %u, a %s of another version (%s)",
			 program->id, program->name, wanted->name);
		return false;
	}
	return true;
}

int
steering_open_object(char path[static STEERING_PATH_MAX])
{
	const struct steer_text *object = &steer_texts[0];
	int fd = memfd_create(STEER_PROGRAM, MFD_CLOEXEC);
	ssize_t written;

	if (fd < 0)
		return -errno;
	written = write(fd, object->text, object->bytes);
	if (written != (ssize_t)object->bytes) {
		int error = written < 0 ? -errno : -EIO;

		close(fd);
		return error;
	}
	snprintf(path, STEERING_PATH_MAX, "/proc/self/fd/%d", fd);
	return fd;
}

// ---- what the kernel has ---------------------------------------------------------------------

static int
read_map(uint32_t id, struct steering_map *map)
{
	struct bpf_map_info info = {0};
	uint32_t bytes = sizeof(info);
	int fd = bpf_map_get_fd_by_id(id);
	int error;

	if (fd < 0)
		return fd;
	error = bpf_obj_get_info_by_fd(fd, &info, &bytes);
	close(fd);
	if (error != 0)
		return error;
	*map = (struct steering_map){
		.id = id,
		.type = info.type,
		.key_bytes = info.key_size,
		.value_bytes = info.value_size,
		.entries = info.max_entries,
	};
	memcpy(map->name, info.name, sizeof(map->name) - 1);
	return 0;
}

// Maps beyond STEERING_MAPS_MAX are left out: such a program is none of ours.
static int
read_program(int fd, struct steering_program *program)
{
	uint32_t maps[STEERING_MAPS_MAX];
	struct bpf_prog_info info = {
		.nr_map_ids = STEERING_MAPS_MAX,
		.map_ids = (uintptr_t)maps,
	};
	uint32_t bytes = sizeof(info);
	int error = bpf_obj_get_info_by_fd(fd, &info, &bytes);

	if (error != 0)
		return error;
	memcpy(program->name, info.name, sizeof(program->name) - 1);
	memcpy(program->tag, info.tag, sizeof(program->tag));
	for (uint32_t i = 0; i < info.nr_map_ids && i < STEERING_MAPS_MAX; i++) {
		error = read_map(maps[i], &program->maps[program->map_count]);
		if (error != 0)
			return error;
		program->map_count++;
	}
	return 0;
}

// The program on an interface; *fd, where it is asked for, is the caller's, -1 where there is none.
static int
look_at(int index, struct steering_program *program, int *fd)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);
	int error = bpf_xdp_query(index, 0, &query);
	int program_fd;

	memset(program, 0, sizeof(*program));
	if (fd != NULL)
		*fd = -1;
	if (error != 0 || query.prog_id == 0)
		return error;
	program->id = query.prog_id;
	program->generic = query.attach_mode == XDP_ATTACHED_SKB;
	program_fd = bpf_prog_get_fd_by_id(program->id);
	if (program_fd < 0)
		return program_fd;
	error = read_program(program_fd, program);
	if (error == 0 && fd != NULL)
		*fd = program_fd;
	else
		close(program_fd);
	return error;
}

int
steering_make_room(int index, char *why, size_t why_bytes)
{
	struct steering_program program;
	int error = look_at(index, &program, NULL);

	if (error != 0) {
		snprintf(why, why_bytes, "cannot look for an XDP program: %s", strerror(-error));
		return error;
	}
	if (program.id == 0)
		return 0;
	if (strcmp(program.name, STEER_PROGRAM) != 0) {
		snprintf(why, why_bytes, "an XDP program is attached, \"%s\" (id %u)", program.name,
			 program.id);
		return -EBUSY;
	}
	error = bpf_xdp_detach(index, 0, NULL);
	if (error == -EBUSY) // it has a link
		snprintf(why, why_bytes, "another roost has it");
	else if (error != 0)
		snprintf(why, why_bytes, "cannot take %s off: %s", program.name, strerror(-error));
	return error;
}

// ---- ours ------------------------------------------------------------------------------------

static int
open_maps(struct steering *s)
{
	const struct steering_program *program = &s->program;

	s->counters_fd = bpf_map_get_fd_by_id(find_map(program, STEER_COUNTERS)->id);
	s->local_fd[0] = bpf_map_get_fd_by_id(find_map(program, STEER_LOCAL4)->id);
	s->local_fd[1] = bpf_map_get_fd_by_id(find_map(program, STEER_LOCAL6)->id);
	if (s->counters_fd < 0 || s->local_fd[0] < 0 || s->local_fd[1] < 0)
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
	s->link_fd = s->counters_fd = s->local_fd[0] = s->local_fd[1] = -1;
	s->cpus = (unsigned)cpus;
	s->each = calloc(s->cpus, sizeof(*s->each));
	error = s->each != NULL ? look_at(index, &s->program, &program_fd) : -ENOMEM;
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

// Forgets what was not written in this turn. The key after one that goes is asked for before.
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
