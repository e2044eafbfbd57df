import { expect, test } from 'vitest';
import { cellOf, columnLetters, columnNumber, lineOf, place, slideOf } from '../../src/shared/places';

test('addresses are said in words', () => {
  expect(place('line 12')).toBe('line 12');
  expect(place('L3')).toBe('line 3');
  expect(place('p7')).toBe('paragraph 7');
  expect(place('s2.shape5')).toBe('slide 2 · shape 5');
  expect(place('s2.notes')).toBe('slide 2 · Notes');
  expect(place('t1.r2.c3.p1')).toBe('table 1, row 2, column 3');
  expect(place('Budget!B4')).toBe('Budget!B4');
});

test('addresses are positions', () => {
  expect(cellOf("'My ''own'' sheet'!B4:D9")).toEqual({ sheet: "My 'own' sheet", row: 4, column: 2, rowEnd: 9, columnEnd: 4 });
  expect(cellOf('$AA$10')).toEqual({ sheet: undefined, row: 10, column: 27, rowEnd: 10, columnEnd: 27 });
  expect(cellOf('p12')).toBeUndefined();
  expect(slideOf('s14.title')).toBe(14);
  expect(lineOf('lines 4-9')).toBe(4);
});

test('columns have letters', () => {
  for (const [number, letters] of [[1, 'A'], [26, 'Z'], [27, 'AA'], [16_384, 'XFD']] as const) {
    expect(columnLetters(number)).toBe(letters);
    expect(columnNumber(letters)).toBe(number);
  }
});
