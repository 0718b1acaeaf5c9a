// SPDX-License-Identifier: BSD-3-Clause
// One function per word of `roost show`, for show_text.c. Each returns 0 or -ENOMEM.
#pragma once

#include "control/base/text_table.h"

#include <jansson.h>
#include <stdio.h>

int show_print_interface(const json_t *answer, FILE *to);
int show_print_counters(const json_t *answer, FILE *to); // interface ... counters qos
int show_print_roce_status(const json_t *answer, FILE *to);
int show_print_roce_counters(const json_t *answer, FILE *to);
int show_print_qos(const json_t *answer, FILE *to);
int show_print_pfc(const json_t *answer, FILE *to);
int show_print_queue(const json_t *answer, FILE *to);
int show_print_pool(const json_t *answer, FILE *to);
int show_print_tenant(const json_t *answer, FILE *to);
int show_print_network(const json_t *answer, FILE *to);
int show_print_watchdog(const json_t *answer, FILE *to);
int show_print_histogram(const json_t *answer, FILE *to);
int show_print_drops(const json_t *answer, FILE *to);
int show_print_config(const json_t *answer, FILE *to);
int show_print_log(const json_t *answer, FILE *to);
int show_print_route(const json_t *answer, FILE *to);
int show_print_neighbour(const json_t *answer, FILE *to);
int show_print_adaptive(const json_t *answer, FILE *to);
int show_print_queue_pairs(const json_t *answer, FILE *to);
int show_print_steering(const json_t *answer, FILE *to);
int show_print_fabric(const json_t *answer, FILE *to);

// Prints the last `most` entries of an answer's log. Returns 0 or -ENOMEM.
int show_print_log_rows(const json_t *answer, size_t most, FILE *to);

// Adds a port's rows to a table. `all`: rows too in which nothing has happened.
typedef void show_port_rows_fn(struct text_table *t, const char *name, const json_t *port,
			       bool all);

// Prints a table of all ports of an answer; `nothing`: what to say when no row came of it.
int show_print_ports(const json_t *answer, const struct text_column *columns, unsigned int count,
		     show_port_rows_fn *add, bool all, const char *nothing, FILE *to);

// Prints something of every node, or every port, of an answer, a blank line between them.
typedef int show_print_fn(const char *name, const json_t *member, FILE *to);
int show_print_each_node(const json_t *answer, show_print_fn *print, FILE *to);
int show_print_each_port(const json_t *answer, show_print_fn *print, FILE *to);

// Adds the rows of what a node has under a key.
typedef void show_member_fn(struct text_table *t, const char *node, const char *name,
			    const json_t *member);

// Prints a table of what every node has under `key`, behind `before`; or `nothing` without rows.
int show_print_members(const json_t *answer, const char *key, const struct text_column *columns,
		       unsigned int count, show_member_fn *add, const char *before,
		       const char *nothing, FILE *to);
