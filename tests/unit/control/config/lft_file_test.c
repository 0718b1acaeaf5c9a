// SPDX-License-Identifier: BSD-3-Clause
// Texts as OpenSM and ibroute write them, and such as they do not.
#include "control/base/arena.h"
#include "control/config/lft_file.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct parsed {
	struct config_lfts lfts;
	struct arena arena;
	struct diag diag;
};

static int
parse(struct parsed *p, const char *text)
{
	*p = (struct parsed){0};
	return lft_file_parse(&p->lfts, &p->arena, text, strlen(text), "t.dump", &p->diag);
}

static void
drop(struct parsed *p)
{
	arena_free(&p->arena);
	diag_free(&p->diag);
}

static void
check_leaf(const struct config_lfts *lfts)
{
	assert_int_equal(lfts->table_count, 1);
	assert_int_equal(lfts->lid_count, 18);
	assert_string_equal(lfts->tables[0].name, "leaf4");
	assert_int_equal(lfts->tables[0].ports[1], 5);
	assert_int_equal(lfts->tables[0].ports[5], 0);
	assert_int_equal(lfts->tables[0].ports[17], 6);
	assert_int_equal(lfts->tables[0].ports[2], 255);
	assert_string_equal(lfts->owners[1].name, "h1");
	assert_int_equal(lfts->owners[1].port, 2);
	assert_string_equal(lfts->owners[5].name, "leaf4");
	assert_int_equal(lfts->owners[5].port, 0);
	assert_null(lfts->owners[2].name);
}

static void
test_dump_of_opensm(void **state)
{
	struct parsed p;

	(void)state;
	assert_int_equal(
		parse(&p, "Unicast lids [0-17] of switch Lid 5 guid 0x02726f6f00000400 ('leaf4'):\n"
			  "0x0001 005 # Channel Adapter portguid 0x02726f6f00000702: 'h1'\n"
			  "0x0005 000 # Switch portguid 0x02726f6f00000400: 'leaf4'\n"
			  "0x0011 006 # Channel Adapter portguid 0x0002c90300000702: 'h2'\n"
			  "3 lids dumped \n"),
		0);
	check_leaf(&p.lfts);
	assert_int_equal(p.lfts.owners[17].port, 1); // not one of our GUIDs
	drop(&p);
}

static void
test_output_of_ibroute(void **state)
{
	struct parsed p;

	(void)state;
	assert_int_equal(
		parse(&p,
		      "Unicast lids [0x0-0x11] of switch Lid 5 guid 0x02726f6f00000400 (leaf4):\n"
		      "  Lid  Out   Destination\n"
		      "       Port     Info \n"
		      "0x0001 005 : (Channel Adapter portguid 0x02726f6f00000702: 'h1')\n"
		      "0x0002 UNREACHABLE\n"
		      "0x0005 000 : (Switch portguid 0x02726f6f00000400: 'leaf4')\n"
		      "0x0011 006 : (Channel Adapter portguid 0x02726f6f00000801: 'h2')\n"
		      "3 valid lids dumped \n"),
		0);
	check_leaf(&p.lfts);
	drop(&p);
}

static void
test_what_is_refused(void **state)
{
	static const struct {
		const char *text, *error;
	} texts[] = {
		{"", "no forwarding table"},
		{"hello\n", "no forwarding table"},
		{"0x0001 005\n", "entry before the first `Unicast lids` line"},
		{"Unicast lids of switch Lid 5\n0x0001 005\n", "name of its switch"},
		{"Unicast lids ('leaf1'):\n0x0000 005\n", "LID out of range: 0x0001 to 0xbfff"},
		{"Unicast lids ('leaf1'):\n0xc000 005\n", "LID out of range: 0x0001 to 0xbfff"},
		{"Unicast lids ('leaf1'):\n0x0001 256\n", "port out of range: 0 to 255"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct parsed p;

		assert_int_equal(parse(&p, texts[i].text), -EINVAL);
		assert_non_null(strstr(diag_first_error(&p.diag), texts[i].error));
		assert_non_null(strstr(diag_first_error(&p.diag), "t.dump"));
		drop(&p);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dump_of_opensm),
		cmocka_unit_test(test_output_of_ibroute),
		cmocka_unit_test(test_what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
