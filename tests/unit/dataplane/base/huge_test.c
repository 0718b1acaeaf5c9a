// SPDX-License-Identifier: BSD-3-Clause
// Huge pages are a wish: memory is the same before and after, whether or not there are any. What
// the system has refused to one piece of 2 MB it may give to the next.
#include "dataplane/base/huge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#define PIECE ((size_t)2 << 20)
#define PIECES 8
#define BYTES (PIECES * PIECE)

static void
test_memory_stays(void **state)
{
	uint32_t *memory = malloc(BYTES);
	size_t resident;

	(void)state;
	assert_non_null(memory);
	for (uint32_t i = 0; i < BYTES / sizeof(*memory); i++)
		memory[i] = i;
	huge_collapse(NULL, 0);
	for (uint32_t i = 0; i < BYTES / sizeof(*memory); i++)
		assert_int_equal(memory[i], i);
	resident = huge_resident_bytes();
	assert_true(resident == 0 || resident >= BYTES);
	assert_true(huge_bytes() <= resident);
	free(memory);
}

// Whole pieces that nobody has touched.
static char *
map_pieces(void **memory)
{
	*memory = mmap(NULL, BYTES + PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);
	assert_ptr_not_equal(*memory, MAP_FAILED);
	return (char *)(((uintptr_t)*memory + PIECE - 1) / PIECE * PIECE);
}

static size_t
count_pages(char *piece)
{
	unsigned char pages[PIECE / 4096];
	size_t count = 0;

	assert_int_equal(mincore(piece, PIECE, pages), 0);
	for (size_t i = 0; i < PIECE / (size_t)sysconf(_SC_PAGESIZE); i++)
		count += pages[i] & 1;
	return count;
}

// What is not in use, or hardly, takes no more memory than before.
static void
test_holes(void **state)
{
	const size_t all = PIECE / (size_t)sysconf(_SC_PAGESIZE);
	void *memory;
	char *pieces = map_pieces(&memory);
	size_t huge;

	(void)state;
	huge_collapse(NULL, 0); // all else
	huge = huge_bytes();
	memset(pieces, 1, BYTES);
	assert_int_equal(madvise(pieces + PIECE, PIECE, MADV_DONTNEED), 0); // a hole
	assert_int_equal(madvise(pieces + 2 * PIECE, PIECE, MADV_DONTNEED), 0);
	pieces[2 * PIECE] = 1; // one page of it
	huge_collapse(pieces + 6 * PIECE, 2 * PIECE);
	assert_int_equal(count_pages(pieces), all);
	assert_int_equal(count_pages(pieces + PIECE), 0);
	assert_int_equal(count_pages(pieces + 2 * PIECE), 1);
	// The store gets none. If there are any huge pages, those behind a hole get some too.
	huge = huge_bytes() - huge;
	assert_true(huge <= 4 * PIECE);
	if (huge == PIECE)
		assert_int_not_equal(madvise(pieces + 3 * PIECE, PIECE, MADV_COLLAPSE), 0);
	assert_int_equal(munmap(memory, BYTES + PIECE), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_stays),
		cmocka_unit_test(test_holes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
