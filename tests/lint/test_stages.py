# SPDX-License-Identifier: BSD-3-Clause
"""The order of stages stands in pipelines/switch.h, nic.c and edge.c. Documents that repeat it repeat it right."""
import re
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
ARROW = r"[\s|`]*(?:->|>|→|,)[\s|`]*"
ROW = re.compile(r"^\| `(\w+)` \| (every switch|notices, full|full|tunnels|cut-through) \|", re.M)


def switch_stages():
    """(name, the variant that has it: "every switch", "notices, full", "full", "tunnels" or "cut-through") in order."""
    text = (SOURCE / "pipelines/switch.h").read_text()
    bodies = [text[text.index(f"\n{name}("):]
              for name in ("switch_ingress", "switch_classify", "switch_forward", "switch_deliver")]
    body = "".join(body[:body.index("\n}\n")] for body in bodies)
    body = body.replace("if (variant & (NODE_FULL | NODE_NOTICES))", "if (notices, full)")
    body = body.replace("if (variant & NODE_CUT_THROUGH)", "if (cut-through)")
    calls = re.findall(r"(?:if \((notices, full|full|tunnels|cut-through)\)\s+)?(?:verdict = |SWITCH_STAGE\()stage_(\w+)\(", body)
    return [(name, variant or "every switch") for variant, name in calls]


def nic_stages(file="nic.c", function=None):
    text = (SOURCE / "pipelines" / file).read_text()
    if function:
        text = text[text.index(f"\n{function}("):]
        text = text[:text.index("\n}\n")]
    return re.findall(r"(?:verdict = |SWITCH_STAGE\()stage_(\w+)\(", text)


def infiniband_stages():
    return nic_stages("infiniband.h", "infiniband_pass")


def orders():
    """Every list of stages that a packet may pass."""
    stages = switch_stages()
    return [[name for name, variant in stages if variant in ("every switch", *on)]
            for on in ((), ("notices, full",), ("tunnels",), ("full", "notices, full"), ("full", "notices, full", "tunnels"),
                       ("cut-through",), ("full", "notices, full", "tunnels", "cut-through"))] + [
        nic_stages(function="nic_ingress"), nic_stages("edge.c"), infiniband_stages(),
        [name for name in infiniband_stages() if name != "cut_through"]]


def lists_of_stages(text):
    """What looks like a list of four stages or more, each as a list of names."""
    names = "|".join(sorted({name for order in orders() for name in order}, key=len, reverse=True))
    found = re.finditer(rf"\b(?:{names})\b(?:{ARROW}\w+)*{ARROW}(?:{names})\b", text)
    lists = [re.split(ARROW, one.group()) for one in found]
    return [one for one in lists if len(set(one) & set(names.split("|"))) >= 4]


class Stages(unittest.TestCase):
    def test_there_are_lists_to_compare_with(self):
        self.assertEqual(switch_stages()[0], ("receive", "every switch"))
        self.assertEqual(switch_stages()[-1], ("enqueue", "every switch"))
        self.assertEqual({variant for _, variant in switch_stages()}, {"every switch", "notices, full", "full", "tunnels", "cut-through"})
        self.assertEqual(nic_stages(function="nic_ingress")[-1], "transport")
        self.assertEqual(infiniband_stages()[-1], "enqueue")
        self.assertEqual(nic_stages("edge.c")[-1], "edge_queue")

    def test_wrong_lists_are_found(self):
        self.assertEqual(lists_of_stages("a route, then spray"), [])
        for text in ("receive > parse > route > classify", "`receive`, `parse`, gone,\n`route` -> spray"):
            self.assertEqual(len(lists_of_stages(text)), 1)
            self.assertNotIn(lists_of_stages(text)[0], orders())

    def test_documents_repeat_the_order(self):
        for path in [SOURCE / "README.md", *sorted((SOURCE / "doc").rglob("*.md"))]:
            for one in lists_of_stages(path.read_text()):
                self.assertIn(one, orders(), f"{path.relative_to(SOURCE)}: {' > '.join(one)}")

    def test_the_table_of_stages_is_whole(self):
        self.assertEqual(ROW.findall((SOURCE / "doc/model.md").read_text()), switch_stages())
        self.assertEqual(re.findall(r"^\| `(\w+)` \|", (SOURCE / "doc/infiniband.md").read_text(), re.M), infiniband_stages())


if __name__ == "__main__":
    unittest.main()
