import { expect, test } from 'vitest';
import type { SlideList } from '../../src/backend/generated/SlideList';
import { pairs } from '../../src/review/pairs';

function deck(...ids: (number | [number, string])[]): SlideList {
  const slides = ids.map((entry) => {
    const [id, title] = typeof entry === 'number' ? [entry, ''] : entry;
    return { id, title, hidden: false, notes: '', shapes: [] };
  });
  return { width: 1, height: 1, slides };
}

test('slides are paired by identity', () => {
  const told = (before: SlideList, after: SlideList) => pairs(before, after).map((pair) => `${pair.before ?? '-'}${pair.after ?? '-'} ${pair.state}`);
  expect(told(deck(1, 2, 3), deck(1, 2, 3))).toEqual(['00 same', '11 same', '22 same']);
  expect(told(deck(1, 2, 3), deck(1, 3))).toEqual(['00 same', '1- removed', '21 same']);
  expect(told(deck(1, 2), deck(1, 9, 2))).toEqual(['00 same', '-1 added', '12 same']);
  expect(told(deck(1, 2, 3), deck(3, 1, 2))).toEqual(['20 moved', '01 same', '12 same']);
  expect(told(deck([1, 'a']), deck([1, 'b']))).toEqual(['00 changed']);
});
