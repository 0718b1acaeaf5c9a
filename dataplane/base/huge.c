// SPDX-License-Identifier: BSD-3-Clause
// Memory comes from malloc() piece by piece, while a fabric is built. So what there is then is
// collapsed at once: the system copies each 2 MB of small pages to a huge page (Linux 6.1). Older
// systems do so in the background, for what has been advised.
//
// Each 2 MB on its own: one that cannot be collapsed, or that nobody has touched, does not concern
// the others. What is hardly in use stays in small pages, or the process would grow by the rest.
#include "huge.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#define HUGE_BYTES ((uintptr_t)2 << 20)
#define HUGE_ENABLED "/sys/kernel/mm/transparent_hugepage/enabled"
#define LINE_BYTES 512
#define PAGE_BYTES_MIN 4096

// MADV_COLLAPSE does not ask this.
static bool
is_allowed(void)
{
	FILE *file = fopen(HUGE_ENABLED, "re");
	char line[LINE_BYTES] = "";
	bool allowed;

	if (file == NULL)
		return false;
	allowed = fgets(line, sizeof(line), file) != NULL && strstr(line, "[never]") == NULL;
	fclose(file);
	return allowed;
}

struct range {
	uintptr_t first;
	uintptr_t end;
};

// Reads a line of /proc/self/maps. Returns whether it is of the heap, or of memory that a large
// allocation or an arena has for itself. In `guard` is where the page in front of a stack ends, if
// the line before was of one. What is larger than the machine's memory only reserves addresses,
// such as those of a sanitizer.
static bool
read_range(const char *line, struct range *range, uintptr_t *guard)
{
	const uintptr_t before = *guard, page = (uintptr_t)sysconf(_SC_PAGESIZE);
	char access[5];
	unsigned long inode;
	int name = 0;

	*guard = 0;
	if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %lu %n", &range->first, &range->end,
		   access, &inode, &name) != 4 ||
	    inode != 0 || name == 0)
		return false;
	if (strcmp(access, "---p") == 0 && range->end - range->first == page)
		*guard = range->end;
	if (strcmp(access, "rw-p") != 0 || before == range->first ||
	    (range->end - range->first) / page > (uintptr_t)sysconf(_SC_PHYS_PAGES))
		return false;
	return line[name] == '\0' || line[name] == '\n' || strncmp(&line[name], "[heap]", 6) == 0;
}

// Whether at least half of a piece is in memory.
static bool
is_used(uintptr_t piece)
{
	unsigned char pages[HUGE_BYTES / PAGE_BYTES_MIN];
	const size_t count = HUGE_BYTES / (size_t)sysconf(_SC_PAGESIZE);
	size_t used = 0;

	if (mincore((void *)piece, HUGE_BYTES, pages) != 0)
		return false;
	for (size_t i = 0; i < count; i++)
		used += pages[i] & 1;
	return 2 * used >= count;
}

static void
collapse_range(const struct range *range, const struct range *store, int advice)
{
	uintptr_t piece = (range->first + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;

	for (; piece < range->end && range->end - piece >= HUGE_BYTES; piece += HUGE_BYTES) {
		if (piece < store->end && piece + HUGE_BYTES > store->first)
			piece = (store->end - 1) / HUGE_BYTES * HUGE_BYTES; // its last one
		else if (is_used(piece))
			(void)madvise((void *)piece, HUGE_BYTES, advice);
	}
}

void
huge_collapse(const void *store, size_t bytes)
{
	const struct range store_range = {(uintptr_t)store, (uintptr_t)store + bytes};
	// Nothing at all can be advised only if the advice is known.
	const bool known = madvise(NULL, 0, MADV_COLLAPSE) == 0;
	FILE *maps = is_allowed() ? fopen("/proc/self/maps", "re") : NULL;
	char line[LINE_BYTES];
	struct range range;
	uintptr_t guard = 0;

	while (maps != NULL && fgets(line, sizeof(line), maps) != NULL)
		if (read_range(line, &range, &guard))
			collapse_range(&range, &store_range, known ? MADV_COLLAPSE : MADV_HUGEPAGE);
	if (maps != NULL)
		fclose(maps);
}

// The value of a key in a file of /proc.
static size_t
read_bytes(const char *path, const char *key)
{
	FILE *file = fopen(path, "re");
	char line[LINE_BYTES];
	size_t kb = 0;

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, key, strlen(key)) == 0 &&
		    sscanf(&line[strlen(key)], ": %zu kB", &kb) == 1)
			break;
	if (file != NULL)
		fclose(file);
	return kb << 10;
}

size_t
huge_resident_bytes(void)
{
	return read_bytes("/proc/self/status", "VmRSS") +
	       read_bytes("/proc/self/status", "HugetlbPages");
}

size_t
huge_bytes(void)
{
	return read_bytes("/proc/self/smaps_rollup", "AnonHugePages") +
	       read_bytes("/proc/self/status", "HugetlbPages");
}
