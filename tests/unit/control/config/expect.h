// SPDX-License-Identifier: BSD-3-Clause
// What the tests of control/config share: loading a text and comparing every message.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/config/yaml_tree.h"

// The start of a fabric whose hosts are h1..h4, and of one switch with two ports.
#define FABRIC "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}}\n"
#define SINGLE "switch:\n  ports: {swp1: {rate: 100G}, swp2: {rate: 100G}}\n"

// What a text without errors says, whatever its keys.
static inline struct yaml_node *
tree_of(struct arena *arena, const char *text)
{
	struct diag diag = {0};
	struct yaml_node *root;

	if (yaml_tree_parse(&root, arena, text, strlen(text), "f.yaml", &diag) != 0)
		fail_msg("%s: %s", diag.messages[0].text, text);
	return root;
}

// Every message that loading gives, one a line, as diag_print() prints them.
static inline char *
messages_of(const char *text)
{
	struct diag diag = {0};
	struct config *config = NULL;
	char *printed = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&printed, &size);
	int result = config_load_text(&config, text, strlen(text), "f.yaml", &diag);

	assert_non_null(to);
	assert_int_equal(result == 0, diag.errors == 0);
	assert_int_equal(result == 0, config != NULL);
	diag_print(&diag, to);
	fclose(to);
	diag_free(&diag);
	config_free(config);
	return printed;
}

static inline void
expect_messages(const char *text, const char *wanted)
{
	char *got = messages_of(text);

	assert_string_equal(got, wanted);
	free(got);
}

// A text that loads without any message.
static inline struct config *
load_good(const char *text)
{
	struct diag diag = {0};
	struct config *config = NULL;
	int result = config_load_text(&config, text, strlen(text), "f.yaml", &diag);

	diag_print(&diag, stderr);
	assert_int_equal(result, 0);
	assert_int_equal(diag.count, 0);
	diag_free(&diag);
	return config;
}

static inline struct switch_config
switch_of(const char *text, const char *node, enum config_role role)
{
	struct config *config = load_good(text);
	struct switch_config settings;

	assert_int_equal(config_switch(config, node, role, &settings), 0);
	config_free(config);
	return settings;
}
