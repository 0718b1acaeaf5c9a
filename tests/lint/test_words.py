# SPDX-License-Identifier: BSD-3-Clause
"""Words that may not come back: names that the code had before it took the field's words, and phrases that no
engineer would say. Each failure lists every hit with file and line, so that a new one is easy to mend."""
import re
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
CODE = (".c", ".h", ".py", ".build", ".yaml", ".md", ".sh", "")

# Names, with what to write instead. They are looked for in code, tests and documents.
NAMES = {
    r"written_wear": "static_route_set_encap",
    r"reach_set_out": "reach_first_hop",
    r"reach_go_on": "reach_next_hop",
    r"wears?|wore|worn": "encap; a packet has a tag, is in a tunnel",
    r"learnt": "learned",
    r"config_(?:diag|message|warning)": "diag, diag_message, diag_warning",
    r"CONFIG_ROLE_SUPER(?!_)": "CONFIG_ROLE_SUPER_SPINE",
    r"reslice|struct slices": "tenant_change, tenant_snapshot",
    r"nic_look\w*|struct looks": "qp_snapshot",
    r"asks_may": "probe_limiter_allow",
    r"struct lab": "live_fabric",
    r"(?:changes|drains|tell)_look": "*_poll",
    r"PACKET_OPENED": "PACKET_DECAPPED",
    r"PACKET_CUT": "PACKET_TRIMMED_UPSTREAM",
    r"PACKET_UNSENT": "PACKET_NO_PAYLOAD",
    r"port_kicks": "port_should_send",
    r"charge_give": "charge_return",
    r"pfc_forget_told": "pfc_close_pauses",
    r"no-packet|DROP_NO_PACKET": "no-mbuf",
    r"stage_\w+_whole|NODE_WHOLE": "*_full",
    r"rx_doubt": "rx_faults",
    r"queue_more": "queue_cold",
    r"node\.worse|node\.looks": "port_penalty, path_inputs",
}

# Files of control, with what they are called now.
FILES = {
    "ends": "endpoints, tunnel_guard", "owners": "unknown_ports", "nearer": "overrides", "settle": "resolve_defaults",
    "cause": "error_origin", "steps": "event_order", "overlay": "tenant_encap", "offers": "advertised",
    "via": "static_routes", "claims": "address_conflicts", "parts": "components", "sides": "link_mismatch",
    "moved": "moved_hosts", "leaving": "in_flight_routes", "known": "link_view", "looks": "qp_snapshot",
    "marks": "settings_cache", "steered": "steering_counts", "losses": "device_drops", "locals": "local_addresses",
    "tell": "notify", "learnt": "neighbours",
}

# Phrases, with what to write instead. They are looked for in documents, and in comments and messages of the code.
PHRASES = {
    r"(?:is|are|was|were) told": "gets, learns, reads",
    r"(?:is|are|was|were) asked for": "requested; say who needs it",
    r"as it was to be": "say what it should be",
    r"of each once": "one of each",
    r"so neither": "say which does what",
    r"likewise": "the same, also",
    r"whoever": "say who",
    r"tells? (?:which|how|what)": "says, explains, finds",
    r"in the place of": "instead of, replaces",
    r"speaks? against": "prevents",
    r"takes? part in": "uses, is used by",
    r": good\b": "ok",
}
TALKED = ("control", "dataplane", "pipelines")    # their comments and strings are searched for phrases
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


# Between two words: blanks, or the end of a line of text, of a comment or of a string.
GAP = r'[ \t"]*(?:\n[ \t"]*(?://[ \t]*)?)?'


def pattern(word):
    return re.compile(rf"(?:^|(?<![\w-])|(?=:))(?:{word.replace(' ', GAP + '(?<=[^a-z])')})(?!\w)", re.I)


def files():
    """Every text file of the project but those that a build made, and this one."""
    for top in ("control", "dataplane", "pipelines", "tests", "testbeds", "conf", "doc"):
        for path in sorted((SOURCE / top).rglob("*")):
            if path.is_file() and path.suffix in CODE and "__pycache__" not in path.parts and path != Path(__file__).resolve():
                yield path
    yield SOURCE / "README.md"


def spoken(path, text):
    """Of C only comments and strings, at their places; a document whole."""
    if path.suffix == ".md":
        return text
    blank = re.sub(r"[^\n]", " ", text)
    out, end = [], 0
    for one in COMMENT_OR_STRING.finditer(text):
        out += [blank[end:one.start()], one.group()]
        end = one.end()
    return "".join(out) + blank[end:]


def is_talk(path):
    place = path.relative_to(SOURCE).parts
    return path.suffix == ".md" and place[0] in ("doc", "README.md") or path.suffix in (".c", ".h") and place[0] in TALKED


def hits(text, words):
    """(line, what stands there, what to write instead), in order."""
    if not re.search("|".join(words).replace(" ", GAP), text, re.I):
        return []
    found = [(one.start(), one.group(), instead) for word, instead in words.items() for one in pattern(word).finditer(text)]
    return [(text.count("\n", 0, start) + 1, " ".join(what.split()), instead) for start, what, instead in sorted(found)]


def report(path, found):
    return [f"{path.relative_to(SOURCE)}:{line}: {what!r}: write {instead}" for line, what, instead in found]


class Words(unittest.TestCase):
    maxDiff = None

    def assert_none(self, wrong):
        self.assertFalse(wrong, "\n".join([f"{len(wrong)} hits", *wrong]))

    def test_the_search_finds(self):
        self.assertEqual([line for line, *_ in hits("a\nstruct lab *lab;\nint reslice;\n", NAMES)], [2, 3])
        self.assertEqual(hits("struct label *label; software; wearable", NAMES), [])
        text = '// the port is\n// told\nint is_told = told;\nf("x: good");\n'
        self.assertEqual([line for line, *_ in hits(spoken(Path("a.c"), text), PHRASES)], [1, 4])

    def test_names(self):
        self.assert_none([one for path in files() for one in report(path, hits(path.read_text(errors="replace"), NAMES))])

    def test_files(self):
        self.assert_none([f"{path.relative_to(SOURCE)}: call it {FILES.get(path.stem, '*_internal')}" for top in ("control", "dataplane")
                          for path in sorted((SOURCE / top).rglob("*.[ch]"))
                          if path.stem in FILES or path.stem.endswith("_part")])

    def test_phrases(self):
        self.assert_none([one for path in files() if is_talk(path)
                          for one in report(path, hits(spoken(path, path.read_text(errors="replace")), PHRASES))])


if __name__ == "__main__":
    unittest.main()
