/** Marks changes in the two pages of a Word review: whole paragraphs in colour, the differing words more strongly. */
import type { Change } from '../../backend';
import type { WordPage } from './page';

export interface Spot {
  before?: HTMLElement;
  after?: HTMLElement;
}

type Highlights = { CSS?: { highlights?: Map<string, unknown> }; Highlight?: new (...ranges: Range[]) => unknown };

/** Finds and marks every change; answers where each lies on either side. */
export function mark(changes: Change[], before: WordPage, after: WordPage): Spot[] {
  const ranges: { before: Range[]; after: Range[] } = { before: [], after: [] };
  const spots = changes.map((change) => {
    const spot = find(change, before, after);
    const kind = change.before === undefined ? 'added' : change.after === undefined ? 'removed' : 'changed';
    spot.before?.classList.add(kind === 'changed' ? 'stet-changed' : 'stet-removed');
    spot.after?.classList.add(kind === 'changed' ? 'stet-changed' : 'stet-added');
    if (kind === 'changed' && spot.before && spot.after) {
      const [left, right] = [spot.before.textContent ?? '', spot.after.textContent ?? ''];
      const [start, endBefore, endAfter] = differing(left, right);
      ranges.before.push(...textRange(spot.before, start, endBefore));
      ranges.after.push(...textRange(spot.after, start, endAfter));
    }
    return spot;
  });
  highlight(before, 'stet-before', ranges.before);
  highlight(after, 'stet-after', ranges.after);
  return spots;
}

/** Marks one side only, for a view of a single revision. */
function find(change: Change, before: WordPage, after: WordPage): Spot {
  const here = after.paragraph(change.where);
  const there = before.paragraph(change.where);
  // `where` counts in the document after the batch; what was removed is counted before it.
  if (change.after === undefined) return { before: there };
  if (change.before === undefined) return { after: here };
  return { after: here, before: sameText(before, change.before, change.where) ?? there };
}

/** The paragraph that reads as the change says, nearest to the address: earlier insertions may have moved it. */
function sameText(page: WordPage, text: string, at: string): HTMLElement | undefined {
  const wanted = squeezed(text);
  if (squeezed(page.paragraph(at)?.textContent ?? '') === wanted) return page.paragraph(at);
  const from = page.paragraphs.findIndex((entry) => entry.at === at);
  const fitting = page.paragraphs.map((entry, index) => ({ entry, away: Math.abs(index - Math.max(0, from)) })).filter(({ entry }) => squeezed(entry.element.textContent ?? '') === wanted);
  fitting.sort((a, b) => a.away - b.away);
  return fitting[0]?.entry.element;
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Where two texts begin and end to differ, at word boundaries. */
export function differing(left: string, right: string): [number, number, number] {
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < left.length - start && end < right.length - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1;
  const inWord = (text: string, at: number) => /[\p{L}\p{N}]/u.test(text[at - 1] ?? ' ') && /[\p{L}\p{N}]/u.test(text[at] ?? ' ') && !/\p{Script=Han}/u.test(text[at] ?? ' ');
  while (start > 0 && (inWord(left, start) || inWord(right, start))) start -= 1;
  while (end > 0 && (inWord(left, left.length - end) || inWord(right, right.length - end))) end -= 1;
  return [start, left.length - end, right.length - end];
}

function textRange(element: HTMLElement, from: number, to: number): Range[] {
  if (to <= from) return [];
  const walker = element.ownerDocument.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const range = element.ownerDocument.createRange();
  let at = 0;
  let begun = false;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.textContent?.length ?? 0;
    if (!begun && at + length > from) {
      range.setStart(node, from - at);
      begun = true;
    }
    if (begun && at + length >= to) {
      range.setEnd(node, to - at);
      return [range];
    }
    at += length;
  }
  return [];
}

function highlight(page: WordPage, name: string, ranges: Range[]): void {
  const view = page.frame.contentWindow as (Window & Highlights) | null;
  if (view?.CSS?.highlights && view.Highlight && ranges.length > 0) view.CSS.highlights.set(name, new view.Highlight(...ranges));
}
