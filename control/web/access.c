// SPDX-License-Identifier: BSD-3-Clause
#include "access.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

static int
draw(char text[static ACCESS_TOKEN_TEXT])
{
	uint8_t bytes[ACCESS_TOKEN_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return errno != 0 ? -errno : -EIO;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

int
access_init(struct access *a, const struct listen_address *listen, bool allow_changes)
{
	int rc;

	*a = (struct access){.listen = *listen, .allow_changes = allow_changes};
	if (gethostname(a->host_name, sizeof(a->host_name) - 1) != 0)
		a->host_name[0] = '\0';
	snprintf(a->cookie, sizeof(a->cookie), "roost-%u", listen->port);
	rc = draw(a->token);
	return rc != 0 ? rc : draw(a->session);
}

// Takes the same time for every text of a length, so that nobody can feel his way to the secret.
static bool
same_secret(const char *secret, const char *text, size_t length)
{
	unsigned char differs = 0;

	if (length != strlen(secret))
		return false;
	for (size_t i = 0; i < length; i++)
		differs |= (unsigned char)secret[i] ^ (unsigned char)text[i];
	return differs == 0;
}

// An address cannot be made to point elsewhere, and these two names are nobody else's.
static bool
known_host(const struct access *a, const char *text)
{
	unsigned char address[sizeof(struct in6_addr)];
	char host[LISTEN_TEXT_MAX];
	uint16_t port;

	if (!listen_split(text, 80, host, &port) || port != a->listen.port)
		return false;
	return inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1 ||
	       strcasecmp(host, "localhost") == 0 ||
	       (!a->listen.loopback && a->host_name[0] != '\0' &&
		strcasecmp(host, a->host_name) == 0);
}

// "http://" and the host that the request came to.
static bool
own_origin(const struct access_request *r)
{
	static const char scheme[] = "http://";

	return strncmp(r->origin, scheme, sizeof(scheme) - 1) == 0 &&
	       strcasecmp(r->origin + sizeof(scheme) - 1, r->host) == 0;
}

bool
access_is_foreign(const struct access_request *r)
{
	return r->fetch_site != NULL && strcmp(r->fetch_site, "same-origin") != 0 &&
	       strcmp(r->fetch_site, "none") != 0;
}

const char *
access_refuse(const struct access *a, const struct access_request *r)
{
	bool navigates = r->fetch_mode != NULL && strcmp(r->fetch_mode, "navigate") == 0;

	if (r->host == NULL || !known_host(a, r->host))
		return "use the address that roost web printed; other host names are refused";
	if (r->origin != NULL && !own_origin(r))
		return "requests from other sites are refused";
	if (access_is_foreign(r) && !navigates)
		return "requests from other sites are refused";
	return NULL;
}

// Whether the header has the cookie with its value.
static bool
has_session(const struct access *a, const char *header)
{
	size_t name = strlen(a->cookie);

	while (header != NULL && *header != '\0') {
		size_t length;

		header += strspn(header, "; ");
		length = strcspn(header, ";");
		if (length > name && strncmp(header, a->cookie, name) == 0 && header[name] == '=' &&
		    same_secret(a->session, header + name + 1, length - name - 1))
			return true;
		header += length;
	}
	return false;
}

static bool
has_token(const struct access *a, const char *authorization)
{
	static const char scheme[] = "Bearer ";

	return authorization != NULL &&
	       strncasecmp(authorization, scheme, sizeof(scheme) - 1) == 0 &&
	       same_secret(a->token, authorization + sizeof(scheme) - 1,
			   strlen(authorization + sizeof(scheme) - 1));
}

bool
access_has_query_token(const struct access *a, const struct access_request *r)
{
	return r->query_token != NULL &&
	       same_secret(a->token, r->query_token, strlen(r->query_token));
}

enum access_right
access_right(const struct access *a, const struct access_request *r)
{
	if (has_token(a, r->authorization))
		return a->allow_changes ? ACCESS_WRITE : ACCESS_READ;
	if (a->listen.loopback || has_session(a, r->cookie) || access_has_query_token(a, r))
		return ACCESS_READ;
	return ACCESS_NONE;
}

const char *
access_refuse_body(const struct access_request *r)
{
	static const char json[] = "application/json";
	const char *type = r->content_type;

	if (type == NULL || strncasecmp(type, json, sizeof(json) - 1) != 0 ||
	    strchr("; ", type[sizeof(json) - 1]) == NULL)
		return "the Content-Type must be application/json";
	return NULL;
}
