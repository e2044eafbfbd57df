/** Rows or columns along one direction: where each begins, and which lies at a pixel. Sizes differ only in the given spans. */
import type { SheetSpan } from '../../backend/generated/SheetSpan';

interface Stretch {
  /** 1-based, inclusive. */
  from: number;
  to: number;
  size: number;
  /** Where `from` begins, in pixels. */
  start: number;
}

export class Axis {
  private readonly stretches: Stretch[] = [];

  /**
   * @param count how many rows or columns there are
   * @param size pixels of one without a span
   * @param spans in any order; where two overlap the later begins behind the earlier
   */
  constructor(readonly count: number, size: number, spans: SheetSpan[], pixels: (size: number) => number) {
    let next = 1;
    let start = 0;
    const add = (from: number, to: number, each: number) => {
      if (to < from) return;
      this.stretches.push({ from, to, size: each, start });
      start += (to - from + 1) * each;
      next = to + 1;
    };
    for (const span of [...spans].sort((a, b) => a.from - b.from)) {
      if (span.to < next || span.from > count) continue;
      add(next, span.from - 1, size);
      add(Math.max(next, span.from), Math.min(span.to, count), pixels(span.size));
    }
    add(next, count, size);
  }

  /** Where an index begins; one behind the last is the total length. */
  start(index: number): number {
    const stretch = this.find((entry) => entry.from <= index);
    return stretch ? stretch.start + (index - stretch.from) * stretch.size : 0;
  }

  size(index: number): number {
    return this.start(index + 1) - this.start(index);
  }

  get length(): number {
    return this.start(this.count + 1);
  }

  /** The index at a pixel, within the axis. */
  at(pixel: number): number {
    const stretch = this.find((entry) => entry.start <= pixel);
    if (!stretch) return 1;
    const inside = stretch.size > 0 ? Math.floor((pixel - stretch.start) / stretch.size) : 0;
    return Math.min(this.count, Math.min(stretch.to, stretch.from + Math.max(0, inside)));
  }

  /** The last stretch that fits; they are ordered by both index and pixel. */
  private find(fits: (stretch: Stretch) => boolean): Stretch | undefined {
    let low = 0;
    let high = this.stretches.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const stretch = this.stretches[middle];
      if (stretch && fits(stretch)) low = middle + 1;
      else high = middle;
    }
    return this.stretches[low - 1];
  }
}

/** Excel's pixels for a width in characters of the default font, seven pixels wide at 100 % (18.3.1.13). */
export function columnPixels(characters: number): number {
  return characters <= 0 ? 0 : Math.trunc(((256 * characters + Math.trunc(128 / 7)) / 256) * 7) + 5;
}

export function rowPixels(points: number): number {
  return Math.round((points * 96) / 72);
}
