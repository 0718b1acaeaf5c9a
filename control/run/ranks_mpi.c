// SPDX-License-Identifier: BSD-3-Clause
// Ranks by Open MPI: a module of its own, which only runs under mpirun load. MPI is called by one
// thread at a time, not always the same.
#include "ranks_load.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define PART_BYTES (1 << 30) // of a long message; MPI counts in int
#define LOADED_MAX 512       // shared objects

enum tag { TAG_EXCHANGE = 1, TAG_SEND };

const char ranks_mpi_version[] = ROOST_VERSION;

struct mpi_ranks {
	struct ranks ranks;
	MPI_Request *requests;
	size_t request_room;
};

static struct mpi_ranks *
of(struct ranks *r)
{
	return (struct mpi_ranks *)r;
}

static int
error_of(int rc)
{
	return rc == MPI_SUCCESS ? 0 : -ECONNRESET;
}

// The bytes of the part that begins at `from`. A message ends with a part that is not full.
static int
part_of(size_t count, size_t from)
{
	return count - from < PART_BYTES ? (int)(count - from) : PART_BYTES;
}

static int
receive_from(uint32_t from, int tag, struct ranks_bytes *in)
{
	int count = PART_BYTES, rc = MPI_SUCCESS;

	for (in->count = 0; count == PART_BYTES; in->count += (size_t)count) {
		MPI_Message message;
		MPI_Status status;

		rc = MPI_Mprobe((int)from, tag, MPI_COMM_WORLD, &message, &status);
		if (rc == MPI_SUCCESS)
			rc = MPI_Get_count(&status, MPI_BYTE, &count);
		if (rc != MPI_SUCCESS)
			return error_of(rc);
		if (ranks_bytes_reserve(in, in->count + (size_t)count) != 0)
			return -ENOMEM;
		rc = MPI_Mrecv((char *)in->data + in->count, count, MPI_BYTE, &message, &status);
		if (rc != MPI_SUCCESS)
			return error_of(rc);
	}
	return 0;
}

static int
send_parts(uint32_t to, int tag, const void *data, size_t count)
{
	size_t at = 0;
	int rc, part;

	do {
		part = part_of(count, at);
		rc = MPI_Send((const char *)data + at, part, MPI_BYTE, (int)to, tag,
			      MPI_COMM_WORLD);
		at += (size_t)part;
	} while (rc == MPI_SUCCESS && part == PART_BYTES);
	return error_of(rc);
}

// Room for a request for each part.
static int
reserve_requests(struct mpi_ranks *m, const struct ranks_bytes *out)
{
	size_t parts = 0;
	MPI_Request *larger;

	for (uint32_t k = 0; k < m->ranks.count; k++)
		parts += out[k].count / PART_BYTES + 1;
	if (parts <= m->request_room)
		return 0;
	larger = realloc(m->requests, parts * sizeof(MPI_Request));
	if (larger == NULL)
		return -ENOMEM;
	m->requests = larger;
	m->request_room = parts;
	return 0;
}

static int
begin_send(struct mpi_ranks *m, uint32_t to, const struct ranks_bytes *out, int *requests)
{
	size_t at = 0;
	int rc, part;

	do {
		part = part_of(out->count, at);
		rc = MPI_Isend((const char *)out->data + at, part, MPI_BYTE, (int)to, TAG_EXCHANGE,
			       MPI_COMM_WORLD, &m->requests[*requests]);
		*requests += rc == MPI_SUCCESS;
		at += (size_t)part;
	} while (rc == MPI_SUCCESS && part == PART_BYTES);
	return error_of(rc);
}

static int
exchange(struct ranks *r, const struct ranks_bytes *out, struct ranks_bytes *in)
{
	struct mpi_ranks *m = of(r);
	int requests = 0, rc = reserve_requests(m, out);

	for (uint32_t k = 1; rc == 0 && k < r->count; k++) {
		uint32_t to = (r->index + k) % r->count;

		rc = begin_send(m, to, &out[to], &requests);
	}
	for (uint32_t k = 1; rc == 0 && k < r->count; k++) {
		uint32_t from = (r->index + r->count - k) % r->count;

		rc = receive_from(from, TAG_EXCHANGE, &in[from]);
	}
	return rc != 0 ? rc : error_of(MPI_Waitall(requests, m->requests, MPI_STATUSES_IGNORE));
}

static int
reduce(struct ranks *r, enum ranks_reduction how, uint64_t *values, uint32_t count)
{
	MPI_Op op = how == RANKS_SUM ? MPI_SUM : how == RANKS_LEAST ? MPI_MIN : MPI_MAX;

	(void)r;
	return error_of(
		MPI_Allreduce(MPI_IN_PLACE, values, (int)count, MPI_UINT64_T, op, MPI_COMM_WORLD));
}

static int
send_to(struct ranks *r, uint32_t to, const void *data, size_t count)
{
	(void)r;
	return send_parts(to, TAG_SEND, data, count);
}

static int
receive(struct ranks *r, uint32_t from, struct ranks_bytes *in)
{
	(void)r;
	return receive_from(from, TAG_SEND, in);
}

static void
abort_all(struct ranks *r, int status)
{
	(void)r;
	MPI_Abort(MPI_COMM_WORLD, status);
	_Exit(status);
}

// ---- the end ------------------------------------------------------------------------------------

struct loaded {
	char *names[LOADED_MAX];
	unsigned count;
};

static int
note_loaded(struct dl_phdr_info *info, size_t size, void *context)
{
	struct loaded *all = context;

	(void)size;
	if (info->dlpi_name[0] != '\0' && all->count < LOADED_MAX)
		all->names[all->count++] = strdup(info->dlpi_name);
	return 0;
}

// MPI_Finalize() unloads Open MPI's modules and PMIx while they may still be called: once, both
// ranks of a run that was over ended by a fault in memory that was no longer mapped. So what is
// loaded stays.
static void
keep_loaded(void)
{
	struct loaded all = {.count = 0};

	dl_iterate_phdr(note_loaded, &all);
	for (unsigned i = 0; i < all.count; i++) {
		if (all.names[i] != NULL)
			(void)dlopen(all.names[i], RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
		free(all.names[i]);
	}
}

static void
close_all(struct ranks *r)
{
	keep_loaded();
	MPI_Finalize();
	free(of(r)->requests);
	free(r);
}

static const struct ranks_ops ops = {
	.exchange = exchange,
	.reduce = reduce,
	.send = send_to,
	.receive = receive,
	.abort = abort_all,
	.close = close_all,
};

// The cores that each rank of this machine may use, by its number in `local`.
static int
exchange_cores(MPI_Comm local, uint32_t *sharers)
{
	int index, count, rc = MPI_Comm_rank(local, &index);
	cpu_set_t *sets;

	if (rc == MPI_SUCCESS)
		rc = MPI_Comm_size(local, &count);
	if (rc != MPI_SUCCESS)
		return rc;
	sets = calloc((size_t)count, sizeof(*sets));
	if (sets == NULL)
		return MPI_ERR_NO_MEM;
	if (sched_getaffinity(0, sizeof(*sets), &sets[index]) != 0)
		memset(&sets[index], 0xff, sizeof(*sets));
	rc = MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, sets, sizeof(*sets), MPI_BYTE,
			   local);
	if (rc == MPI_SUCCESS)
		*sharers = ranks_count_sharers(sets, (uint32_t)count, (uint32_t)index);
	free(sets);
	return rc;
}

// Ranks that mpirun or Slurm has bound to cores of their own do not share them.
static int
count_sharers(uint32_t *sharers)
{
	MPI_Comm local;
	int rc =
		MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);

	if (rc == MPI_SUCCESS)
		rc = exchange_cores(local, sharers);
	if (rc == MPI_SUCCESS)
		rc = MPI_Comm_free(&local);
	return rc;
}

int
ranks_mpi_open(struct ranks **out, const char **why)
{
	int provided, index, count;
	uint32_t sharers;
	struct mpi_ranks *r;

	*why = "cannot start";
	if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
		return -EIO;
	*why = "this Open MPI lacks MPI_THREAD_SERIALIZED";
	if (provided < MPI_THREAD_SERIALIZED)
		return -EIO;
	*why = "cannot count the ranks";
	if (MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) != MPI_SUCCESS ||
	    MPI_Comm_rank(MPI_COMM_WORLD, &index) != MPI_SUCCESS ||
	    MPI_Comm_size(MPI_COMM_WORLD, &count) != MPI_SUCCESS ||
	    count_sharers(&sharers) != MPI_SUCCESS)
		return -EIO;
	*why = "too many ranks: at most 1024";
	_Static_assert(RANKS_MAX == 1024, "as the text says");
	if (count > RANKS_MAX)
		return -EINVAL;
	r = calloc(1, sizeof(*r));
	*why = "out of memory";
	if (r == NULL)
		return -ENOMEM;
	r->ranks = (struct ranks){
		.ops = &ops,
		.index = (uint32_t)index,
		.count = (uint32_t)count,
		.sharers = sharers,
	};
	*out = &r->ranks;
	return 0;
}
