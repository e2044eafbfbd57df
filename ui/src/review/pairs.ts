/** Which slide before is which slide after: the same identity is the same slide, whatever its place. */
import type { Slide } from '../backend/generated/Slide';
import type { SlideList } from '../backend/generated/SlideList';

export interface Pair {
  /** 0-based places; one is missing when the slide was added or removed. */
  before?: number;
  after?: number;
  state: 'same' | 'changed' | 'moved' | 'added' | 'removed';
}

export function pairs(before: SlideList, after: SlideList): Pair[] {
  const places = new Map(before.slides.map((slide, index) => [slide.id, index]));
  const found: Pair[] = [];
  const taken = new Set<number>();
  const inOrder = increasing(after.slides.map((slide) => places.get(slide.id)));
  after.slides.forEach((slide, index) => {
    const place = places.get(slide.id);
    const was = place === undefined ? undefined : before.slides[place];
    if (place === undefined || !was) {
      found.push({ after: index, state: 'added' });
      return;
    }
    taken.add(place);
    const state = inOrder.has(place) ? (same(was, slide) ? 'same' : 'changed') : 'moved';
    found.push({ before: place, after: index, state });
  });
  before.slides.forEach((_, index) => {
    if (taken.has(index)) return;
    const at = found.findIndex((pair) => pair.before !== undefined && pair.before > index);
    found.splice(at < 0 ? found.length : at, 0, { before: index, state: 'removed' });
  });
  return found;
}

function same(left: Slide, right: Slide): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** The places of a longest run that kept its order; all others were moved. */
function increasing(places: (number | undefined)[]): Set<number> {
  const known = places.filter((place) => place !== undefined);
  const length: number[] = [];
  const from: number[] = [];
  known.forEach((place, index) => {
    let best = 0;
    let link = -1;
    for (let earlier = 0; earlier < index; earlier += 1) {
      if ((known[earlier] ?? 0) < place && (length[earlier] ?? 0) > best) {
        best = length[earlier] ?? 0;
        link = earlier;
      }
    }
    length.push(best + 1);
    from.push(link);
  });
  const kept = new Set<number>();
  let at = length.indexOf(Math.max(0, ...length));
  while (at >= 0) {
    kept.add(known[at] ?? -1);
    at = from[at] ?? -1;
  }
  return kept;
}
