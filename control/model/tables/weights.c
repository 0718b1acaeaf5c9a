// SPDX-License-Identifier: BSD-3-Clause
// Weights of next hops: a group has a slot for every unit of weight, so that what picks a slot at
// random, in turn or by hash follows the weights at no cost.
#include "build_internal.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide_uint;

static void
divide_all(uint64_t *weights, uint32_t count)
{
	uint64_t divisor = 0;

	for (uint32_t i = 0; i < count; i++)
		divisor = tables_common_divisor(weights[i], divisor);
	for (uint32_t i = 0; i < count; i++)
		weights[i] /= divisor;
}

static wide_uint
sum_of(const uint64_t *weights, uint32_t count)
{
	wide_uint sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += weights[i];
	return sum;
}

// The member whose part of the slots is greatest against its weight: it gives one up first.
static uint32_t
most_favoured(const uint64_t *parts, const uint64_t *weights, uint32_t count)
{
	uint32_t most = count;

	for (uint32_t i = 0; i < count; i++)
		if (parts[i] > 1 && (most == count || (wide_uint)parts[i] * weights[most] >
							      (wide_uint)parts[most] * weights[i]))
			most = i;
	return most;
}

bool
tables_fit_weights(uint64_t *weights, uint32_t count)
{
	uint64_t parts[GROUP_MEMBERS_MAX];
	wide_uint sum;
	uint64_t slots = 0;

	divide_all(weights, count);
	sum = sum_of(weights, count);
	if (sum <= GROUP_MEMBERS_MAX)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		parts[i] = (uint64_t)(((wide_uint)weights[i] * GROUP_MEMBERS_MAX + sum / 2) / sum);
		if (parts[i] == 0)
			parts[i] = 1;
		slots += parts[i];
	}
	for (; slots > GROUP_MEMBERS_MAX; slots--)
		parts[most_favoured(parts, weights, count)]--;
	memcpy(weights, parts, count * sizeof(*weights));
	divide_all(weights, count);
	return true;
}

// Which of two copies must come first; of equals that of the greater weight, which has more left.
static bool
is_due_before(uint64_t copy, uint64_t weight, uint64_t other_copy, uint64_t other_weight)
{
	uint64_t due = (copy + 1) * other_weight, other_due = (other_copy + 1) * weight;

	return due != other_due ? due < other_due : weight > other_weight;
}

// Copy k of a member of weight w belongs into the part [k/w, (k + 1)/w) of all slots. Each slot
// goes to the copy that may be there and is due first (worst-case fair weighted fair
// queueing, Bennett and Zhang, INFOCOM 1996: there always is one).
uint32_t
tables_spread_weights(const uint64_t *weights, uint32_t count,
		      uint8_t slots[static GROUP_MEMBERS_MAX])
{
	const uint32_t sum = (uint32_t)sum_of(weights, count);
	uint64_t placed[GROUP_MEMBERS_MAX] = {0};

	for (uint32_t slot = 0; slot < sum; slot++) {
		uint32_t first = count;

		for (uint32_t i = 0; i < count; i++)
			if (placed[i] * sum <= slot * weights[i] &&
			    (first == count ||
			     is_due_before(placed[i], weights[i], placed[first], weights[first])))
				first = i;
		placed[first]++;
		slots[slot] = (uint8_t)first;
	}
	return sum;
}
