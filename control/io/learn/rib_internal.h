// SPDX-License-Identifier: BSD-3-Clause
// Shared by rib.c, rib_facts.c and rib_order.c.
#pragma once

#include "rib.h"

// The fact of this key, even one that is gone, or NULL.
struct rib_fact *rib_find_any(const struct rib *rib, const struct rib_key *key);
// Adds a fact of a new key, which counts as gone until it is filled.
struct rib_fact *rib_add_fact(struct rib *rib, const struct rib_key *key);
// Undoes a fact; it stays in the table.
void rib_retract(struct rib *rib, struct rib_fact *fact);
// Retracts a fact and removes it from the table.
void rib_drop_fact(struct rib *rib, struct rib_fact *fact);

// Finds the prefix of a route, or adds it. Returns 0 or -ENOSPC.
int rib_take_prefix(struct rib *rib, const struct config_prefix *p, struct rib_prefix **out);
// Adds a route to a prefix.
void rib_join_prefix(struct rib *rib, struct rib_route *route, struct rib_prefix *prefix);
// Appends a new prefix behind the sorted ones.
void rib_list_prefix(struct rib *rib, struct rib_prefix *prefix);

// Makes *at, which may be NULL, the one copy of `to`. Returns 0, or -ENOSPC with *at unchanged.
int rib_set_way(struct rib *rib, struct rib_way **at, const struct learn_way *to);
