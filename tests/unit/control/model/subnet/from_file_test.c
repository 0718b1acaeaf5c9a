// SPDX-License-Identifier: BSD-3-Clause
// Tables of a file become those of the subnet, whatever LIDs the file has; a file of another fabric
// is refused.
#include "control/base/arena.h"
#include "control/base/memory.h"
#include "control/config/lft_file.h"
#include "control/model/subnet/subnet.h"
#include "tests/unit/control/model/topology/fixture.h"

#define FABRIC "fabric:\n  topology: {kind: leaf-spine, leaves: 3, spines: 2, hosts-per-leaf: 2}\n"

// The file's LID for one of ours.
static uint32_t
turned(const struct subnet *s, uint32_t lid)
{
	return s->lid_count - lid;
}

static void
print_owner(FILE *to, const struct topology *t, const struct subnet *s, uint32_t lid)
{
	const struct subnet_owner owner = s->owners[lid];

	if (owner.node < t->first_host)
		fprintf(to, " # Switch portguid 0x02726f6f00000100: '%s'\n",
			t->nodes[owner.node].name);
	else
		fprintf(to, " # Channel Adapter portguid 0x02726f6f000001%02x: '%s'\n",
			t->nodes[owner.node].ports[owner.port].number, t->nodes[owner.node].name);
}

// The text of a subnet's tables, without those from switch `but` on. For free().
static char *
dump(const struct topology *t, const struct subnet *s, uint32_t but)
{
	char *text;
	size_t size;
	FILE *to = memory_stream_open(&text, &size);

	for (uint32_t n = 0; n < but; n++) {
		fprintf(to, "Unicast lids [0-1] of switch Lid 1 guid 0x1 ('%s'):\n",
			t->nodes[n].name);
		for (uint32_t lid = 1; lid < s->lid_count; lid++) {
			fprintf(to, "0x%04x %03u", turned(s, lid), subnet_port(s, n, lid));
			print_owner(to, t, s, lid);
		}
	}
	fclose(to);
	return text;
}

static struct subnet *
make(const struct topology *t, enum config_subnet_engine engine)
{
	struct config config = *t->config;
	struct topology changed = *t;
	struct subnet *s;

	config.subnet.engine = engine;
	changed.config = &config;
	subnet_create(&s, &changed, NULL);
	return s;
}

// Has a subnet take a text; returns its result.
static int
take(const struct topology *t, struct subnet *s, const char *text, struct diag *diag)
{
	struct config config = *t->config;
	struct topology changed = *t;
	struct arena arena = {0};
	int rc;

	config.subnet.lfts = (struct config_lfts){.path.text = "t.dump"};
	changed.config = &config;
	assert_int_equal(
		lft_file_parse(&config.subnet.lfts, &arena, text, strlen(text), "t.dump", diag), 0);
	rc = subnet_take_file(s, &changed, diag);
	arena_free(&arena);
	return rc;
}

static void
tables_are_those_of_the_file(void **state)
{
	struct fixture f;
	struct subnet *from, *to;
	struct subnet_choices *choices;
	uint16_t ports[PORTS_MAX];
	char *text;

	(void)state;
	fixture_load(&f, FABRIC);
	from = make(f.topology, CONFIG_SUBNET_FAT_TREE);
	to = make(f.topology, CONFIG_SUBNET_MIN_HOP);
	assert_memory_not_equal(to->lft, from->lft, (size_t)from->switch_count * from->lid_count);
	text = dump(f.topology, from, from->switch_count);
	assert_int_equal(take(f.topology, to, text, &f.diag), 0);
	assert_memory_equal(to->lft, from->lft, (size_t)from->switch_count * from->lid_count);
	// Nobody knows what else the file's author could have chosen.
	subnet_choices_create(&choices, to, f.topology, NULL);
	for (uint32_t n = 0; n < to->switch_count; n++)
		for (uint32_t lid = 0; lid < to->lid_count; lid++)
			assert_int_equal(subnet_choices_list(choices, n, lid, ports), 0);
	subnet_choices_destroy(choices);
	free(text);
	subnet_destroy(from);
	subnet_destroy(to);
	fixture_free(&f);
}

static void
assert_refused(const struct topology *t, const char *text, const char *why)
{
	struct subnet *s = make(t, CONFIG_SUBNET_MIN_HOP);
	struct diag diag = {0};

	assert_int_equal(take(t, s, text, &diag), -EINVAL);
	if (strstr(diag_first_error(&diag), why) == NULL)
		fail_msg("%s", diag_first_error(&diag));
	diag_free(&diag);
	subnet_destroy(s);
}

static void
assert_refused_with(const struct topology *t, const char *text, const char *more, const char *why)
{
	char *both = memory_format("%s%s", text, more);

	assert_refused(t, both, why);
	free(both);
}

// Switches' LIDs that the file lacks have no port, whatever the engine had; a switch keeps its own.
static void
absent_lids_have_no_port(void **state)
{
	struct fixture f;
	struct subnet *s;
	uint32_t last, lid;
	char *text, *line, *at;

	(void)state;
	fixture_load(&f, FABRIC);
	s = make(f.topology, CONFIG_SUBNET_MIN_HOP);
	last = s->switch_count - 1;
	lid = topology_lid(f.topology, last, 0);
	assert_int_not_equal(subnet_port(s, 0, lid), SUBNET_PORT_NONE);
	text = dump(f.topology, s, s->switch_count);
	line = memory_format("\n0x%04x", turned(s, lid));
	while ((at = strstr(text, line)) != NULL)
		memcpy(at + 1, "--", 2); // a heading
	assert_int_equal(take(f.topology, s, text, &f.diag), 0);
	for (uint32_t n = 0; n < last; n++)
		assert_int_equal(subnet_port(s, n, lid), SUBNET_PORT_NONE);
	assert_int_equal(subnet_port(s, last, lid), SUBNET_PORT_SELF);
	free(line);
	free(text);
	subnet_destroy(s);
	fixture_free(&f);
}

static void
files_of_other_fabrics_are_refused(void **state)
{
	struct fixture f;
	struct subnet *s;
	char *text, *at;

	(void)state;
	fixture_load(&f, FABRIC);
	s = make(f.topology, CONFIG_SUBNET_MIN_HOP);
	text = dump(f.topology, s, s->switch_count - 1);
	assert_refused(f.topology, text, "t.dump has no table for spine2");
	free(text);
	text = dump(f.topology, s, s->switch_count);
	assert_refused_with(f.topology, text, "Unicast lids ('leaf9'):\n0x0001 001\n",
			    "t.dump has a table for leaf9, but the fabric has no such switch");
	assert_refused_with(f.topology, text, "Unicast lids ('leaf1'):\n0x0001 001\n",
			    "t.dump has two tables for leaf1");
	free(text);
	assert_refused(f.topology, "Unicast lids ('leaf1'):\n0x0001 001 # Switch: 'leaf1'\n",
		       "t.dump has no LID for h1.eth1");
	assert_refused(
		f.topology, "Unicast lids ('leaf1'):\n0x0001 001 # Switch: 'leaf9'\n",
		"t.dump has a LID for leaf9, but the fabric has no such switch or host port");
	assert_refused(f.topology, "Unicast lids ('leaf1'):\n0x0001 001 # Switch: 'h1'\n",
		       "t.dump has a LID for h1, but the fabric has no such switch or host port");
	text = dump(f.topology, s, s->switch_count);
	at = strstr(text, "'h1'");
	while (at[-1] != '\n')
		at--;
	memcpy(at + 7, "017", 3);
	assert_refused(f.topology, text,
		       "t.dump routes h1 through port 17 of leaf1, which has no such port");
	free(text);
	subnet_destroy(s);
	fixture_free(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_those_of_the_file),
		cmocka_unit_test(absent_lids_have_no_port),
		cmocka_unit_test(files_of_other_fabrics_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
