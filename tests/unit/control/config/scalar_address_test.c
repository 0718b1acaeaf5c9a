// SPDX-License-Identifier: BSD-3-Clause
#include "control/config/scalar.h"

#include "expect.h"

static void
prefixes(void **state)
{
	struct config_prefix prefix;
	char why[SCALAR_WHY];

	(void)state;
	assert_int_equal(scalar_prefix("198.18.2.0/24", &prefix, why), 0);
	assert_int_equal(prefix.version, 4);
	assert_int_equal(prefix.length, 24);
	assert_memory_equal(prefix.address, ((uint8_t[]){198, 18, 2, 0}), 4);
	assert_int_equal(scalar_prefix("0.0.0.0/0", &prefix, why), 0);
	assert_int_equal(scalar_prefix("10.0.0.1/32", &prefix, why), 0);
	assert_int_equal(scalar_prefix("fd00:1::/32", &prefix, why), 0);
	assert_int_equal(prefix.version, 6);
	assert_int_equal(scalar_prefix("::/0", &prefix, why), 0);
	assert_true(scalar_prefix("198.18.2.1/24", &prefix, why) < 0);
	assert_string_equal(why, "198.18.2.1/24 has bits set past its length; did you mean "
				 "\"198.18.2.0/24\"?");
	assert_true(scalar_prefix("fd00::1/64", &prefix, why) < 0);
	assert_string_equal(why,
			    "fd00::1/64 has bits set past its length; did you mean \"fd00::/64\"?");
	assert_true(scalar_prefix("10.0.0.0", &prefix, why) < 0);
	assert_string_equal(why, "\"10.0.0.0\" is not a prefix: write ADDRESS/LENGTH, such as "
				 "10.1.0.0/16");
	assert_true(scalar_prefix("10.0.0.0/33", &prefix, why) < 0);
	assert_string_equal(why, "\"10.0.0.0/33\" has no prefix length from 0 to 32");
	assert_true(scalar_prefix("10.0.0.0/-1", &prefix, why) < 0);
	assert_true(scalar_prefix("10.0.0.0/", &prefix, why) < 0);
	assert_true(scalar_prefix("10.0.0/8", &prefix, why) < 0);
	assert_string_equal(why, "\"10.0.0\" is not an IPv4 or IPv6 address");
	assert_true(scalar_prefix("/8", &prefix, why) < 0);
}

static void
macs(void **state)
{
	struct config_mac mac;
	char why[SCALAR_WHY];

	(void)state;
	assert_int_equal(scalar_mac("02:00:0a:00:02:fE", &mac, why), 0);
	assert_memory_equal(mac.bytes, ((uint8_t[]){2, 0, 10, 0, 2, 0xfe}), 6);
	assert_true(mac.set);
	assert_true(scalar_mac("01:80:c2:00:00:01", &mac, why) < 0);
	assert_string_equal(why, "01:80:c2:00:00:01 is not a unicast MAC address");
	assert_true(scalar_mac("00:00:00:00:00:00", &mac, why) < 0);
	assert_true(scalar_mac("02-00-00-00-00-01", &mac, why) < 0);
	assert_true(scalar_mac("02:00:00:00:00:0g", &mac, why) < 0);
	assert_true(scalar_mac("02:00:00:00:00:01:", &mac, why) < 0);
	assert_true(scalar_mac("2:0:0:0:0:1", &mac, why) < 0);
	assert_string_equal(why, "\"2:0:0:0:0:1\" is not a MAC address such as 02:00:00:00:00:01");
}

static void
machine_addresses(void **state)
{
	static const struct {
		const char *text, *why;
	} refused[] = {
		{"0.0.0.0",
		 "0.0.0.0 is the unspecified address: give another address of the machine"},
		{"224.0.0.1", "224.0.0.1 is a multicast address"},
		{"fe80::1", "fe80::1 is a link-local address"},
		{"192.0.2.1/24",
		 "\"192.0.2.1/24\" is a prefix: a machine has an address, without /"},
		{"east", "\"east\" is not an IPv4 or IPv6 address"},
	};
	uint8_t version, address[16];
	char why[SCALAR_WHY];

	(void)state;
	assert_int_equal(scalar_machine_address("127.0.0.2", &version, address, why), 0);
	assert_int_equal(version, 4);
	assert_memory_equal(address, ((uint8_t[]){127, 0, 0, 2}), 4);
	assert_int_equal(scalar_machine_address("::1", &version, address, why), 0);
	assert_int_equal(version, 6);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_true(scalar_machine_address(refused[i].text, &version, address, why) < 0);
		assert_non_null(strstr(why, refused[i].why));
	}
}

static void
port_numbers(void **state)
{
	unsigned number = 0;

	(void)state;
	assert_int_equal(scalar_port_number("swp256", "swp", &number), 0);
	assert_int_equal(number, 256);
	assert_true(scalar_port_number("swp257", "swp", &number) < 0);
	assert_true(scalar_port_number("swp0", "swp", &number) < 0);
	assert_true(scalar_port_number("swp01", "swp", &number) < 0);
	assert_true(scalar_port_number("swp", "swp", &number) < 0);
	assert_true(scalar_port_number("swp1x", "swp", &number) < 0);
	assert_true(scalar_port_number("eth1", "swp", &number) < 0);
}

static void
names(void **state)
{
	char why[SCALAR_WHY];

	(void)state;
	assert_int_equal(scalar_name("p1-leaf_1", why), 0);
	assert_true(scalar_name("a.b", why) < 0);
	assert_true(scalar_name("-a", why) < 0);
	assert_true(scalar_name("", why) < 0);
	assert_int_equal(scalar_name("abcdefghijklmnopqrstuvwxyz012345", why), 0);
	assert_true(scalar_name("abcdefghijklmnopqrstuvwxyz0123456", why) < 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prefixes),
		cmocka_unit_test(macs),
		cmocka_unit_test(machine_addresses),
		cmocka_unit_test(port_numbers),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
