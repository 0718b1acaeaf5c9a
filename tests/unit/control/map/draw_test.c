// SPDX-License-Identifier: BSD-3-Clause
// Drawings of a description from a process that means harm: its texts stay texts in all formats.
// What is drawn of real fabrics: tests/fabric/test_graph.py.
#include "control/map/map.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A quote, what XML and entities begin with, a line, a backslash, and U+FFFF.
#define HOSTILE "a\"]<b>&amp;#35;\\\n\xef\xbf\xbf"

static json_t *
hostile(void)
{
	json_t *out = json_loads(
		"{\"name\": \"x\", \"nodes\": [{\"name\": \"L\", \"role\": \"leaf\"}, "
		"{\"name\": \"H\", \"role\": \"host\"}], \"links\": [{\"a\": \"H.eth1\", "
		"\"b\": \"L.swp1\", \"rate_bps\": 1000000000, \"state\": \"down\"}], "
		"\"hosts\": [{\"host\": \"H\", \"is\": \"simulated\"}]}",
		0, NULL);
	json_t *nodes = json_object_get(out, "nodes");
	json_t *link = json_array_get(json_object_get(out, "links"), 0);
	json_t *nic = json_array_get(json_object_get(out, "hosts"), 0);

	json_object_set_new(out, "name", json_string(HOSTILE));
	json_object_set_new(json_array_get(nodes, 0), "name", json_string(HOSTILE));
	json_object_set_new(link, "b", json_string(HOSTILE ".swp1"));
	json_object_set_new(link, "link", json_string(HOSTILE));
	json_object_set_new(nic, "tenant", json_string(HOSTILE));
	json_object_set_new(nic, "address", json_string(HOSTILE));
	json_object_set_new(nic, "is", json_string(HOSTILE));
	json_object_set_new(out, "tenants", json_pack("[s]", HOSTILE));
	return out;
}

// The drawing of a description, which it frees, for free().
static char *
draw(json_t *description, enum map_format format, int expect)
{
	struct diag diag = {0};
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	assert_int_equal(map_draw(description, format, to, &diag), expect);
	fclose(to);
	diag_free(&diag);
	json_decref(description);
	return text;
}

static unsigned
occurrences(const char *text, const char *part)
{
	unsigned count = 0;

	for (; (text = strstr(text, part)) != NULL; text += strlen(part))
		count++;
	return count;
}

static void
test_svg(void **state)
{
	char *text = draw(hostile(), MAP_SVG, 1);

	(void)state;
	// The title twice, the switch twice, the address, the tenant, what it is, the link, and the
	// legend. The tenant beside its host is cut.
	assert_int_equal(occurrences(text, "a&quot;]&lt;b&gt;&amp;amp;#35;\\ ?"), 9);
	assert_int_equal(occurrences(text, "<b>"), 0);
	assert_int_equal(occurrences(text, "\xef\xbf\xbf"), 0);
	assert_int_equal(occurrences(text, "class=\"line down\""), 2); // and the legend's
	free(text);
}

static void
test_dot(void **state)
{
	char *text = draw(hostile(), MAP_DOT, 1);

	(void)state;
	assert_non_null(
		strstr(text, "    n0 [label=\"a\\\"]<b>&amp;amp;#35;\\\\ \xef\xbf\xbf\", style="));
	assert_non_null(strstr(
		text, "    n1 [label=\"H\\na\\\"]<b>&amp;amp;#35;\\\\ \xef\xbf\xbf\", color="));
	assert_non_null(
		strstr(text, "  n0 -- n1 [label=\"down\", style=dashed, color=\"#c9450a\"];\n"));
	free(text);
}

static void
test_mermaid(void **state)
{
	char *text = draw(hostile(), MAP_MERMAID, 1);

	(void)state;
	assert_non_null(
		strstr(text, "    n0[\"a#34;#93;#60;b#62;#38;amp#59;#35;35#59;#92; #65535;\"]\n"));
	assert_non_null(strstr(
		text, "    n1[\"H<br/>a#34;#93;#60;b#62;#38;amp#59;#35;35#59;#92; #65535;\"]\n"));
	assert_non_null(strstr(text, "    n0 -.-|\"down\"| n1\n"));
	free(text);
}

// What lacks everything, or is of other types, draws something or is refused.
static void
test_nonsense(void **state)
{
	static const char *const refused[] = {"{}", "[]", "{\"nodes\": 7}", "{\"nodes\": []}"};
	static const char *const drawn[] = {
		"{\"nodes\": [{}]}",
		"{\"nodes\": [7, null, {\"name\": 3, \"role\": [], \"plane\": -9}], \"links\": "
		"[4]}",
		"{\"nodes\": [{\"name\": \"h\", \"role\": \"host\"}], \"links\": [{\"a\": \"h\", "
		"\"b\": \"h\"}, {\"a\": \"x.\", \"b\": \".\"}], \"tenants\": [null], \"hosts\": "
		"{}}",
		"{\"nodes\": [{\"name\": \"s\", \"role\": \"super-spine\"}, {\"name\": \"s\"}]}",
		"{\"nodes\": [{\"name\": \"a\"}, {\"name\": \"b\"}], \"links\": [{\"a\": \"a.1\", "
		"\"b\": \"a.2\", \"rate_bps\": -1, \"delay_ps\": -1}]}",
	};

	(void)state;
	for (enum map_format format = MAP_SVG; format <= MAP_MERMAID; format++) {
		for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
			free(draw(json_loads(refused[i], 0, NULL), format, -EINVAL));
		for (size_t i = 0; i < sizeof(drawn) / sizeof(drawn[0]); i++)
			free(draw(json_loads(drawn[i], 0, NULL), format,
				  i == 1 || i == 2 || i == 4));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_svg),
		cmocka_unit_test(test_dot),
		cmocka_unit_test(test_mermaid),
		cmocka_unit_test(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
