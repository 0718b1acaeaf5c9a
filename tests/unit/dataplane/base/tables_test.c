// SPDX-License-Identifier: BSD-3-Clause
// Cells by multiplication, and comparing MAC addresses.
#include "dataplane/base/tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

// The cells that switches have, the one of the checks in bytes, and the largest frame as one cell.
static void
test_cells(void **state)
{
	static const uint32_t cells[] = {1, 80, 96, 128, 144, 192, 256, 9216};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		const uint32_t cell = cells[i];
		const struct tables t = {.cell = cell,
					 .cell_magic = ((UINT64_C(1) << 32) + cell - 1) / cell};

		for (uint32_t bytes = 1; bytes <= 16384; bytes++)
			assert_int_equal(tables_cells(&t, bytes), (bytes + cell - 1) / cell);
	}
}

// Equal in all six bytes, at any alignment; any one bit tells two apart.
static void
test_mac_equal(void **state)
{
	const uint8_t mac[6] = {0x02, 0x11, 0x22, 0x33, 0x44, 0x55};
	uint8_t room[16];

	(void)state;
	for (unsigned int at = 0; at < 8; at++) {
		memset(room, 0xff, sizeof(room));
		memcpy(room + at, mac, 6);
		assert_true(mac_equal(room + at, mac));
		for (unsigned int bit = 0; bit < 48; bit++) {
			room[at + bit / 8] ^= (uint8_t)(1 << bit % 8);
			assert_false(mac_equal(room + at, mac));
			room[at + bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
	}
}

static void
test_destroy_nothing(void **state)
{
	(void)state;
	tables_destroy(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_mac_equal),
		cmocka_unit_test(test_destroy_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
