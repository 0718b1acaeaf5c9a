# SPDX-License-Identifier: BSD-3-Clause
"""`roost sweep`: called by the program with its own path, the file, and options as NAME=VALUE.

    main.py ROOST FILE -- NAME=VALUE...

DIR/runs/ID holds what one run gave, made whole by a rename. A sweep that is called again makes only the runs that are missing.
"""
from __future__ import annotations

import concurrent.futures
import csv
import fcntl
import io
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, NoReturn

HERE = Path(__file__).resolve().parent
# Only a build directory has this file.
PLACES = json.loads((HERE / "places.json").read_text()) if (HERE / "places.json").exists() else {}
sys.path[:0] = [str(HERE), str(HERE.parent / "plot"), *([PLACES["python"]] if PLACES else [])]
try:
    import yaml     # noqa: F401
    import roost
except ImportError as missing:
    package = {"yaml": "python3-yaml", "roost": "python3-roost"}.get(missing.name or "", missing.name)
    print(f"roost sweep: needs the Python module {missing.name} (apt-get install {package})", file=sys.stderr)
    sys.exit(1)

import chart
import cost
import figures
from plan import RUNS_MAX, Plan, Point, Run, SweepError, combine, events_with, failed_links, read_fail, read_setting

Results = dict[Run, figures.Figures]
TELL_EVERY_S = 5.0
JUDGED = ("step_ps", "fct_p99_ps")      # the figure by which a change is judged: the first that differs


class Options:
    """The options of the command line, which the program has checked."""

    def __init__(self, arguments: list[str]) -> None:
        self.program, self.file, separator, *rest = arguments
        assert separator == "--"
        self.pairs = [one.split("=", 1) for one in rest]

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.pairs if key == name]

    def one(self, name: str, default: str = "") -> str:
        return (self.all(name) or [default])[-1]


class Sweep:
    def __init__(self, options: Options, plan: Plan, out: Path) -> None:
        self.options, self.plan, self.out = options, plan, out
        self.version = roost.command("--version", program=options.program).out.strip()
        self.links: dict[Point, list[str]] = {}
        self.stopping = threading.Event()
        self.running: set[subprocess.Popen[str]] = set()
        self.guard = threading.Lock()
        self.estimate = cost.Estimate({})

    # ---- files ------------------------------------------------------------------------------------------------------

    def place(self, run: Run) -> Path:
        return self.out / "runs" / self.plan.identity(run, self.version)

    def known(self, run: Run) -> figures.Figures | None:
        try:
            return dict(json.loads((self.place(run) / "figures.json").read_text())["figures"])
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def keep(self, run: Run, values: dict[str, Any], work: Path) -> None:
        """Puts the directory of a run in its place."""
        for path in work.iterdir():
            if path.name != "result.json":
                path.unlink()
        (work / "figures.json").write_text(json.dumps({"point": run.point.columns, "seed": run.seed, "figures": values}) + "\n")
        shutil.rmtree(self.place(run), ignore_errors=True)
        work.rename(self.place(run))

    # ---- runs -------------------------------------------------------------------------------------------------------

    def words(self, run: Run) -> list[str]:
        words = ["sim", str(self.plan.file), "--seed", str(run.seed), *self.plan.options, *self.settings_of(run.point)]
        if run.point.fail:
            down = failed_links(self.links[run.point], run.point.fail, run.seed)
            words += ["--set", f"events={events_with(self.plan.content, down)}"]
        return words

    def settings_of(self, point: Point) -> list[str]:
        return [word for key, value in point.settings for word in ("--set", f"{key}={value}")]

    def execute(self, words: list[str], limit: float | None = None) -> subprocess.CompletedProcess[str]:
        """Runs the program; after `limit` seconds as if somebody had pressed Ctrl-C, so that it writes what there is.

        Signals interrupt the main thread wherever it is, also while it starts a program. So another thread does that.
        """
        if threading.current_thread() is not threading.main_thread():
            return self.execute_here(words, limit)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            try:
                return pool.submit(self.execute_here, words, limit).result()
            except BaseException:
                self.stop()
                raise

    def execute_here(self, words: list[str], limit: float | None) -> subprocess.CompletedProcess[str]:
        process = subprocess.Popen([self.options.program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, errors="backslashreplace")
        with self.guard:
            self.running.add(process)
        if self.stopping.is_set():
            process.terminate()
        try:
            out, err = self.end_of(process, limit)
        finally:
            with self.guard:
                self.running.discard(process)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    @staticmethod
    def end_of(process: subprocess.Popen[str], limit: float | None) -> tuple[str, str]:
        try:
            return process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            return process.communicate()

    def one(self, run: Run, limit: float | None = None) -> dict[str, Any] | None:
        """The figures of a run; None if it was stopped, or took longer than `limit` seconds."""
        work = Path(tempfile.mkdtemp(prefix=".run-", dir=self.out))
        begun = time.monotonic()
        try:
            done = self.execute([*self.words(run), "-j", "1", "-o", str(work / "result")], limit)
            if self.stopping.is_set():
                return None
            if not (work / "result/result.json").exists():
                if limit is not None:
                    return None
                lines = done.stderr.strip().splitlines()
                raise SweepError(f"{run.point.name}, seed {run.seed}: " + (lines[0] if lines else f"exit status {done.returncode}"))
            result = roost.Sim(work / "result")
            if limit is not None:
                self.estimate.measure(run.point, result.summary["packet_hops"], result.summary["wall_s"],
                                      time.monotonic() - begun, result.summary["memory_bytes"])
                if result.summary.get("interrupted"):
                    return None
            values: dict[str, Any] = figures.read(result)
            values["stalled"] = int(bool(result.summary.get("stalled")))
            self.keep(run, values, work / "result")
            with self.guard:
                self.estimate.add(run.point, time.monotonic() - begun)
            return values
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def find_links(self) -> None:
        """The links between switches that each point has: its topology may be one of the settings."""
        known: dict[tuple[tuple[str, str], ...], list[str]] = {}
        for point in self.plan.points:
            if point.fail and point.settings not in known:
                known[point.settings] = self.links_of(point)
            if point.fail:
                self.links[point] = known[point.settings]

    def links_of(self, point: Point) -> list[str]:
        with tempfile.TemporaryDirectory(dir=self.out, prefix=".run-") as work:
            done = self.execute(["sim", str(self.plan.file), *self.settings_of(point), "--until", "1ps", "-o", work + "/result"])
            if not Path(work, "result/links.csv").exists():
                raise SweepError(done.stderr.strip().splitlines()[0] if done.stderr.strip() else "no links found")
            run = roost.Sim(work + "/result")
            # Each link has two directions.
            between = [f"{row['src']}-{row['dst']}" for row in run.links
                       if row["tier"] not in ("leaf-host", "host-leaf") and row["src"] < row["dst"]]
        if not between:
            raise SweepError("--fail: there are no links between switches")
        return between

    def check(self) -> None:
        """Refuses what would fail, before anything runs, and finds out what runs cost."""
        for point in self.plan.points:
            begun = time.monotonic()
            done = self.execute(["check", str(self.plan.file), "--json", *self.plan.options, *self.settings_of(point)])
            if done.returncode != 0:
                raise SweepError(f"{point.name}: {done.stderr.strip().splitlines()[0] if done.stderr.strip() else 'refused'}")
            found = json.loads(done.stdout)
            self.estimate.costs[point] = cost.Cost(found.get("packet_hops", 0), time.monotonic() - begun, found["memory_bytes"])

    def measure(self, missing: list[Run], results: Results) -> None:
        """Runs the costliest combination for a moment. If that was all of it, the result counts."""
        run = max(missing, key=lambda run: (self.estimate.costs[run.point].hops, -missing.index(run)))
        found = self.one(run, cost.MEASURE_S + 2 * self.estimate.costs[run.point].setup_s)
        if found is not None:
            results[run] = found

    def known_results(self) -> Results:
        return {run: found for run in self.plan.runs for found in [self.known(run)] if found is not None}

    def tell_cost(self, results: Results, jobs: int) -> None:
        """Measures, and prints an estimate of what is missing."""
        missing = [run for run in self.plan.runs if run not in results]
        print(f"{len(self.plan.points)} combinations, {len(self.plan.seeds)} seeds: {len(self.plan.runs)} runs"
              + (f", {len(results)} of them known" if results else "") + f"; {jobs} at a time", file=sys.stderr)
        if not missing:
            return
        points = [run.point for run in missing]
        self.measure(missing, results)
        print(self.estimate.text(points, jobs), file=sys.stderr)
        need, free = min(jobs, len(missing)) * max(map(self.estimate.memory, points)), cost.memory_available()
        if 0 < free < need:
            print(f"warning: {jobs} runs at a time need about {cost.size(need)} of memory, and {cost.size(free)} are free: choose a "
                  "smaller -j", file=sys.stderr)

    def run(self, jobs: int) -> tuple[Results, list[str]]:
        results = self.known_results()
        try:
            self.tell_cost(results, jobs)
            missing = [run for run in self.plan.runs if run not in results]
            wanted, begun = self.estimate.total([run.point for run in missing], jobs), time.monotonic()
            errors = self.run_all(missing, results, jobs)
            if missing:
                print(f"{len(missing)} runs took {cost.duration(time.monotonic() - begun)}; {cost.duration(wanted)} were estimated",
                      file=sys.stderr)
            return results, errors
        except BaseException:
            self.stop()
            raise

    def run_all(self, missing: list[Run], results: Results, jobs: int) -> list[str]:
        """Makes runs and adds their figures to the results. Returns what went wrong."""
        errors: list[str] = []
        left, told = list(missing), time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            futures = {pool.submit(self.one, run): run for run in missing}
            try:
                for future in concurrent.futures.as_completed(futures):
                    left.remove(futures[future])
                    try:
                        found = future.result()
                        if found is not None:
                            results[futures[future]] = found
                    except SweepError as error:
                        errors.append(str(error))
                    if time.monotonic() - told <= TELL_EVERY_S:
                        continue
                    told = time.monotonic()
                    seconds = self.estimate.total([run.point for run in left], jobs)
                    if seconds > 1:
                        print(f"{len(missing) - len(left)} of {len(missing)} done; about {cost.duration(seconds)} to go",
                              file=sys.stderr)
            except BaseException:
                self.stop()     # or the pool would wait for what runs
                for future in futures:
                    future.cancel()
                raise
        return sorted(errors)

    def stop(self) -> None:
        self.stopping.set()
        with self.guard:
            for process in self.running:
                process.terminate()


# ---- what is written ------------------------------------------------------------------------------------------------

def shown(results: Results) -> list[figures.Figure]:
    """The figures that some run has, without those that are 0 everywhere."""
    return [one for one in figures.FIGURES if any(values.get(one.key) for values in results.values())]


def values_of(plan: Plan, results: Results, figure: figures.Figure) -> dict[Point, list[float]]:
    found: dict[Point, list[float]] = {point: [] for point in plan.points}
    for run in plan.runs:
        if results.get(run, {}).get(figure.key) is not None:
            found[run.point].append(results[run][figure.key])
    return found


def constant(results: Results, figure: figures.Figure) -> bool:
    return len({values.get(figure.key) for values in results.values()}) == 1


def as_table(plan: Plan, results: Results) -> str:
    # Without a key that varies, the figures are all there is.
    same = [one for one in shown(results) if plan.points[0].columns and len(results) > 1 and constant(results, one)]
    wanted = [one for one in shown(results) if one not in same]
    keys = list(plan.points[0].columns)
    rows = [[*keys, *(one.title for one in wanted)]]
    columns = [values_of(plan, results, one) for one in wanted]
    judged = next((one for one in wanted if one.key in JUDGED), None) if plan.points[0].change else None
    if judged:
        rows[0].append(f"{judged.title} saved")
    for point in plan.points:
        stalled = any(results.get(Run(point, seed), {}).get("stalled") for seed in plan.seeds)
        rows.append([*point.columns.values(), *(figures.text(one, values[point]) for one, values in zip(wanted, columns))])
        if judged:
            rows[-1].append(saved(point, values_of(plan, results, judged)))
        if stalled:
            rows[-1][:1] = [f"{rows[-1][0] if rows[-1] else ''} (stalled)"]
    rows[0] = rows[0] or [""] * len(rows[-1])
    first = next(iter(results.values()))
    last = f"the same in all runs: {', '.join(f'{one.title} {figures.text(one, [first[one.key]])}' for one in same)}\n" if same else ""
    return last + aligned(rows, len(keys))


def saved(point: Point, values: dict[Point, list[float]]) -> str:
    """How much less a figure is than without the change; by medians."""
    before, after = values.get(point.unchanged), values.get(point)
    if point == point.unchanged or not before or not after or not figures.median(before):
        return "-"
    percent = round(100 * (1 - figures.median(after) / figures.median(before)), 1)
    return f"{percent:+.1f} %" if percent else "0 %"


def cost_table(of: Sweep) -> str:
    """What a run of each combination costs."""
    estimate, keys = of.estimate, list(of.plan.points[0].columns)
    rows = [[*keys, "packet-hops", "time", "memory"]]
    rows += [[*point.columns.values(), cost.count(estimate.costs[point].hops), cost.duration(estimate.seconds(point)),
              cost.size(estimate.memory(point))] for point in of.plan.points]
    return aligned(rows, len(keys))


def aligned(rows: list[list[str]], left: int) -> str:
    """A table whose first `left` columns are texts."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "".join("  ".join(f"{cell:<{width}}" if i < left else f"{cell:>{width}}"
                             for i, (cell, width) in enumerate(zip(row, widths))).rstrip() + "\n" for row in rows)


def as_csv(plan: Plan, results: Results) -> str:
    """A row for each run, all figures in their own units."""
    to = io.StringIO()
    rows = csv.writer(to, lineterminator="\n")
    rows.writerow([*plan.points[0].columns, "seed", *(one.key for one in figures.FIGURES), "stalled"])
    for run in plan.runs:
        if run in results:
            rows.writerow([*run.point.columns.values(), run.seed,
                           *(results[run].get(one.key, "") for one in figures.FIGURES), results[run].get("stalled", 0)])
    return to.getvalue()


def as_json(plan: Plan, results: Results) -> list[dict[str, Any]]:
    return [{"point": run.point.columns, "seed": run.seed, "figures": results[run]} for run in plan.runs if run in results]


def write(path: Path, text: str) -> None:
    """Writes a file, all of it or nothing."""
    work = path.with_name(f".{path.name}.new")
    work.write_text(text)
    work.replace(path)


def write_all(plan: Plan, results: Results, out: Path) -> None:
    write(out / "table.csv", as_csv(plan, results))
    for one in shown(results):
        drawing = chart.figure_over(one, plan.points, values_of(plan, results, one))
        write(out / f"{one.key}.svg", drawing.svg())


# ---- the command ----------------------------------------------------------------------------------------------------

def seed_of(content: bytes) -> int:
    """The file's own seed: 1 unless it has one."""
    try:
        return int(((yaml.load(content, yaml.BaseLoader) or {}).get("fabric") or {}).get("seed", "1"))
    except (yaml.YAMLError, AttributeError, ValueError, TypeError):
        return 1


def plan_of(options: Options) -> Plan:
    path = Path(options.file)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SweepError(f"{path}: {error.strerror}") from None
    fails = [percent for text in options.all("fail") for percent in read_fail(text)]
    settings = {option: [read_setting(text, option) for text in options.all(option)] for option in ("set", "each")}
    for option, key in ((option, key) for option, all_of in settings.items() for key, _ in all_of):
        if fails and key.split(".")[0] == "events":
            raise SweepError(f"--{option} {key}: not together with --fail, which sets the events; change the file instead")
        if key in ("seed", "fabric.seed"):
            raise SweepError(f"--{option} {key}: use --seed and --seeds")
    changes = [(key, value) for key, values in settings["each"] for value in values]
    first = int(options.one("seed")) if options.one("seed") else seed_of(content)
    seeds = [first + i for i in range(int(options.one("seeds", "1")))]
    count = math.prod(len(values) for _, values in settings["set"]) * (len(changes) + 1) * max(len(fails), 1)
    if count * len(seeds) > RUNS_MAX:
        raise SweepError(f"{count} combinations with {len(seeds)} seeds are {count * len(seeds)} runs; at most {RUNS_MAX}")
    points = combine(settings["set"], changes, fails)
    return Plan(path, content, points, seeds, ["--until", options.one("until")] if options.one("until") else [])


def open_directory(out: Path) -> io.TextIOWrapper:
    """Makes the directory and keeps others out of it; removes what a sweep that was killed has left."""
    try:
        (out / "runs").mkdir(parents=True, exist_ok=True)
        lock = open(out / ".lock", "w")
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SweepError(f"{out}: another sweep is writing here") from None
    except OSError as error:
        raise SweepError(f"{out}: {error.strerror}") from None
    for left in out.glob(".run-*"):
        shutil.rmtree(left, ignore_errors=True)
    return lock


def sweep(options: Options) -> int:
    plan, out = plan_of(options), Path(options.one("out"))
    with open_directory(out):
        one = Sweep(options, plan, out)
        jobs = int(options.one("jobs", str(len(os.sched_getaffinity(0)))))
        one.check()
        one.find_links()
        if options.all("estimate"):
            one.tell_cost(one.known_results(), jobs)
            sys.stdout.write(cost_table(one))
            return 0
        results, errors = one.run(jobs)
        for error in errors:
            print(f"roost sweep: {error}", file=sys.stderr)
        if results:
            write_all(plan, results, out)
            sys.stdout.write(json.dumps(as_json(plan, results), indent=1) + "\n" if options.all("json")
                             else as_table(plan, results))
        stalled = any(values.get("stalled") for values in results.values())
        return 1 if errors or stalled else 0


def interrupt(number: int, _: object) -> NoReturn:
    raise SystemExit(128 + number)


def main() -> int:
    signal.signal(signal.SIGTERM, interrupt)
    try:
        return sweep(Options(sys.argv[1:]))
    except (SweepError, roost.RoostError) as error:
        print(f"roost sweep: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"roost sweep: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("roost sweep: interrupted; the same command goes on where it stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
