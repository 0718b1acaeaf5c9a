// SPDX-License-Identifier: BSD-3-Clause
// Who may do what. Three dangers, and what stands against each:
//
// - Somebody else on the network: a listener that is not loopback answers nobody without the
//   token, which is printed once, in a URL. The page takes it from its address; a cookie (HttpOnly,
//   SameSite=Strict) that is worth only reading goes with the other requests.
// - A page of another site in the user's browser: it cannot read answers (no CORS), and requests
//   that the browser says come from another site are refused. To change anything a request needs
//   the token itself in a header that no other site can set, and a body of application/json.
// - A name that another site points at this machine (DNS rebinding): the Host header must be an
//   address, localhost, or the machine's own name.
//
// Functions of this file read only what they are given. Any thread.
#pragma once

#include "listen.h"

#define ACCESS_TOKEN_BYTES 16
#define ACCESS_TOKEN_TEXT (2 * ACCESS_TOKEN_BYTES + 1)
#define ACCESS_COOKIE_TEXT 32
#define ACCESS_HOST_TEXT 256

struct access {
	struct listen_address listen;
	char host_name[ACCESS_HOST_TEXT]; // of the machine; empty: none
	char token[ACCESS_TOKEN_TEXT];    // worth all that is allowed
	char session[ACCESS_TOKEN_TEXT];  // the cookie's value, worth reading
	char cookie[ACCESS_COOKIE_TEXT];  // its name: cookies know no ports
	bool allow_changes;
};

// What a request says of itself; NULL: nothing.
struct access_request {
	const char *host;
	const char *origin;
	const char *fetch_site; // Sec-Fetch-Site
	const char *fetch_mode;
	const char *cookie; // the header
	const char *authorization;
	const char *query_token; // ?token=
	const char *content_type;
};

enum access_right {
	ACCESS_NONE,
	ACCESS_READ,
	ACCESS_WRITE,
};

// Draws the token and the cookie's value. listen_open() has set the port. Returns 0 or -errno.
int access_init(struct access *a, const struct listen_address *listen, bool allow_changes);

// Why a request is refused whatever it wants, or NULL.
const char *access_refuse(const struct access *a, const struct access_request *r);
// Whether a page of another site made the browser send it: such a link may show the page, and must
// have no effect.
bool access_is_foreign(const struct access_request *r);
// What else a request may do.
enum access_right access_right(const struct access *a, const struct access_request *r);
// Why a body is not taken, or NULL.
const char *access_refuse_body(const struct access_request *r);
// Whether ?token= is the token.
bool access_has_query_token(const struct access *a, const struct access_request *r);
