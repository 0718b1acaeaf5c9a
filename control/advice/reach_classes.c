// SPDX-License-Identifier: BSD-3-Clause
// Classes of destinations: a hash over the groups that all switches send them to. What a switch
// does with addresses changes only where one of its prefixes begins or ends. So it is not asked for
// every destination: it goes over the sorted list of them from change to change, and notes by how
// much the hash differs from there on. The work grows with the routes of all switches and with the
// destinations, not with their product.
#include "advice_internal.h"

#include "control/base/memory.h"
#include "dataplane/base/lpm.h"
#include "dataplane/base/random.h"

#include <stdlib.h>

// Destinations of one version of IP.
struct sorted {
	const struct reach *r;
	struct place {
		lpm_address address;
		struct reach_destination *destination;
		uint64_t change; // of the hash, from the destination before to this one
	} * places;
	uint32_t count;
};

static int
compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

// Whether a group sends nothing to other switches.
static bool
stays(const struct reach *r, uint32_t node, uint32_t number)
{
	const struct tables *t = r->tables[node];
	const struct next_hop_group *group = &t->groups[number];

	for (uint32_t i = 0; i < group->count; i++) {
		uint16_t port = t->next_hops[group->first + i].port;

		if (r->end[reach_link(r, node, port)] != TOPOLOGY_NONE)
			return false;
	}
	return true;
}

// The first place behind `from` whose address is above `last`.
static uint32_t
place_above(const struct sorted *s, uint32_t from, lpm_address last)
{
	uint32_t low = from + 1, step = 1;

	while (low + step < s->count && s->places[low + step].address <= last) {
		low += step;
		step *= 2;
	}
	for (uint32_t high = low + step < s->count ? low + step : s->count; low < high;) {
		uint32_t middle = low + (high - low) / 2;

		if (s->places[middle].address <= last)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// Adds what one VRF of a switch does. `seed`: of the VRF.
static void
add_vrf(struct sorted *s, uint32_t node, const struct lpm *lpm, uint64_t seed)
{
	uint64_t before = 0;
	lpm_address last;

	for (uint32_t i = 0; i < s->count; i = place_above(s, i, last)) {
		uint32_t number = lpm_lookup_to(lpm, s->places[i].address, &last);
		uint64_t now = 0;

		if (number != LPM_NONE && !stays(s->r, node, number))
			now = random_mix(seed + number);
		s->places[i].change += now - before;
		before = now;
	}
}

static void
classify(struct sorted *s, bool ip6)
{
	uint64_t sum = 1;

	qsort(s->places, s->count, sizeof(*s->places), compare_places);
	for (uint32_t n = 0; n < s->r->topology->first_host; n++)
		for (uint16_t vrf = 0; vrf < s->r->tables[n]->vrf_count; vrf++) {
			const struct vrf *v = &s->r->tables[n]->vrfs[vrf];

			add_vrf(s, n, ip6 ? v->ip6 : v->ip4,
				random_mix((uint64_t)n << 16 | vrf) & ~(uint64_t)UINT32_MAX);
		}
	for (uint32_t i = 0; i < s->count; i++) {
		sum += s->places[i].change;
		s->places[i].destination->class = sum | 1; // never 0
	}
}

// A LID is not looked up: each switch has an entry for it.
static void
classify_lid(const struct reach *r, struct reach_destination *d)
{
	uint64_t sum = 1;

	for (uint32_t n = 0; n < r->topology->first_host; n++) {
		uint32_t number = reach_look_up(r->tables[n], 0, d);

		if (number != LPM_NONE && !stays(r, n, number))
			sum += random_mix(random_mix((uint64_t)n << 16) + number);
	}
	d->class = sum | 1; // never 0
}

void
reach_classify(const struct reach *r, struct reach_destination *destinations, uint32_t count)
{
	struct sorted s = {.r = r};

	if (topology_is_infiniband(r->topology)) {
		for (uint32_t i = 0; i < count; i++)
			classify_lid(r, &destinations[i]);
		return;
	}
	s.places = memory_array(count, sizeof(*s.places), "destinations");
	for (int ip6 = 0; ip6 < 2; ip6++) {
		s.count = 0;
		for (uint32_t i = 0; i < count; i++)
			if (destinations[i].ip6 == (ip6 == 1))
				s.places[s.count++] = (struct place){
					lpm_address_of(destinations[i].address, ip6 ? 16 : 4),
					&destinations[i], 0};
		classify(&s, ip6);
	}
	free(s.places);
}
