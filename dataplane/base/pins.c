// SPDX-License-Identifier: BSD-3-Clause
#include "pins.h"

#include <errno.h>
#include <stdlib.h>

int
pins_create(struct pins **out, uint32_t count)
{
	uint32_t slots = 16;
	struct pins *pins;

	if (count > PINS_MAX)
		return -E2BIG;
	while (slots < 2 * count)
		slots *= 2;
	pins = calloc(1, sizeof(*pins) + slots * sizeof(pins->slots[0]));
	if (pins == NULL)
		return -ENOMEM;
	pins->mask = slots - 1;
	for (uint32_t i = 0; i < slots; i++)
		pins->slots[i].port = PINS_NONE;
	*out = pins;
	return 0;
}

void
pins_destroy(struct pins *pins)
{
	free(pins);
}

bool
pins_add(struct pins *pins, uint8_t version, const uint8_t *source, const uint8_t *destination,
	 uint16_t port)
{
	const size_t bytes = version == 4 ? 4 : 16;
	uint32_t at = pins_hash(version, source, destination) & pins->mask;
	struct pin *pin;

	if (pins_find(pins, version, source, destination) != PINS_NONE)
		return false;
	while (pins->slots[at].port != PINS_NONE)
		at = (at + 1) & pins->mask;
	pin = &pins->slots[at];
	memcpy(pin->source, source, bytes);
	memcpy(pin->destination, destination, bytes);
	pin->version = version;
	pin->port = port;
	pins->count++;
	return true;
}
