#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes files as a C source: embed.py OUT.c WORD FILE... defines embedded_WORD (embedded.h)."""
import pathlib
import sys


def main():
    out, word, *files = sys.argv[1:]
    lines = ['// Made by dataplane/base/embed.py.', '#include "dataplane/base/embedded.h"', '']
    rows = []
    for n, file in enumerate(map(pathlib.Path, files)):
        text = file.read_bytes()
        lines.append(f'static const unsigned char text{n}[] = {{')
        lines += ['\t' + ' '.join(f'{byte},' for byte in text[i:i + 20])
                  for i in range(0, len(text), 20)]
        lines += ['};', '']
        rows.append(f'\t{{"{file.stem}", (const char *)text{n}, sizeof(text{n})}},')
    lines += [f'const struct embedded_file embedded_{word}[] = {{', *rows, '\t{NULL, NULL, 0},', '};', '']
    pathlib.Path(out).write_text('\n'.join(lines))


main()
