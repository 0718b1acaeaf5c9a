// SPDX-License-Identifier: BSD-3-Clause
// EAL, as a fabric needs it on any machine: two CPUs and no huge pages are enough.
//
// - No shared configuration: a fabric is one process, so EAL keeps its state in private memory.
//   With huge pages that is --in-memory (nothing in a hugetlbfs mount), without them --no-huge
//   --no-shconf, because EAL refuses the two together. What EAL still makes, an empty directory
//   named for the prefix, is removed as soon as EAL runs: a killed process leaves nothing behind.
//   So nothing is left to rte_eal_cleanup(), which is not called: it unmaps EAL's memory while
//   EAL's own interrupt thread may still be reading what a device had there (memif).
// - lcores are threads, not CPUs: any number of workers is mapped onto the CPUs there are. lcore 0
//   is the control thread and floats over all of them.
// - Workers are put ahead of other processes (nice): a worker that waits 100 ms for its CPU finds
//   the receive rings of its devices overrun.
// - No telemetry (it is a server, and nothing that speaks to the outside shares this process),
//   errors only in the log, and PCI only when a device asks for it.
#include "eal.h"

#include "log_capture.h"

#include <rte_eal.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define EAL_ARGS_MAX 64
#define EAL_PREFIX_MAX 64
#define EAL_FREE_HUGEPAGES "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages"
#define EAL_HUGEPAGE_MB 2
#define EAL_WORKER_NICE (-10)

// What rte_eal_init() is given. EAL keeps the pointers, so they live as long as it is used; it also
// overwrites some of the array, so what is to be freed is kept apart.
struct eal_args {
	char *argv[EAL_ARGS_MAX + 1];
	char *texts[EAL_ARGS_MAX];
	int argc;
	int error; // the first of -ENOMEM, -E2BIG
};

static struct eal_args args; // control: rw

// rte_eal_init() works once in a process, whether it succeeds or not.
static enum { EAL_IDLE, EAL_RUNNING, EAL_OVER } state; // control: rw

static void __attribute__((format(printf, 1, 2))) eal_arg_add(const char *format, ...)
{
	va_list list;
	char *text;
	int bytes;

	if (args.argc >= EAL_ARGS_MAX) {
		args.error = -E2BIG;
		return;
	}
	va_start(list, format);
	bytes = vasprintf(&text, format, list);
	va_end(list);
	if (bytes < 0) {
		args.error = -ENOMEM;
		return;
	}
	args.texts[args.argc] = text;
	args.argv[args.argc++] = text;
}

static unsigned
eal_free_hugepages_mb(void)
{
	FILE *file = fopen(EAL_FREE_HUGEPAGES, "re");
	unsigned long pages = 0;

	if (file == NULL)
		return 0;
	if (fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages > UINT32_MAX / EAL_HUGEPAGE_MB ? UINT32_MAX
						    : (unsigned)pages * EAL_HUGEPAGE_MB;
}

static int
eal_choose_memory(const struct eal_options *o, char *err, size_t err_bytes)
{
	unsigned free_mb = o->hugepages == EAL_HUGEPAGES_OFF ? 0 : eal_free_hugepages_mb();
	bool with_hugepages = o->hugepages != EAL_HUGEPAGES_OFF && free_mb >= o->memory_mb;

	if (o->hugepages == EAL_HUGEPAGES_ON && !with_hugepages) {
		snprintf(err, err_bytes,
			 "hugepages: on needs %u MB of 2 MB pages, %u MB are free: sysctl -w "
			 "vm.nr_hugepages=%u, "
			 "or hugepages: auto",
			 o->memory_mb, free_mb,
			 (o->memory_mb + EAL_HUGEPAGE_MB - 1) / EAL_HUGEPAGE_MB);
		return -ENOMEM;
	}
	if (with_hugepages) {
		eal_arg_add("--in-memory");
	} else {
		eal_arg_add("--no-huge");
		eal_arg_add("--no-shconf");
	}
	eal_arg_add("-m");
	eal_arg_add("%u", o->memory_mb);
	return 0;
}

// The n-th usable CPU counted from the last: CPU 0 takes most of the kernel's own work, so workers
// start at the other end.
static int
eal_usable_cpu(const cpu_set_t *usable, unsigned n)
{
	n %= (unsigned)CPU_COUNT(usable);
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
		if (CPU_ISSET(cpu, usable) && n-- == 0)
			return cpu;
	}
	return -1;
}

// "0@(0,1),1@1,2@0": lcore 0 on every usable CPU, each worker on one.
static int
eal_choose_lcores(const struct eal_options *o, char *err, size_t err_bytes)
{
	char *text = NULL;
	const char *separator = "";
	size_t bytes;
	cpu_set_t usable;
	FILE *out;

	if (o->workers >= RTE_MAX_LCORE) {
		snprintf(err, err_bytes, "workers: %u is more than %u", o->workers,
			 RTE_MAX_LCORE - 1);
		return -EINVAL;
	}
	if (sched_getaffinity(0, sizeof(usable), &usable) != 0)
		return -errno;
	for (unsigned i = 0; i < o->cpu_count; i++) {
		if (o->cpus[i] >= CPU_SETSIZE || !CPU_ISSET(o->cpus[i], &usable)) {
			snprintf(err, err_bytes,
				 "cpus: CPU %u does not exist or cannot be used by this process",
				 o->cpus[i]);
			return -EINVAL;
		}
	}
	out = open_memstream(&text, &bytes);
	if (out == NULL)
		return -ENOMEM;
	fputs("0@(", out);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &usable)) {
			fprintf(out, "%s%d", separator, cpu);
			separator = ",";
		}
	}
	fputc(')', out);
	for (unsigned i = 0; i < o->workers; i++) {
		int cpu = o->cpu_count > 0 ? (int)o->cpus[i % o->cpu_count]
					   : eal_usable_cpu(&usable, i);

		fprintf(out, ",%u@%d", i + 1, cpu);
	}
	if (fclose(out) != 0) {
		free(text);
		return -ENOMEM;
	}
	eal_arg_add("--lcores");
	eal_arg_add("%s", text);
	eal_arg_add("--main-lcore");
	eal_arg_add("0");
	free(text);
	return 0;
}

// Removes the directory that EAL makes at every start, if it is empty: anything inside belongs to
// another program. The directory above it stays: another program with EAL may be about to make its
// own there.
static void
eal_remove_runtime_dir(void)
{
	const char *path = rte_eal_get_runtime_dir();

	if (path[0] != '\0')
		(void)rmdir(path);
}

void
eal_clean_killed(const char *prefix)
{
	const char *directory = getenv("RUNTIME_DIRECTORY");
	char path[4096];

	// As EAL itself chooses it.
	if (directory == NULL)
		directory = getuid() == 0 ? "/var/run" : getenv("XDG_RUNTIME_DIR");
	if (directory == NULL)
		directory = "/tmp";
	if (prefix[0] == '\0' || strchr(prefix, '/') != NULL ||
	    snprintf(path, sizeof(path), "%s/dpdk/%s", directory, prefix) >= (int)sizeof(path))
		return;
	(void)rmdir(path);
}

static int
eal_build_args(const struct eal_options *o, char *err, size_t err_bytes)
{
	int error;

	eal_arg_add("roost");
	eal_arg_add("--file-prefix");
	eal_arg_add("%s", o->prefix);
	eal_arg_add("--no-telemetry");
	eal_arg_add("--log-level");
	eal_arg_add("error");
	if (o->pci_count == 0)
		eal_arg_add("--no-pci");
	for (unsigned i = 0; i < o->pci_count; i++) {
		eal_arg_add("-a");
		eal_arg_add("%s", o->pci[i]);
	}
	error = eal_choose_memory(o, err, err_bytes);
	if (error == 0)
		error = eal_choose_lcores(o, err, err_bytes);
	if (error == 0 && args.error != 0) {
		snprintf(err, err_bytes, "too many devices on PCI for one start");
		error = args.error;
	}
	return error;
}

static void
eal_free_args(void)
{
	for (int i = 0; i < args.argc; i++)
		free(args.texts[i]);
	memset(&args, 0, sizeof(args));
}

// On each worker. Without the right to do so it stays as it is.
static int
eal_raise_worker(void *arg)
{
	(void)arg;
	(void)setpriority(PRIO_PROCESS, 0, EAL_WORKER_NICE);
	return 0;
}

int
eal_start(const struct eal_options *o, char *err, size_t err_bytes)
{
	struct log_capture log;
	const char *said;
	int error;

	if (state != EAL_IDLE) {
		snprintf(err, err_bytes, "DPDK was started in this process before");
		return -EALREADY;
	}
	if (o->prefix == NULL || o->prefix[0] == '\0' || strlen(o->prefix) >= EAL_PREFIX_MAX ||
	    strpbrk(o->prefix, "/%") != NULL) {
		snprintf(err, err_bytes, "a fabric's name has 1 to %u characters, no / and no %%",
			 EAL_PREFIX_MAX - 1);
		return -EINVAL;
	}
	snprintf(err, err_bytes, "DPDK: cannot prepare its start");
	error = eal_build_args(o, err, err_bytes);
	if (error != 0) {
		eal_free_args();
		return error;
	}
	err[0] = '\0';
	// libxdp otherwise wants a bpf file system to pin its dispatcher in; one program per
	// interface needs none.
	setenv("LIBXDP_SKIP_DISPATCHER", "1", 1);
	log_capture_begin(&log);
	error = rte_eal_init(args.argc, args.argv) < 0 ? -EIO : 0;
	state = error == 0 ? EAL_RUNNING : EAL_OVER;
	said = log_capture_end(&log);
	if (error != 0)
		snprintf(err, err_bytes, "DPDK does not start: %s", said);
	log_capture_free(&log);
	eal_remove_runtime_dir();
	if (error != 0)
		return error;
	rte_eal_mp_remote_launch(eal_raise_worker, NULL, SKIP_MAIN);
	rte_eal_mp_wait_lcore();
	return 0;
}

void
eal_stop(void)
{
	if (state != EAL_RUNNING)
		return;
	state = EAL_OVER;
	eal_remove_runtime_dir();
	eal_free_args();
}
