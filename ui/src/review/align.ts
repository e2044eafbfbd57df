/** Which place of one side stands level with which place of the other: by equal paragraphs, and in between by share. */
import { diff } from '@codemirror/merge';
import { coded } from '../preview/edit';

/** Pairs of indices of paragraphs that belong together, in order: equal ones, and changed ones by their place in the change. */
export function pairParagraphs(before: string[], after: string[]): [number, number][] {
  const [left, right] = coded(before, after);
  const pairs: [number, number][] = [];
  let [a, b] = [0, 0];
  for (const { fromA, toA, fromB, toB } of [...diff(left, right), { fromA: left.length, toA: left.length, fromB: right.length, toB: right.length }]) {
    while (a < fromA && b < fromB) pairs.push([a++, b++]);
    const changed = Math.min(toA - fromA, toB - fromB);
    for (let step = 0; step < changed; step += 1) pairs.push([fromA + step, fromB + step]);
    [a, b] = [toA, toB];
  }
  return pairs;
}

/** A position on the one side as a position on the other; `level` holds rising positions that stand level. */
export function carry(level: [number, number][], position: number, from: 0 | 1): number {
  const to = from === 0 ? 1 : 0;
  let low = 0;
  let high = level.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((level[middle]?.[from] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  const here = level[low];
  if (!here) return position;
  const next = level[low + 1];
  if (!next || next[from] <= here[from]) return here[to] + (position - here[from]);
  const share = Math.max(0, position - here[from]) / (next[from] - here[from]);
  return here[to] + share * (next[to] - here[to]);
}
