// SPDX-License-Identifier: BSD-3-Clause
// Addresses and names as words of a file.
#include "scalar.h"

#include "control/base/text.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

int
scalar_prefix(const char *text, struct config_prefix *out, char *why)
{
	const char *slash = strchr(text, '/');
	char address[INET6_ADDRSTRLEN] = "", masked[INET6_ADDRSTRLEN] = "";
	uint8_t kept[16];
	int64_t length;
	int family, bits;

	*out = (struct config_prefix){0};
	if (slash == NULL || (size_t)(slash - text) >= sizeof(address))
		return scalar_refuse(
			why, "\"%.50s\" is not a prefix: write ADDRESS/LENGTH, such as 10.1.0.0/16",
			text);
	memcpy(address, text, slash - text);
	family = strchr(address, ':') != NULL ? AF_INET6 : AF_INET;
	bits = family == AF_INET6 ? 128 : 32;
	if (inet_pton(family, address, out->address) != 1)
		return scalar_refuse(why, "\"%.50s\" is not an IPv4 or IPv6 address", address);
	if (!isdigit((unsigned char)slash[1]) ||
	    scalar_integer(slash + 1, 0, bits, &length, why) < 0)
		return scalar_refuse(why, "\"%.50s\" has no prefix length from 0 to %d", text,
				     bits);
	out->version = family == AF_INET6 ? 6 : 4;
	out->length = length;
	memcpy(kept, out->address, sizeof(kept));
	for (int i = 0; i < bits; i++)
		if (i >= length)
			kept[i / 8] &= ~(0x80 >> i % 8);
	if (memcmp(kept, out->address, sizeof(kept)) != 0) {
		inet_ntop(family, kept, masked, sizeof(masked));
		snprintf(why, SCALAR_WHY,
			 "%.50s has bits set past its length; did you mean \"%s/%d\"?", text,
			 masked, (int)length);
		return -EINVAL;
	}
	return 0;
}

static const char loopback[] = "a loopback address";

// What a packet cannot come from, or no router passes on; NULL: neither.
static const char *
unfit_kind(uint8_t version, const uint8_t *a)
{
	static const uint8_t none[16], loopback6[16] = {[15] = 1};
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (memcmp(a, none, version == 6 ? 16 : 4) == 0)
		return "the unspecified address";
	if (version == 6) {
		if (a[0] == 0xff)
			return "a multicast address";
		if (a[0] == 0xfe && (a[1] & 0xc0) == 0x80)
			return "a link-local address";
		if (memcmp(a, mapped, sizeof(mapped)) == 0)
			return "an IPv4-mapped address";
		return memcmp(a, loopback6, sizeof(loopback6)) == 0 ? loopback : NULL;
	}
	if (a[0] == 0)
		return "an address of no network";
	if (a[0] >= 224)
		return a[0] < 240 ? "a multicast address" : "a reserved address";
	if (a[0] == 169 && a[1] == 254)
		return "a link-local address";
	return a[0] == 127 ? loopback : NULL;
}

// what: whose address it is, for messages.
static int
read_address(const char *text, const char *what, uint8_t *version, uint8_t out[static 16],
	     char *why)
{
	memset(out, 0, 16);
	*version = strchr(text, ':') != NULL ? 6 : 4;
	if (strchr(text, '/') != NULL)
		snprintf(why, SCALAR_WHY, "\"%.50s\" is a prefix: a %s has an address, without /",
			 text, what);
	else if (inet_pton(*version == 6 ? AF_INET6 : AF_INET, text, out) != 1)
		snprintf(why, SCALAR_WHY, "\"%.50s\" is not an IPv4 or IPv6 address", text);
	else
		return 0;
	return -EINVAL;
}

int
scalar_host_address(const char *text, uint8_t *version, uint8_t out[static 16], char *why)
{
	int rc = read_address(text, "host", version, out, why);
	const char *kind = rc == 0 ? unfit_kind(*version, out) : NULL;

	if (kind == NULL)
		return rc;
	snprintf(why, SCALAR_WHY, "%.50s is %s: a host cannot have it", text, kind);
	return -EINVAL;
}

int
scalar_machine_address(const char *text, uint8_t *version, uint8_t out[static 16], char *why)
{
	int rc = read_address(text, "machine", version, out, why);
	const char *kind = rc == 0 ? unfit_kind(*version, out) : NULL;

	if (kind == NULL || kind == loopback)
		return rc;
	snprintf(why, SCALAR_WHY, "%.50s is %s: give another address of the machine", text, kind);
	return -EINVAL;
}

int
scalar_mac(const char *text, struct config_mac *out, char *why)
{
	static const uint8_t zero[6];

	*out = (struct config_mac){.set = true};
	if (!text_mac(text, out->bytes))
		return scalar_refuse(
			why, "\"%.40s\" is not a MAC address such as 02:00:00:00:00:01", text);
	if (out->bytes[0] & 1 || memcmp(out->bytes, zero, sizeof(zero)) == 0)
		return scalar_refuse(why, "%s is not a unicast MAC address", text);
	return 0;
}

int
scalar_port_number(const char *text, const char *prefix, unsigned *out)
{
	char why[SCALAR_WHY];
	size_t skip = strlen(prefix);
	int64_t number;

	if (strncmp(text, prefix, skip) != 0 || text[skip] < '1' || text[skip] > '9' ||
	    strlen(text + skip) > 3 || scalar_integer(text + skip, 1, 256, &number, why) < 0)
		return -EINVAL;
	*out = number;
	return 0;
}

int
scalar_name(const char *text, char *why)
{
	size_t length = strlen(text);
	bool wrong = length == 0 || !isalnum((unsigned char)text[0]);

	for (size_t i = 0; i < length && !wrong; i++)
		wrong = !isalnum((unsigned char)text[i]) && text[i] != '-' && text[i] != '_';
	if (wrong)
		return scalar_refuse(
			why,
			"\"%.40s\" is not a name: letters, digits, - and _, a letter or digit "
			"first",
			text);
	if (length > CONFIG_NAME_MAX)
		return scalar_refuse(why, "\"%.40s\" is too long (%d characters at most)", text,
				     CONFIG_NAME_MAX);
	return 0;
}
