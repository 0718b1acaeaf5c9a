// SPDX-License-Identifier: BSD-3-Clause
// Which ports a series is about.
#include "samples_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct marks {
	const struct fabric *fabric;
	size_t *first; // of each node, its first port among all
	bool *wanted;  // by port among all
	size_t count;
};

static int
marks_create(struct marks *m, const struct fabric *f)
{
	const struct topology *t = f->topology;

	*m = (struct marks){.fabric = f, .first = calloc(t->node_count + 1u, sizeof(*m->first))};
	if (m->first == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->node_count; i++) {
		m->first[i] = m->count;
		m->count += t->nodes[i].port_count;
	}
	m->wanted = calloc(m->count + 1, sizeof(*m->wanted));
	return m->wanted == NULL ? -ENOMEM : 0;
}

static void
mark(struct marks *m, uint32_t node, uint16_t port)
{
	m->wanted[m->first[node] + port] = true;
}

static int
mark_name(struct marks *m, const struct config_name *name, bool links, const char *key,
	  struct diag *diag)
{
	const struct topology *t = m->fabric->topology;
	struct topo_ref ref;
	uint32_t link;
	int rc;

	if (links && topology_find_port(t, name->text, &ref) != 0 && strchr(name->text, '-')) {
		rc = topology_resolve_link(t, name, key, &link, diag);
		if (rc != 0)
			return rc;
		mark(m, t->links[link].a.node, t->links[link].a.port);
		mark(m, t->links[link].b.node, t->links[link].b.port);
		return 0;
	}
	rc = topology_resolve_port(t, name, key, &ref, diag);
	if (rc == 0)
		mark(m, ref.node, ref.port);
	return rc;
}

// The marked ports of nodes that exist.
static int
list(struct sample_ports *out, const struct marks *m)
{
	const struct topology *t = m->fabric->topology;

	out->count = 0;
	out->refs = calloc(m->count + 1, sizeof(*out->refs));
	if (out->refs == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->node_count; i++)
		for (uint16_t k = 0; m->fabric->nodes[i] != NULL && k < t->nodes[i].port_count; k++)
			if (m->wanted[m->first[i] + k] && m->fabric->nodes[i]->ports[k].out != NULL)
				out->refs[out->count++] = (struct topo_ref){.node = i, .port = k};
	return 0;
}

static int
find(struct sample_ports *out, const struct fabric *f, const struct config_names *names, bool links,
     const char *key, struct diag *diag)
{
	struct marks m;
	int rc = marks_create(&m, f);

	if (rc == 0 && config_means_all(names))
		memset(m.wanted, true, m.count);
	else
		for (unsigned i = 0; rc != -ENOMEM && i < names->count; i++) {
			int one = mark_name(&m, &names->items[i], links, key, diag);

			rc = rc == 0 ? one : rc;
		}
	if (rc == 0)
		rc = list(out, &m);
	free(m.wanted);
	free(m.first);
	return rc;
}

int
sample_ports_create(void **state, const struct fabric *f, const struct config_names *names,
		    bool links, const char *key, size_t size, struct diag *diag)
{
	struct sample_ports *s;
	int rc;

	if (names->count == 0)
		return 0;
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return -ENOMEM;
	s->fabric = f;
	rc = find(s, f, names, links, key, diag);
	if (rc == 0) {
		s->before = calloc(s->count + 1u, size);
		rc = s->before == NULL ? -ENOMEM : 0;
	}
	if (rc != 0)
		sample_ports_destroy(s);
	else
		*state = s;
	return rc;
}

void
sample_ports_destroy(void *state)
{
	struct sample_ports *s = state;

	free(s->before);
	free(s->refs);
	free(s);
}

void
sample_port_put(const struct fabric *f, const struct topo_ref *ref, FILE *to)
{
	const struct topo_node *place = &f->topology->nodes[ref->node];

	fprintf(to, "%s.%s", place->name, place->ports[ref->port].name);
}
