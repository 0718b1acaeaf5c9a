// SPDX-License-Identifier: BSD-3-Clause
// The names in a live fabric, for completion. They are queried when first needed, with a short
// timeout; a fabric that does not answer has none.
#pragma once

#include "command.h"

#include <jansson.h>
#include <stdbool.h>

enum names_kind {
	NAMES_NONE,
	NAMES_SWITCH,
	NAMES_HOST,
	NAMES_PORT, // leaf1.swp3
	NAMES_LINK, // leaf1-spine1
	NAMES_TENANT,
	NAMES_FABRIC,    // those that are up
	NAMES_REVISION,  // of `roost history`
	NAMES_MEMBER,    // hosts of `tenant`
	NAMES_REACHABLE, // hosts that have a namespace
	NAMES_KINDS,
};

struct names {
	const char *fabric;    // NULL: ROOST_FABRIC's, or the only one
	const char *tenant;    // of NAMES_MEMBER
	enum names_kind hosts; // what HOST means: NAMES_HOST, or some of them
	json_t *known[NAMES_KINDS];
	json_t *answers[4]; // of the fabric: itself, its networks, its history, its attached hosts
};

// The names of a kind, in order, as the keys of an object that belongs to `names`. Empty if
// there are none or the fabric does not answer.
json_t *names_get(struct names *names, enum names_kind kind);
void names_free(struct names *names);

// The names that an argument of a kind may be, or NAMES_NONE (kind.c).
enum names_kind cli_kind_names(enum cli_kind kind);
