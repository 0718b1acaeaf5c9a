# SPDX-License-Identifier: BSD-3-Clause
"""Traces as other tools write them: what Roost makes of one sample of each format, beside a small reader in Python."""
import trace_readers
from common import *

RATE, DELAY_NS, MTU = 100, 500, 4096            # Gb/s; of each of two links; path MTU
FRAME, OVERHEAD = 4154, 24                      # of a packet between the first and the last; preamble, FCS, gap
B = RATE / 8 * MTU / (FRAME + OVERHEAD)         # payload bytes in a ns
# One way of the last packet, beyond its serialisation at B, as in test_collectives.py.
L = 2 * (8 + FRAME + 4) * 8 / RATE + 2 * DELAY_NS - MTU / B
ACK = 2 * (8 + ack_size(4) + 4) * 8 / RATE + 2 * DELAY_NS
P = 64 * MTU                                    # what samples send is a multiple of this


def time_of(one, rank):
    """How long an operation takes until it is over at a rank, on one leaf that nothing else uses, in ns."""
    n = len(one.ranks)
    if one.kind == "all-to-all":
        return (n - 1) * one.bytes / n / B + L
    if one.kind in ("send", "broadcast"):       # to one other rank; the sender knows by an acknowledgement
        return one.bytes / B + L + (ACK if rank == one.ranks[0] else 0)
    return trace_readers.COUNTS[one.kind] * (n - 1) * (one.bytes / n / B + L)


SIMAI = f"""\
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 4 checkpoints: 0 checkpoint_initiates: 0
3
embedding\t-1\t5000\tALLREDUCE\t{4 * P}\t2000\tNONE\t0\t3000\tALLREDUCE\t{2 * P}\t700
attention\t-1\t10000\tALLGATHER\t{2 * P}\t30000\tREDUCESCATTER\t{4 * P}\t30000\tNONE\t0\t100
mlp\t-1\t8000\tALLTOALL\t{2 * P}\t1000\tNONE\t0\t500\tREDUCESCATTER\t{2 * P}\t0
"""

AICB = f"""\
comm_type,comm_group,comm_group_size,msg_size,stage,dst,src,additional,_elapsed_time,algbw,busbw,count
CommType.all_gather,CommGroup.dp_group,2,{2 * P},init.model_setup,None,None,,None,None,None,1
CommType.epoch_end,None,None,0,,None,None,,None,None,None,1
CommType.computation,CommGroup.all,None,((2048, 4096), (4096, 1536)),forward,None,None,,12500,None,None,1
CommType.all_reduce,CommGroup.tp_group,2,{4 * P},forward.MegatronRowLinear,None,None,,None,None,None,1
CommType.reduce_scatter,CommGroup.dp_group,2,{8 * P},step,None,None,,None,None,None,1
CommType.broadcast,CommGroup.tp_group,2,{P},step,None,0,,None,None,None,1
"""


def nccl_log():
    lines = []

    def say(rank, message):
        lines.append(f"node{rank // 2}:{100 + rank}:{200 + rank} [{rank % 2}] NCCL INFO {message}")

    def init(rank, comm, own, n, id_):
        for what in ("START", "COMPLETE"):
            say(rank, f"ncclCommInitRankConfig comm {comm} rank {own} nranks {n} cudaDev {rank % 2} nvmlDev {rank % 2} "
                f"busId {rank}000 commId {id_} - Init {what}")

    def call(rank, kind, op_count, count, root, comm, n):
        say(rank, f"{kind}: opCount {op_count:x} sendbuff 0x7f0 recvbuff (nil) count {count} datatype 7 op 0 root {root} "
            f"comm {comm} [nranks={n}] stream 0x55{rank}")

    for rank in range(4):
        say(rank, "Bootstrap : Using eth0:10.0.0.1<0>")
        init(rank, "0xa0", rank, 4, "0x260da5686b91fcc7")
        init(rank, "0xb0", rank % 2, 2, f"0xcf4b99820c59894{rank // 2}")
    for rank in range(4):
        call(rank, "AllReduce", 0, P, 0, "0xa0", 4)
        call(rank, "AllGather", 0, P // 4, 0, "0xb0", 2)
        call(rank, "ReduceScatter", 1, P // 2, 0, "0xb0", 2)
    for rank in range(4):                       # in one group: to the next, from the one before
        call(rank, "Send", 1, P, (rank + 1) % 4, "0xa0", 4)
        call(rank, "Recv", 1, P, (rank - 1) % 4, "0xa0", 4)
    return "\n".join(lines) + "\n"


NCCL_TESTS = f"""\
# nccl-tests version 2.17.1 nccl-headers=22807 nccl-library=22807
# Collective test starting: all_gather_perf
# nThread 1 nGpus 1 minBytes 1048576 maxBytes 4194304 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1
#
# Using devices
#  Rank  0 Group  0 Pid  15784 on  nid007106 device  0 [0009:01:00] NVIDIA GH200 120GB
#  Rank  1 Group  0 Pid  15785 on  nid007106 device  1 [0019:01:00] NVIDIA GH200 120GB
#  Rank  2 Group  0 Pid  24926 on  nid007109 device  0 [0009:01:00] NVIDIA GH200 120GB
#  Rank  3 Group  0 Pid  24927 on  nid007109 device  1 [0019:01:00] NVIDIA GH200 120GB
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
{4 * P:12d}{P // 4:14d}     float    none      -1   339.61    3.09    3.09       0   335.85    3.12    3.12       0
nid007106:15784:15784 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM
{8 * P:12d}{P // 2:14d}     float    none      -1   555.5     5.90    5.90       0   361.77    5.80    5.80       0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 4.495
"""

# 3 is idle; 2 sends when it has received, 1 as late as it says.
HTSIM = f"""\
Nodes 4
Connections 4
Triggers 1
0->2 id 1 start 0 size {2 * P} recv_done_trigger 1
1->0 id 2 start 30000000 size {P}
2->1 id 3 trigger 1 size {4 * P}
1->0 id 4 start 60000000 size {P}
trigger id 1 oneshot
"""


def number(value):
    out = b""
    while value >= 0x80:
        out, value = out + bytes([value & 0x7f | 0x80]), value >> 7
    return out + bytes([value])


def field(at, value):
    if isinstance(value, int):
        return number(at << 3) + number(value)
    return number(at << 3 | 2) + number(len(value)) + value


def chakra_files():
    """Two ranks in a group and all four; a message; dependencies by both lists, packed and not."""
    def message(*parts):
        body = b"".join(parts)
        return number(len(body)) + body

    def node(id_, kind, *more, name=b"node", **attributes):
        places = {"comm_type": 9, "comm_size": 13, "comm_src": 7, "comm_dst": 7, "comm_tag": 7, "pg_name": 29}
        return message(field(1, id_), field(2, name), field(3, kind), *more,
                       *(field(10, field(1, key.encode()) + field(places[key], value)) for key, value in attributes.items()))

    files = []
    for rank in range(4):
        data = message(field(1, b"0.0.4"), field(2, field(1, b"schema") + field(29, b"1.0.2-chakra.0.0.4")))
        data += node(10, 4, field(6, 123456), field(7, 25), name=b"aten::mm")
        data += node(11, 7, field(5, 10), comm_type=2, comm_size=P, pg_name=b"%d" % (rank % 2))
        data += node(12, 7, field(4, number(11) + number(10)), comm_type=0, comm_size=4 * P)
        if rank == 0:
            data += node(13, 5, field(4, 12), comm_dst=3, comm_size=2 * P, comm_tag=5)
        if rank == 3:
            data += node(14, 4, field(5, 20), field(7, 7))      # a node that comes later
            data += node(20, 6, field(4, 12), comm_src=0, comm_size=2 * P, comm_tag=5)
        files.append(data)
    return files


class Traces(Case):
    def write(self, format_, sample):
        """Writes the files of a trace and returns what `file` and the command call it."""
        if format_ != "chakra":
            (self.directory / "trace").write_text(sample)
        else:
            for rank, data in enumerate(sample):
                (self.directory / f"trace.{rank}.et").write_bytes(data)
        return "trace"

    def check_description(self, described, ranks, operations, host):
        (item,) = described["items"]
        self.assertEqual(item["ranks"], ranks)
        self.assertEqual(item["compute_ps"], round(trace_readers.busiest(operations) * 1000))
        self.assertEqual({(one["kind"], one.get("group")): (one["count"], one["bytes"]) for one in item["operations"]},
                         trace_readers.sums(operations))
        self.assertEqual({(one["from"], one["to"]): one["bytes"] for one in described["pairs"]},
                         {(host(a), host(b)): size for (a, b), size in trace_readers.pairs(operations).items()})
        self.assertEqual(described["bytes"], sum(trace_readers.pairs(operations).values()))

    def check_times(self, sim, operations):
        """Every operation begins and ends when the closed forms say, in that order."""
        expected = collections.defaultdict(list)
        for one, times in zip(operations, trace_readers.timetable(operations, time_of)[0]):
            expected[one.kind, one.bytes, len(one.ranks)].append(times)
        found = collections.defaultdict(list)
        for one in sim.result["collectives"]:
            if one["kind"] != "step":
                found[one["kind"], one["bytes"], one["ranks"]].append(
                    (one["start_ps"] / 1e3, (one["start_ps"] + one["step_ps"]) / 1e3))
        self.assertEqual({key: len(times) for key, times in found.items()}, {key: len(times) for key, times in expected.items()})
        for key, times in expected.items():
            for want, have in zip(sorted(times), sorted(found[key])):
                for moment, actual in zip(want, have):
                    self.assertAlmostEqual(actual, moment, delta=max(moment * .005, 10), msg=f"{key}: {have}, expected {want}")

    def both(self, format_, sample, read):
        ranks, operations = read(sample)
        name = self.write(format_, sample)
        described = roost("workload", "describe", name, "--format", format_, "-o", "json", cwd=self.directory).json
        self.check_description(described, ranks, operations, str)
        # Two more hosts than ranks, in another order: the i-th takes rank i.
        hosts = ["h2", "h1", *(f"h{i}" for i in range(3, ranks + 3))]
        description = fabric(1, 0, ranks + 2, hosts={"ack-every": 1024}, workload=[
            {"kind": "trace", "name": "recorded", "file": name, "format": format_, "hosts": hosts}])
        described_file = roost("workload", "describe", self.file(description), "-o", "json").json
        self.check_description(described_file, ranks, operations, lambda rank: hosts[rank])
        sim = self.sim(self.file(description))
        assert_complete(self, sim)
        self.assertEqual(sim.summary["drops"], 0)
        self.check_times(sim, operations)
        (step,) = (one for one in sim.result["collectives"] if one["kind"] == "step")
        _, end = trace_readers.timetable(operations, time_of)
        self.assertAlmostEqual((step["start_ps"] + step["step_ps"]) / 1e3 / end, 1, delta=.005)
        return described

    def test_simai(self):
        self.both("simai", SIMAI, trace_readers.simai)

    def test_aicb(self):
        self.both("aicb", AICB, trace_readers.aicb)

    def test_nccl(self):
        self.both("nccl", nccl_log(), trace_readers.nccl)

    def test_nccl_tests(self):
        described = self.both("nccl-tests", NCCL_TESTS, trace_readers.nccl_tests)
        self.assertEqual(described["measured"], [{"operation": 0, "time_ps": 339610000, "busbw_gbps": 24.72},
                                                 {"operation": 1, "time_ps": 555500000, "busbw_gbps": 47.2}])

    def test_htsim(self):
        self.both("htsim", HTSIM, trace_readers.htsim)

    def test_chakra(self):
        self.both("chakra", chakra_files(), trace_readers.chakra)


class Items(Case):
    def test_repeat_and_text(self):
        (self.directory / "trace").write_text(HTSIM)
        path = self.file(fabric(1, 0, 4, workload=[{"kind": "trace", "file": "trace", "format": "htsim", "repeat": 3},
                                                   {"kind": "incast", "from": ["h1", "h2"], "to": "h3", "size": "1MB"}]))
        described = roost("workload", "describe", path, "-o", "json").json
        trace, incast = described["items"]
        self.assertEqual([one["count"] for one in trace["operations"]], [12, 6])
        self.assertEqual(incast["operations"], [{"kind": "incast", "count": 2, "bytes": 2000000}])
        self.assertEqual(described["bytes"], 3 * 8 * P + 2000000)
        self.assertEqual(roost("workload", "describe", path).out.splitlines()[0],
                         "trace: 4 ranks, 3 times, a rank computes up to 180 us")

    def test_many_hosts(self):
        path = self.file(fabric(2, 1, 16, workload=[{"kind": "all-to-all", "size": "1MB"}]))
        out = roost("workload", "describe", path).out
        self.assertIn("the largest 20 of 992 pairs:\n", out)
        self.assertNotIn("from \\ to", out)

    def test_refused(self):
        (self.directory / "trace").write_text(HTSIM)
        for item, pattern in (
                ({"file": "none", "format": "htsim"}, r"workload.file: .*none cannot be read: No such file or directory"),
                ({"file": "none", "format": "chakra"}, r"workload.file: .*none.0.et cannot be read: No such file"),
                ({"file": "trace", "format": "htsim", "hosts": ["h1", "h2"]}, r"trace has 4 ranks, but only 2 NICs take part"),
                ({"file": "trace", "format": "simai"}, r"trace:1:1: \"Nodes\" is not supported"),
                ({"file": "trace", "format": "hpcc"}, r"hpcc is a format of kind: flows"),
                ({"file": "trace"}, r"needs \"format\"")):
            with self.subTest(item=item):
                self.assert_refused(pattern, "check", self.file(fabric(1, 0, 4, workload=[{"kind": "trace"} | item])))
        self.assert_refused(r"none cannot be read: No such file", "workload", "describe", "none", "--format", "nccl")
        self.assert_refused(r"none.0.et cannot be read: No such file or directory; for chakra, write NAME to read NAME.0.et",
                            "workload", "describe", "none.0.et", "--format", "chakra")
        self.assert_refused(r"trace:1:1: no line names the columns", "workload", "describe", self.directory / "trace",
                            "--format", "aicb")

    def test_a_trace_without_its_format(self):
        path = self.directory / "work.txt"
        path.write_text("HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 1\n")
        self.assertIn("work.txt: if this is a trace, say so with --format", roost("workload", "describe", path, status=2).err)
        path = self.directory / "work.yaml"
        path.write_text("a: b: c\n")
        self.assertNotIn("--format", roost("workload", "describe", path, status=2).err)

    def test_the_command_has_the_formats_of_the_key(self):
        words = re.search(r"--format ([a-z|-]+)", roost("workload", "--help").out)[1].split("|")
        key = re.search(r"type +(.+)", roost("help", "workload.format").out)
        self.assertEqual(["roost", "hpcc", "conweave", *words], key[1].split(", "))

    def test_a_circle_is_refused(self):
        (self.directory / "trace").write_text("Nodes 2\nConnections 2\nTriggers 2\n"
                                              "0->1 id 1 trigger 1 size 1 recv_done_trigger 2\n"
                                              "1->0 id 2 trigger 2 size 1 recv_done_trigger 1\n"
                                              "trigger id 1 oneshot\ntrigger id 2 oneshot\n")
        message = "workload.file: operation 1 can never begin: those that it waits for wait for one another"
        self.assert_refused(rf"trace: {message}", "workload", "describe", self.directory / "trace", "--format", "htsim")
        item = {"kind": "trace", "file": "trace", "format": "htsim"}
        self.assert_refused(rf"yaml:\d+:\d+: {message}", "check", self.file(fabric(1, 0, 2, workload=[item])))


if __name__ == "__main__":
    unittest.main()
