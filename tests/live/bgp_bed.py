# SPDX-License-Identifier: BSD-3-Clause
"""A test case with a fabric of testbeds/netns/bgp: four switches with an FRR each."""
import shutil
import sys

from common import *

BED = SOURCE / "testbeds/netns/bgp"
sys.path.insert(0, str(BED))

from testbed import FRR, Testbed


class BgpBed(LiveCase):
    """`name` and `options` of the testbed, and the daemon that the tests need, are the subclass's."""
    name, daemon, options = "bgp", "bgpd", {}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not (FRR / cls.daemon).exists():
            raise unittest.SkipTest("needs FRR: apt install frr")
        cls.bed = Testbed(name_of(cls.name), ROOST, **cls.options)
        # Takes it down as soon as the pipe closes: at the end, or when this process is killed.
        guard = subprocess.Popen(["sh", "-c", f"cat; exec {BED}/bgp --name {cls.bed.name} down"],
                                 env=os.environ | {"ROOST": str(ROOST)}, stdin=subprocess.PIPE,
                                 start_new_session=True)
        cls.addClassCleanup(cls.assert_gone)
        cls.addClassCleanup(guard.wait, 60)
        cls.addClassCleanup(guard.stdin.close)
        cls.bed.up()

    @classmethod
    def assert_gone(cls):
        left = cls.bed.there() + clean(cls.bed.name) + [str(one) for one in [cls.bed.directory] if one.exists()]
        if left:
            raise AssertionError(f"left behind: {left}")

    def keep_logs(self):
        """Copies what FRR has logged to where the runner keeps the files of a test that failed."""
        to = Path(os.environ.get("TMPDIR", "/tmp"), f"{self.bed.name}.{self._testMethodName}")
        for log in self.bed.directory.glob("*/*.log"):
            (to / log.parent.name).mkdir(parents=True, exist_ok=True)
            shutil.copy(log, to / log.parent.name)
        return to

    def await_converged(self, what, seconds=90):
        wait_until(self.bed.converged, lambda: f"{what}; {json.dumps(self.bed.state())}; logs: {self.keep_logs()}", seconds)

    def show(self, switch, *words):
        return roost("show", *words, "-f", f"{self.bed.name}-{switch}", "-o", "json").json["nodes"][
            f"{self.bed.name}-{switch}"]
