// SPDX-License-Identifier: BSD-3-Clause
// A configuration from text for the tests of what is made from it.
#pragma once

#include "control/config/config.h"
#include "control/model/routes/routes.h"
#include "control/model/topology/addresses.h"
#include "control/model/topology/topology.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// The place of the host with this address. Returns 0, -EINVAL or -ENOENT.
static inline int
fixture_find_place(const char *text, struct place *out)
{
	struct addresses_found found;
	int error = addresses_find(text, &found);

	if (error == 0 && found.kind != ADDRESSES_HOST)
		error = -ENOENT;
	if (error == 0)
		*out = found.place;
	return error;
}

struct fixture {
	struct config *config;
	struct topology *topology;
	struct routes *routes;
	struct diag diag;
};

// Loads text and makes its topology and routes; whatever fails leaves its errors in diag and
// returns false. fixture_free() is due either way.
static inline bool
fixture_try(struct fixture *f, const char *text)
{
	*f = (struct fixture){0};
	return config_load_text(&f->config, text, strlen(text), "t.yaml", &f->diag) == 0 &&
	       topology_create(&f->topology, f->config, &f->diag) == 0 &&
	       routes_create(&f->routes, f->topology, NULL, &f->diag) == 0;
}

static inline void
fixture_load(struct fixture *f, const char *text)
{
	bool good = fixture_try(f, text);

	if (!good)
		diag_print(&f->diag, stderr);
	assert_true(good);
}

static inline void
fixture_free(struct fixture *f)
{
	routes_destroy(f->routes);
	topology_destroy(f->topology);
	config_free(f->config);
	diag_free(&f->diag);
	*f = (struct fixture){0};
}

// The diagnostics contain this text in one message.
static inline bool
fixture_says(const struct fixture *f, const char *text)
{
	for (unsigned i = 0; i < f->diag.count; i++)
		if (strstr(f->diag.messages[i].text, text) != NULL)
			return true;
	diag_print(&f->diag, stderr);
	return false;
}

// The text is refused with exactly one error, which contains `message`.
static inline void
fixture_refused(const char *text, const char *message)
{
	struct fixture f;

	assert_false(fixture_try(&f, text));
	if (f.diag.errors != 1)
		diag_print(&f.diag, stderr);
	assert_int_equal(f.diag.errors, 1);
	assert_true(fixture_says(&f, message));
	fixture_free(&f);
}

// The text is good but for its route events, of which exactly one is wrong.
static inline void
fixture_refused_event(const char *text, const char *message)
{
	struct fixture f;

	fixture_load(&f, text);
	assert_int_equal(routes_check_events(f.topology, &f.diag), -EINVAL);
	assert_int_equal(f.diag.errors, 1);
	assert_true(fixture_says(&f, message));
	fixture_free(&f);
}

#define FIXTURE_DEMO                                                                        \
	"fabric:\n"                                                                         \
	"  name: demo\n"                                                                    \
	"  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}\n"         \
	"  links: {host: {rate: 100G, delay: 500ns}, fabric: {rate: 100G, delay: 500ns}}\n" \
	"  mtu: 4200\n"                                                                     \
	"  seed: 1\n"                                                                       \
	"switch:\n"                                                                         \
	"  preset: spectrum-x\n"                                                            \
	"  buffer: {size: 4MB, cell: 192}\n"                                                \
	"  routing: {mode: adaptive}\n"                                                     \
	"tenants:\n"                                                                        \
	"  red: {hosts: [h1, h2, h5, h6], buffer: {guaranteed: 256KB, share: 50%}}\n"       \
	"  blue: {hosts: [h3, h4, h7, h8], buffer: {guaranteed: 256KB, share: 50%}}\n"
