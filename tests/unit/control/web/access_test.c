// SPDX-License-Identifier: BSD-3-Clause
#include "control/web/access.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct access
access_at(const char *listen, bool allow_changes)
{
	struct listen_address address;
	struct diag diag = {0};
	struct access a;

	assert_int_equal(listen_parse(listen, &address, &diag), 0);
	assert_int_equal(access_init(&a, &address, allow_changes), 0);
	strcpy(a.host_name, "lab7");
	diag_free(&diag);
	return a;
}

static void
secrets_are_random(void **state)
{
	struct access a = access_at("127.0.0.1:8080", true), b = access_at("127.0.0.1:8080", true);

	(void)state;
	assert_int_equal(strlen(a.token), ACCESS_TOKEN_TEXT - 1);
	assert_int_equal(strspn(a.token, "0123456789abcdef"), ACCESS_TOKEN_TEXT - 1);
	assert_string_not_equal(a.token, a.session);
	assert_string_not_equal(a.token, b.token);
	assert_string_not_equal(a.session, b.session);
}

static void
hosts_that_others_can_point_here_are_refused(void **state)
{
	static const struct {
		const char *listen, *host;
		bool fine;
	} cases[] = {
		{"127.0.0.1:8080", "127.0.0.1:8080", true},
		{"127.0.0.1:8080", "localhost:8080", true},
		{"127.0.0.1:8080", "LOCALHOST:8080", true},
		{"127.0.0.1:80", "localhost", true},
		{"[::1]:8080", "[::1]:8080", true},
		{"0.0.0.0:8080", "192.0.2.7:8080", true},
		{"0.0.0.0:8080", "lab7:8080", true},
		{"127.0.0.1:8080", NULL, false},
		{"127.0.0.1:8080", "", false},
		{"127.0.0.1:8080", "lab7:8080", false},
		{"127.0.0.1:8080", "127.0.0.1", false},
		{"127.0.0.1:8080", "127.0.0.1:8081", false},
		{"127.0.0.1:8080", "example.org:8080", false},
		{"127.0.0.1:8080", "127.0.0.1.example.org:8080", false},
		{"127.0.0.1:8080", "localhost.example.org:8080", false},
		{"0.0.0.0:8080", "example.org:8080", false},
		{"0.0.0.0:8080", "lab7.example.org:8080", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct access a = access_at(cases[i].listen, false);
		struct access_request r = {.host = cases[i].host};

		if ((access_refuse(&a, &r) == NULL) != cases[i].fine)
			fail_msg("%s at %s", cases[i].host, cases[i].listen);
	}
}

static void
other_sites_are_refused(void **state)
{
	static const struct {
		const char *origin, *site, *mode;
		bool fine;
	} cases[] = {
		{NULL, NULL, NULL, true}, // not a browser
		{"http://127.0.0.1:8080", "same-origin", "cors", true},
		{NULL, "same-origin", "no-cors", true},
		{NULL, "none", "navigate", true},       // typed
		{NULL, "cross-site", "navigate", true}, // a link on another page
		{NULL, "cross-site", "no-cors", false},
		{NULL, "same-site", "no-cors", false}, // another port
		{NULL, "cross-site", NULL, false},
		{"http://example.org", NULL, NULL, false},
		{"http://127.0.0.1:8081", NULL, NULL, false},
		{"https://127.0.0.1:8080", NULL, NULL, false},
		{"http://127.0.0.1:8080.example.org", NULL, NULL, false},
		{"null", NULL, NULL, false},
		{"", NULL, NULL, false},
		// A form of another site that posts: a navigation with an origin.
		{"http://example.org", "cross-site", "navigate", false},
	};
	struct access a = access_at("127.0.0.1:8080", true);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct access_request r = {.host = "127.0.0.1:8080",
					   .origin = cases[i].origin,
					   .fetch_site = cases[i].site,
					   .fetch_mode = cases[i].mode};

		if ((access_refuse(&a, &r) == NULL) != cases[i].fine)
			fail_msg("case %zu", i);
	}
}

static void
requests_of_other_sites_are_known(void **state)
{
	static const struct {
		const char *site;
		bool foreign;
	} cases[] = {{NULL, false},       {"none", false},      {"same-origin", false},
		     {"same-site", true}, {"cross-site", true}, {"", true}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct access_request r = {.fetch_site = cases[i].site,
						 .fetch_mode = "navigate"};

		if (access_is_foreign(&r) != cases[i].foreign)
			fail_msg("case %zu", i);
	}
}

enum { NO_SECRET, TOKEN, COOKIE, QUERY, WRONG };

static void
rights_follow_from_secrets(void **state)
{
	static const struct {
		const char *listen;
		bool allow_changes;
		int secret;
		enum access_right right;
	} cases[] = {
		{"127.0.0.1:8080", false, NO_SECRET, ACCESS_READ},
		{"127.0.0.1:8080", false, TOKEN, ACCESS_READ},
		{"127.0.0.1:8080", true, NO_SECRET, ACCESS_READ},
		{"127.0.0.1:8080", true, WRONG, ACCESS_READ},
		{"127.0.0.1:8080", true, COOKIE, ACCESS_READ},
		{"127.0.0.1:8080", true, QUERY, ACCESS_READ},
		{"127.0.0.1:8080", true, TOKEN, ACCESS_WRITE},
		{"0.0.0.0:8080", true, NO_SECRET, ACCESS_NONE},
		{"0.0.0.0:8080", true, WRONG, ACCESS_NONE},
		{"0.0.0.0:8080", true, COOKIE, ACCESS_READ},
		{"0.0.0.0:8080", true, QUERY, ACCESS_READ},
		{"0.0.0.0:8080", true, TOKEN, ACCESS_WRITE},
		{"0.0.0.0:8080", false, TOKEN, ACCESS_READ},
		{"[2001:db8::1]:8080", false, NO_SECRET, ACCESS_NONE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct access a = access_at(cases[i].listen, cases[i].allow_changes);
		char bearer[64], cookie[128];
		struct access_request r = {0};

		snprintf(bearer, sizeof(bearer), "Bearer %s",
			 cases[i].secret == TOKEN ? a.token : a.session);
		snprintf(cookie, sizeof(cookie), "a=b; %s=%s; c=d", a.cookie,
			 cases[i].secret == COOKIE ? a.session : a.token);
		if (cases[i].secret == TOKEN || cases[i].secret == WRONG)
			r.authorization = bearer;
		if (cases[i].secret == COOKIE || cases[i].secret == WRONG)
			r.cookie = cookie;
		if (cases[i].secret == QUERY || cases[i].secret == WRONG)
			r.query_token = cases[i].secret == QUERY ? a.token : a.session;
		if (access_right(&a, &r) != cases[i].right)
			fail_msg("case %zu", i);
	}
}

static void
cookies_are_found_by_their_whole_name(void **state)
{
	struct access a = access_at("0.0.0.0:8080", true);
	const struct {
		const char *format;
		bool fine;
	} cases[] = {
		{"roost-8080=%s", true},
		{"a=1;roost-8080=%s", true},
		{"roost-8080=x; roost-8080=%s", true},
		{"roost-80=%s", false},
		{"xroost-8080=%s", false},
		{"roost-8080=%sx", false},
		{"roost-8080", false},
		{"=%s", false},
		{";;; ;", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[128];
		struct access_request r = {.cookie = text};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(text, sizeof(text), cases[i].format, a.session);
#pragma GCC diagnostic pop
		if ((access_right(&a, &r) == ACCESS_READ) != cases[i].fine)
			fail_msg("%s", cases[i].format);
	}
}

static void
bodies_are_json(void **state)
{
	static const struct {
		const char *type;
		bool fine;
	} cases[] = {
		{"application/json", true},
		{"application/json; charset=utf-8", true},
		{"Application/JSON", true},
		{NULL, false},
		{"text/plain", false},
		{"application/jsonp", false},
		{"application/x-www-form-urlencoded", false},
		{"", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct access_request r = {.content_type = cases[i].type};

		if ((access_refuse_body(&r) == NULL) != cases[i].fine)
			fail_msg("case %zu", i);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(secrets_are_random),
		cmocka_unit_test(hosts_that_others_can_point_here_are_refused),
		cmocka_unit_test(other_sites_are_refused),
		cmocka_unit_test(requests_of_other_sites_are_known),
		cmocka_unit_test(rights_follow_from_secrets),
		cmocka_unit_test(cookies_are_found_by_their_whole_name),
		cmocka_unit_test(bodies_are_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
