// SPDX-License-Identifier: BSD-3-Clause
// What `roost show` needs of a live fabric beside its nodes: for one answer, a part of a
// show_state, or the JSON that is a member of it. Memory is the arena's. Control thread.
#pragma once

#include "control/base/arena.h"
#include "control/map/map.h"
#include "control/show/show.h"
#include "live_fabric.h"

// The routes of all switches, learned ones included.
json_t *collect_routes(const struct live_fabric *live);
// What VRFs learn, and from where.
json_t *collect_learned(const struct live_fabric *live);
// The queue pairs of each NIC as they stood between two turns of its worker.
void collect_queue_pairs(struct show_state *s, struct arena *arena, struct live_fabric *live);
// What ports that share an interface with the kernel have counted. Returns 0, or -errno with what
// was read before in s.
int collect_steering(struct show_state *s, const struct live_fabric *live);
// What devices and the kernel have lost, for show_state.device_drops.
json_t *collect_lost_by_devices(const struct live_fabric *live);
// What ports have heard by LLDP, for show_state.lldp.
json_t *collect_lldp(const struct live_fabric *live);
// The sessions of bfdd, for show_state.bfd.
json_t *collect_bfd(const struct live_fabric *live);
// A link as it is now: {"link", "a", "b", "rate_bps", "delay_ps", "state", "changed": what an event
// or a user has changed, as {"state": "down", "loss": "0.1%"}, missing where nothing; "part": the
// other one, of a link that leads there}; all that have an end here; and for show_state.links.
json_t *collect_link(const struct live_fabric *live, uint32_t link);
json_t *collect_links(const struct live_fabric *live);
// The same of a switch's port that has no link: "link" and "a" are the port, and there is neither
// "b" nor "delay_ps".
json_t *collect_port_link(const struct live_fabric *live, uint32_t node, uint16_t port);
json_t *collect_changed_links(const struct live_fabric *live);
// What there is, for the methods "topology" and "where".
struct map_source collect_map_source(const struct live_fabric *live);
// The NICs of hosts, for show_state.hosts.
json_t *collect_hosts(const struct live_fabric *live);
// "namespace lab-h1": a text that says what is behind a device.
json_t *collect_what_is_attached(const struct device_port *d);
// What is behind ports that are devices.
void collect_attached(struct show_state *s, const struct live_fabric *live);
// What the datagrams of all devices that have some have come to since they were opened; NULL where
// no device has.
json_t *collect_carriers(const struct live_fabric *live);
// Adds what devices lose, and their carriers, to the ports of an answer.
void collect_device_drops(const struct live_fabric *live, json_t *answer);

// ---- settings_cache.c: the switches' settings and where their values come from ------------------

struct settings_cache;

// Fills in the settings; makes *cache if it is NULL or settings have changed since. Returns 0, or
// -errno with *cache NULL.
int settings_cache_collect(struct settings_cache **cache, struct show_state *s,
			   const struct live_fabric *live);
// NULL is fine.
void settings_cache_destroy(struct settings_cache *cache);
