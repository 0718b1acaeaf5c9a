# SPDX-License-Identifier: BSD-3-Clause
"""A page of doc/ about a live fabric, done word for word under another name of the fabric."""
import shlex

from common import *

STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def run_page(case, text, fabric, name):
    """Runs every `$ sudo roost` command of a page's console blocks in the case's directory, which holds the files
    that they name, with `name` wherever the page says `fabric`. The exit status is 0 or as told behind the command;
    what is shown below it is what it prints, but of a ping, which tells times. Returns how many there were."""
    count = 0
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        for entry in re.split(r"^\$ sudo roost ", block, flags=re.M)[1:]:
            line, told = entry.split("\n", 1)
            line, _, status = line.partition("# exit status ")
            words = [name if word == fabric else word for word in shlex.split(line)]
            done = roost(*words, status=int(status or 0), cwd=case.directory,
                         env=os.environ | {"ROOST_FABRIC": name})
            out = (done.err + done.out).replace(str(case.directory), "/root").replace(name, fabric)
            if "ping" not in words:
                case.assertEqual(STAMP.sub("2026-01-09T18:33:00Z", out), told, line)
            count += 1
    return count
