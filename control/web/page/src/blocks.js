// SPDX-License-Identifier: BSD-3-Clause
// The list of a film's blocks: what INDX says, or what going from head to head has found. A film may come from anybody, so both
// are checked against the size of the film and against META before anything else uses them.
import { HEAD, INTERVALS_MAX } from "./decode.js";

export const BLOCKS_MAX = 1 << 20;
const FILM_INTERVALS_MAX = 1 << 24;

const is_count = (value) => Number.isSafeInteger(value) && value >= 0;

/**
 * Throws an Error that says what is wrong, and where.
 * @param {*} blocks list of [offset, type, first, count]
 * @param {number} end where the last block must have ended
 */
export function check_blocks(blocks, end) {
  const fail = (what) => { throw new Error(`the film is damaged: ${what}`); };
  if (!Array.isArray(blocks))
    fail("its index has no list of blocks");
  if (blocks.length > BLOCKS_MAX)
    throw new Error(`the film has more than ${BLOCKS_MAX} blocks; record it with longer intervals`);
  let from = HEAD, next = 0;
  for (const [i, block] of blocks.entries()) {
    const [offset, type, first, count] = Array.isArray(block) ? block : [];
    const where = `block ${i}`;
    if (type !== "META" && type !== "CHNK")
      fail(`${where} is neither META nor CHNK`);
    if (!is_count(offset) || offset < from || offset + HEAD > end)
      fail(`${where} begins at byte ${offset}, but must lie between bytes ${from} and ${end}`);
    from = offset + HEAD;
    if (type === "META")
      continue;
    if (!is_count(count) || count === 0 || count > INTERVALS_MAX)
      fail(`${where} has ${count} intervals; a chunk has 1 to ${INTERVALS_MAX}`);
    if (!is_count(first) || first < next)
      fail(`${where} begins with interval ${first}; expected ${next} or later`);
    next = first + count;
  }
  if (next > FILM_INTERVALS_MAX)
    throw new Error(`the film has ${next} intervals, and the page shows at most ${FILM_INTERVALS_MAX}; record it with longer intervals`);
}

/** The same for the totals in INDX, which may be missing. `count`: of all intervals. */
export function check_totals({ overview, peaks }, meta, count) {
  const fail = (what) => { throw new Error(`the film's index is damaged: ${what}`); };
  const is_object = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const names = new Set(meta.columns.map((column) => column.name));
  for (const [key, value] of [["overview", overview], ["peaks", peaks]])
    if (value !== undefined && !is_object(value))
      fail(`${key} is not an object`);
  for (const [name, peak] of Object.entries(peaks ?? {}))
    if (!names.has(name) || !is_count(peak))
      fail(`the peak of column ${name} is not a count, or META has no such column`);
  if (!overview)
    return;
  const { every, ...columns } = overview;
  if (!is_count(every) || every === 0)
    fail(`each point of its overview stands for ${every} intervals; this must be 1 or more`);
  const points = Math.ceil(count / every);
  for (const [name, values] of Object.entries(columns)) {
    if (!names.has(name) || !Array.isArray(values) || !values.every(is_count))
      fail(`the overview of column ${name} is not a list of counts, or META has no such column`);
    if (values.length && values.length !== points)
      fail(`the overview of column ${name} has ${values.length} points, but ${count} intervals need ${points}`);
  }
}
