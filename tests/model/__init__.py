# SPDX-License-Identifier: BSD-3-Clause
"""One switch once more: a slow and obvious model, written from the description of the rules alone.

settings    what the keys of a file mean: cells, picoseconds, shares
buffer      who may take how much of the buffer; sums are taken anew each time they are asked for
pause       pauses received, and for how long they held
pfc         XOFF and XON, and the frames that say so
watchdog    which queues pauses hold without progress, and what is done about it
port        the transmitter, who goes next, what is marked or dropped there
queue       one FIFO, or tenants in turn
scheduler   strict classes and deficit round robin
shaper      rates that a queue is held to or promised
histogram   depths and latencies by bins
switch      the order of events at an instant; arrivals from end to end
report      the model's state in the shape of counters.json

configuration, traffic, happenings   draw a random switch, its input and its events from a seed
compare     runs `roost replay` and the model and says where they differ

`python3 -m model --seed 7` (in tests/) runs one seed and keeps its files.
"""
