# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures for pytest: roost_switch, roost_fabric and roost_live.

pytest finds them where the package is installed. In a source tree: `PYTHONPATH=control/python pytest -p roost.pytest_plugin`.

    def test_ttl(roost_switch):
        run = roost_switch("switch.yaml", {"swp1": packets})
        assert run.port("swp2").tx_packets == 19

When such a test fails, its report has a section for each port that it looked at last: drops, pauses, and the last events.
"""
import contextlib
from collections.abc import Callable, Generator, Iterator
from typing import Any, TypeVar

import pytest

from .counters import State
from .fabric import Fabric, live
from .runs import Replay, Run, Sim, replay, sim

SHOWN_PORTS = 3
Made = TypeVar("Made")
STATES: pytest.StashKey[list[Callable[[], State | None]]] = pytest.StashKey()


def _factory(request: pytest.FixtureRequest, start: Callable[..., contextlib.AbstractContextManager[Made]],
             state: Callable[[Made], State | None]) -> Iterator[Callable[..., Made]]:
    """A function that starts runs, which end with the test; remembers what to report of their state if the test fails."""
    with contextlib.ExitStack() as started:
        def call(*args: Any, **options: Any) -> Made:
            made = started.enter_context(start(*args, **options))
            request.node.stash.setdefault(STATES, []).append(lambda: state(made))
            return made
        yield call


def _state_of_run(run: Run) -> State | None:
    return run.state


def _state_of_fabric(fabric: Fabric) -> State | None:
    return fabric.last


@pytest.fixture
def roost_switch(request: pytest.FixtureRequest) -> Iterator[Callable[..., Replay]]:
    """roost_switch(config, packets, ...): plays packets into one switch; the arguments and the result are those of
    roost.replay(). The files of the run stay until the test ends."""
    yield from _factory(request, replay, _state_of_run)


@pytest.fixture
def roost_fabric(request: pytest.FixtureRequest) -> Iterator[Callable[..., Sim]]:
    """roost_fabric(config, ...): runs a fabric in virtual time; the arguments and the result are those of roost.sim()."""
    yield from _factory(request, sim, _state_of_run)


@pytest.fixture
def roost_live(request: pytest.FixtureRequest) -> Iterator[Callable[..., Fabric]]:
    """roost_live(config, ...): brings a fabric up, which goes down when the test ends; the arguments are those of
    roost.live()."""
    yield from _factory(request, live, _state_of_fabric)


@pytest.hookimpl(hookwrapper=True)     # type: ignore[misc]
def pytest_runtest_makereport(item: pytest.Item, call: "pytest.CallInfo[None]") -> Generator[None, Any, None]:
    """Adds what is known of the ports that a failed test looked at."""
    outcome = yield
    report = outcome.get_result()
    if report.when != "call" or not report.failed:
        return
    for get in item.stash.get(STATES, []):
        state = get()
        # The last state may be of one node alone.
        looked_at = [port for port in state.looked_at if port.partition(".")[0] in state.nodes] if state else []
        for port in looked_at[-SHOWN_PORTS:]:
            lines = state.story(port) if state else []
            if lines and lines[0] not in str(report.longrepr):      # not where expect() has said the same
                report.sections.append((f"roost {port}", "\n".join(lines)))
