// SPDX-License-Identifier: BSD-3-Clause
// What rib.c, rib_facts.c and rib_order.c share; private to the rib.
#pragma once

#include "rib.h"

// The fact of this key, one that is gone too, or NULL.
struct rib_fact *rib_find_any(const struct rib *rib, const struct rib_key *key);
// A fact of a key that there is none of, which counts as gone until it is filled.
struct rib_fact *rib_add_fact(struct rib *rib, const struct rib_key *key);
// Takes back what the fact stood for; it stays in the table.
void rib_retract(struct rib *rib, struct rib_fact *fact);
// Retracts it and takes it out of the table.
void rib_drop_fact(struct rib *rib, struct rib_fact *fact);

// The prefix of a route; made when it is new. Returns 0 or -ENOSPC.
int rib_take_prefix(struct rib *rib, const struct config_prefix *p, struct rib_prefix **out);
// Puts a route that has no prefix first among those of one.
void rib_join_prefix(struct rib *rib, struct rib_route *route, struct rib_prefix *prefix);
// Puts a new prefix behind those that are sorted.
void rib_list_prefix(struct rib *rib, struct rib_prefix *prefix);

// Makes *at, which may be NULL, the one copy of `to`. Returns 0, or -ENOSPC with *at unchanged.
int rib_set_way(struct rib *rib, struct rib_way **at, const struct learn_way *to);
