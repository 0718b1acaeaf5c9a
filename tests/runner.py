# SPDX-License-Identifier: BSD-3-Clause
"""Runs tests and counts them; called by tests/run.

A job is a program that holds tests, as a cmocka binary, a Python file or a fuzz target, or a build.
Jobs that need only a CPU run side by side, and what a build makes joins them when it is done. Tests
of live fabrics mostly wait: they run beside these, one at a time, and get the CPUs first. Benchmarks
follow, with nothing beside them. Each job has a temporary directory of its own, which stays if it
fails. A program that ends badly, or that does not finish a test it began, has failed, whatever it
counted.
"""
import concurrent.futures
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from dataclasses import dataclass, field, replace
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
TESTS = SOURCE / "tests"
PYTHONPATH = f"{TESTS}:{SOURCE}/control/python"
KINDS = ("lint", "unit", "replay", "fabric", "live", "browser", "bench")
LIVE = ("live", "browser")   # what may leave something on the machine
GIVE_WAY = 5                 # nice value of jobs that need only a CPU: a third of the weight of others
SANITIZED_KINDS = ("unit", "replay", "fabric")
CPUS = len(os.sched_getaffinity(0))
FUZZ_SECONDS = 10
SETTLE_SECONDS = 20 # for namespaces and the like of jobs beside a live test to go
SHOWN_LINES = 80    # the last ones of the output of a job that failed
REASON_LINES = 120  # of a reason that is longer, as with a long difference: its beginning and its end
REPEATED = 30       # reasons at most, at the end of the run

printing = threading.Lock()
running = set()   # processes that we started, each the leader of its group
stopping = threading.Event()


@dataclass
class Result:
    passed: int = 0
    failed: list = field(default_factory=list)   # names, with what was wrong
    skipped: list = field(default_factory=list)  # names, with the reason
    reasons: list = field(default_factory=list)  # of what failed: texts of many lines, as a traceback
    seconds: float = 0                           # what it took
    cpu_seconds: float = 0                       # of it and of the processes that it waited for


@dataclass
class Job:
    name: str
    command: list
    count: callable                   # (output, exit status, directory) -> Result
    env: dict = field(default_factory=dict)
    timeout: int = 600
    then: callable = list             # () -> the jobs that need this one, which follow if it does not fail
    gives_way: bool = False           # to jobs that need more than a CPU


def end_group(process, seconds=10):
    """Ends a job and all it started: asked first, so that a live test takes its fabric down."""
    for sign in (signal.SIGINT, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
            process.wait(seconds)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


def give_way(process):
    """Linux shares the CPUs out by sessions first, where it groups them; the nice value of a process counts within its own."""
    try:
        Path(f"/proc/{process.pid}/autogroup").write_text(str(GIVE_WAY))
    except OSError:
        pass    # it does not group them, or the process has ended


def run_program(job, directory):
    """Returns (output, exit status, seconds of CPU); the status is None when time ran out."""
    env = os.environ | {"TMPDIR": str(directory), "PYTHONPATH": PYTHONPATH, "LC_ALL": "C.UTF-8"} | job.env
    with open(directory / "output.txt", "w+", errors="replace") as output:
        if stopping.is_set():
            return "interrupted", 130, 0
        try:
            process = subprocess.Popen([*(("nice", "-n", str(GIVE_WAY)) if job.gives_way else ()), *job.command], cwd=directory,
                                       env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                       start_new_session=True)
        except OSError as error:
            return f"{job.command[0]}: {error.strerror}", 127, 0
        running.add(process)
        if job.gives_way:
            give_way(process)
        status, cpu_seconds = wait_for(process, job.timeout)
        end_group(process)
        running.discard(process)
        output.seek(0)
        return output.read(), status, cpu_seconds


def wait_for(process, timeout):
    """Returns (exit status, seconds of CPU); the status is None when time ran out."""
    ended = os.pidfd_open(process.pid)
    try:
        if not select.select([ended], [], [], timeout)[0]:
            return None, 0
    finally:
        os.close(ended)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime


def run_job(job):
    """Runs a job to its end and reports it. Returns its Result."""
    directory = Path(tempfile.mkdtemp(prefix="roost-test-"))
    start = time.monotonic()
    text, status, cpu_seconds = run_program(job, directory)
    result = job.count(text, status, directory)
    result.seconds, result.cpu_seconds = time.monotonic() - start, cpu_seconds
    if status is None:
        result.failed.append(f"not done after {job.timeout} s")
    elif status != 0 and not result.failed:
        result.failed.append(f"exit status {status}")
    if result.failed and not result.reasons:
        result.reasons = ["\n".join(text.splitlines()[-SHOWN_LINES:]) or "it printed nothing"]
    result.failed = [f"{job.name}: {one}" for one in result.failed]
    report(job, result, text, directory)
    return result


def reason_lines(reason):
    lines, half = reason.splitlines(), REASON_LINES // 2
    if len(lines) <= REASON_LINES:
        return lines
    return [*lines[:half], f"[{len(lines) - 2 * half} lines]", *lines[-half:]]


def indented(lines):
    """Of a very long line its beginning and its end."""
    return [f"      | {line if len(line) <= 2000 else f'{line[:1000]} [...] {line[-1000:]}'}" for line in lines]


def report(job, result, text, directory):
    lines = [f"{'FAIL' if result.failed else 'ok':4}  {job.name:44} {result.passed:4} passed  {result.seconds:6.1f} s, "
             f"{result.cpu_seconds:6.1f} s of CPU"]
    lines += [f"      skipped: {one}" for one in result.skipped]
    if result.failed:
        tail = text.splitlines()[-SHOWN_LINES:]
        lines += indented(tail)
        for name, *reason in map(reason_lines, result.reasons):
            if not set(reason) <= set(tail):
                lines += indented(["-" * 70, name, *reason])
        lines.append(f"      its files: {directory}")
    else:
        shutil.rmtree(directory, ignore_errors=True)
    with printing:
        print("\n".join(lines), flush=True)


def count_cmocka(text, _, __):
    """From cmocka's subunit output; what a test printed before it was skipped, or failed, is the reason."""
    result, current, said, reason = Result(), None, [], None
    for line in text.splitlines():
        word, _, name = line.partition(": ")
        if word == "test":
            current, said, reason = name, [], None
        elif current and word in ("success", "failure", "error", "skip") and name.split(" [")[0] == current:
            if word == "success":
                result.passed += 1
            elif word == "skip":
                result.skipped.append(f"{current}: {' '.join(said) or 'gives no reason'}")
            else:
                result.failed.append(current)
                reason = [*said, line]
                result.reasons.append(reason)
            current = None
        elif reason is not None:        # "[", then the message
            reason.append(line)
        else:
            said.append(line)
    result.reasons = ["\n".join(lines) for lines in result.reasons]
    if current:
        result.failed.append(f"{current}: begun, not finished")
        result.reasons.append("\n".join([f"test: {current}", *said[-REASON_LINES:]]))
    return result


def count_unittest(_, __, directory):
    try:
        counted = json.loads((directory / "result.json").read_text())
    except (OSError, ValueError):
        return Result(failed=["ended before its tests did"])
    return Result(counted["passed"], counted["failed"], counted["skipped"], counted["reasons"])


def count_whole(_, status, __):
    """A program that is one test: its exit status tells."""
    return Result(passed=int(status == 0))


class Counting(unittest.TextTestResult):
    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def run_file(path):
    """In a job of its own: runs the tests of a Python file and writes result.json."""
    sys.path.insert(0, str(Path(path).parent))
    suite = unittest.defaultTestLoader.loadTestsFromName(Path(path).stem)
    result = unittest.TextTestRunner(verbosity=2, resultclass=Counting).run(suite)
    wrong = result.failures + result.errors
    failed = [str(test) for test, _ in wrong] + \
        [f"{test}: passes, but is expected to fail" for test in result.unexpectedSuccesses]
    skipped = [f"{test}: {reason}" for test, reason in result.skipped]
    if not (result.passed or failed or skipped):
        failed = ["holds no test"]
    Path("result.json").write_text(json.dumps({"passed": result.passed, "failed": failed, "skipped": skipped,
                                               "reasons": [f"{test}\n{text}" for test, text in wrong]}))
    return 1 if failed else 0


def python_job(path, build, env):
    name = f"{path.relative_to(TESTS)}{env.get('NAME', '')}"
    return Job(name, ["/usr/bin/python3", "-B", str(TESTS / "runner.py"), "--file", str(path)],
               count_unittest, env | {"ROOST": str(build / "roost")}, 1800)


def meson_tests(build, suite):
    listed = subprocess.run(["meson", "introspect", "--tests", str(build)], check=True,
                            capture_output=True, text=True).stdout
    return [test for test in json.loads(listed) if any(one.split(":")[-1] == suite for one in test["suite"])]


def jobs_of(kind, build, env):
    if kind == "unit":
        return [Job(f"unit/{test['name']}{env.get('NAME', '')}", test["cmd"], count_cmocka,
                    env | test["env"] | {"CMOCKA_MESSAGE_OUTPUT": "subunit"})
                for test in meson_tests(build, "unit")]
    if kind == "bench":
        return [Job("bench/run", [str(TESTS / "bench/run")], count_whole, env, 1800)]
    return [python_job(path, build, env) for path in sorted((TESTS / kind).glob("test_*.py"))]


def threaded_jobs(build):
    unit = [job for job in jobs_of("unit", build, TSAN_ENV)
            if job.name.removeprefix("unit/").removesuffix(TSAN_ENV["NAME"]) in THREADED]
    return unit + [python_job(TESTS / name, build, TSAN_ENV) for name in THREADED_FILES]


def fuzz_jobs(build):
    return [Job(f"fuzz/{test['name']}",
                test["cmd"] + ["-seed=1", f"-max_total_time={FUZZ_SECONDS}", "-artifact_prefix=./"],
                count_whole, SANITIZER_ENV) for test in meson_tests(build, "fuzz")]


SANITIZER_ENV = {
    "NAME": " (asan)",
    "ROOST_TEST_SANITIZED": "1",
    "ASAN_OPTIONS": "exitcode=99:detect_leaks=1:handle_sigill=2",    # which undefined behaviour ends in; not cmocka's
    "LSAN_OPTIONS": f"exitcode=99:print_suppressions=0:suppressions={TESTS}/leaks.supp",
}
NO_PAGE = "-Dpage=disabled"      # which is the same in every build
SANITIZED = [NO_PAGE, "-Db_sanitize=address,undefined", "-Db_lundef=false", "-Doptimization=1"]
# What sanitizers print has functions and lines; to track variables too takes compilers a sixth of their time, and more.
LINES = "-Dc_args=-g1"
# A trap, whose line the address sanitizer prints, makes object files of a sixth of the size that checks with texts make.
TRAPS = f"{LINES} -fsanitize-undefined-trap-on-error"
# gcc warns of what its sanitizers insert.
ASAN_OPTIONS = SANITIZED + ["-Dwerror=false", TRAPS]
# What threads do side by side in virtual time, and how live workers notify each other; what runs code of DPDK's
# libraries is left out, which know nothing of it.
THREADED = ("dataplane/base/wire", "dataplane/base/packet_shares", "dataplane/drive/cut", "dataplane/drive/live_nodes",
            "dataplane/drive/parallel")
THREADED_FILES = ("fabric/test_threads.py", "fabric/test_digest.py")
TSAN_OPTIONS = [NO_PAGE, "-Db_sanitize=thread", "-Db_lundef=false", "-Doptimization=1", "-Dwerror=false", LINES]
TSAN_ENV = {"NAME": " (tsan)", "ROOST_TEST_SANITIZED": "1", "TSAN_OPTIONS": "exitcode=99:halt_on_error=1"}
TSAN_TARGETS = ["roost", *(f"tests/unit/{name.replace('/', '_')}_test" for name in THREADED)]
CLANG_OPTIONS = SANITIZED + ["-Dfuzz=true", f"{TRAPS} -fsanitize=fuzzer-no-link"]
CLANG_TARGETS = ["roost", "fuzz-programs"]


BUILDS = 3      # side by side, at most: together they have a compiler for each CPU


def build_job(directory, options, jobs, targets=(), env=None):
    """Builds in another directory, as a test: warnings are errors. Without targets, everything. `jobs`: a function of the
    directory's path, the jobs that it is built for."""
    compilers = f"-j{max(1, CPUS // BUILDS)}"
    return Job(f"build {directory}", [str(SOURCE / "testbeds/setup"), directory, *options, "--", compilers, *targets],
               count_whole, env or {}, 3000, lambda: jobs(SOURCE / directory))


def sanitized_jobs(build):
    return [job for kind in SANITIZED_KINDS for job in jobs_of(kind, build, SANITIZER_ENV)]


def run_side_by_side(jobs, gives_way=False):
    """Runs jobs and those that follow them, on all CPUs. Returns the results."""
    def run(job):
        return run_job(replace(job, gives_way=gives_way))

    results = []
    with concurrent.futures.ThreadPoolExecutor(CPUS) as pool:
        waiting = {pool.submit(run, job): job for job in jobs}
        while waiting:
            for future in concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED).done:
                job, result = waiting.pop(future), future.result()
                results.append(result)
                if not result.failed:
                    waiting |= {pool.submit(run, one): one for one in job.then()}
    return results


def leftovers():
    """What a live fabric could leave on the machine. Jobs that still run have processes too, which are no daemons."""
    found = set()
    for directory in ("/run/netns", "/run/roost", "/run/dpdk", *hugepage_mounts()):
        found |= {str(path) for path in Path(directory).glob("*")
                  if directory != "/run/netns" or path.name.startswith("roost-")}
    for link in json.loads(subprocess.run(["ip", "-j", "link", "show", "type", "veth"], check=True,
                                          capture_output=True, text=True).stdout or "[]"):
        found.add(f"interface {link.get('ifname', '?')}")
    jobs = running.copy()
    processes = dict(read_processes())
    jobs = {process.pid for process in jobs | running}      # also those that have begun or ended meanwhile

    def of_job(pid):
        """Whether a process is of a job that still runs."""
        while pid in processes and pid not in jobs:
            pid = processes[pid][2]
        return pid in jobs

    for pid, (name, state, _) in processes.items():
        # A daemon that has ended is a zombie until process 1 looks after it.
        if name in ("roost", "roost-web") and state != "Z" and not of_job(pid):
            found.add(f"process {pid}")
    # What has the number of a process in its name is that process's as long as it runs.
    return {one for one in found if not (number := re.search(r"-(\d+)$", one)) or not of_job(int(number[1]))}


def read_processes():
    """(process, (its name, its state, its parent))"""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        yield int(stat.parent.name), (name, rest.split()[0], int(rest.split()[1]))


def hugepage_mounts():
    return [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()
            if line.split()[2] == "hugetlbfs"]


def run_live(job):
    """A live test must leave the machine as it found it. What jobs beside it have made goes soon."""
    before = leftovers()
    result = run_job(job)
    left, end = leftovers() - before, time.monotonic() + SETTLE_SECONDS
    while left and time.monotonic() < end:
        time.sleep(0.2)
        left &= leftovers()
    left = sorted(left)
    if left:
        result.failed.append(f"{job.name}: left behind: {', '.join(left)}")
        print(f"FAIL  {job.name} left behind: {', '.join(left)}", flush=True)
    return result


def print_failures(results):
    """At the end, where they are seen even when only the end of the output is kept: why, then what."""
    reasons = [(result.failed[0].partition(": ")[0], reason) for result in results for reason in result.reasons]
    for job, reason in reasons[:REPEATED]:
        print("\n".join([f"why {job} failed:", *indented(reason_lines(reason))]))
    if len(reasons) > REPEATED:
        print(f"{len(reasons) - REPEATED} more have failed: see above")
    for result in results:
        for one in result.failed:
            print(f"failed: {one}")


def parse(words):
    """Returns (kinds, files, whether all kinds are meant, whether everything is)."""
    files = [Path(word).resolve() for word in words if "/" in word]
    kinds = [word for word in words if word in KINDS]
    wrong = [word for word in words if word not in KINDS and word != "full" and "/" not in word] + \
        [str(path) for path in files if not path.is_file() or TESTS not in path.parents]
    if wrong:
        print(f"tests/run: no such tests: {' '.join(wrong)}; kinds are {', '.join(KINDS)} and full",
              file=sys.stderr)
        sys.exit(2)
    full = "full" in words
    if full or not words:
        return [kind for kind in KINDS if kind != "bench" or full], [], True, full
    return kinds, files, False, False


def main(words):
    kinds, files, everything, full = parse(words)
    build, env = SOURCE / "build", {"ROOST_TEST_FULL": "1"} if full else {}
    builds, together, live, alone = [], [], [], []

    for path in files:
        (live if path.parent.name in LIVE else together).append(python_job(path, build, env))
    for kind in kinds:
        (live if kind in LIVE else alone if kind == "bench" else together).extend(jobs_of(kind, build, env))
    if everything:
        builds = [build_job("build-asan", ASAN_OPTIONS, sanitized_jobs)]
    if full:
        builds = [build_job("build-tsan", TSAN_OPTIONS, threaded_jobs, TSAN_TARGETS), *builds,
                  build_job("build-clang", CLANG_OPTIONS, fuzz_jobs, CLANG_TARGETS, {"CC": "clang"})]

    # The builds first: most jobs need them. Last the one for fuzzing, whose many short jobs leave no CPU idle at the end.
    with concurrent.futures.ThreadPoolExecutor(1) as beside:
        ended = beside.submit(lambda: [run_live(job) for job in live])
        results = run_side_by_side(builds + together, bool(live)) + ended.result()
    results += [run_job(job) for job in alone]

    failed = [one for result in results for one in result.failed]
    passed = sum(result.passed for result in results)
    skipped = sum(len(result.skipped) for result in results)
    print_failures(results)
    if not passed and not failed and not skipped:
        print("no test ran")
    print(f"{passed} passed, {len(failed)} failed, {skipped} skipped")
    return 0 if passed + skipped and not failed else 1


def interrupted(*_):
    stopping.set()      # a job that ends makes room for the next, which must not begin
    while running:
        end_group(running.pop())
    os._exit(130)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--file"]:
        sys.exit(run_file(sys.argv[2]))
    signal.signal(signal.SIGINT, interrupted)
    signal.signal(signal.SIGTERM, interrupted)
    sys.exit(main(sys.argv[1:]))
