// SPDX-License-Identifier: BSD-3-Clause
#include "steering_program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <errno.h>
#include <linux/if_link.h>
#include <linux/in6.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct steering_map steering_maps[] = {
	{STEER_XSKS, 0, BPF_MAP_TYPE_XSKMAP, 4, 4, STEER_QUEUES},
	{STEER_COUNTERS, 0, BPF_MAP_TYPE_PERCPU_ARRAY, 4, sizeof(struct steer_count),
	 STEER_CLASSES},
	{STEER_LOCAL4, 0, BPF_MAP_TYPE_HASH, 4, 1, STEER_ADDRESSES},
	{STEER_LOCAL6, 0, BPF_MAP_TYPE_HASH, sizeof(struct in6_addr), 1, STEER_ADDRESSES},
	{STEER_SETTINGS, 0, BPF_MAP_TYPE_ARRAY, 4, 4, 1},
	{STEER_HELD, 0, BPF_MAP_TYPE_HASH, sizeof(struct steer_endpoints), 1, STEER_HELD_MAX},
};

#define STEERING_MAPS (sizeof(steering_maps) / sizeof(steering_maps[0]))

const struct steering_map *
steering_find_map(const struct steering_program *program, const char *name)
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
		const struct steering_map *map = steering_find_map(program, wanted->name);

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

int
steering_look(int index, struct steering_program *program, int *fd)
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
	int error = steering_look(index, &program, NULL);

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
