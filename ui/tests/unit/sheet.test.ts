import { describe, expect, test } from 'vitest';
import { Axis, columnPixels, rowPixels } from '../../src/preview/sheet/axis';
import { cellEdit, typedValue } from '../../src/preview/sheet/edit';
import { general, shown } from '../../src/preview/sheet/shown';

describe('an axis', () => {
  const axis = new Axis(1_048_576, 20, [{ from: 3, to: 4, size: 30 }, { from: 10, to: 10, size: 0 }], (size) => size);

  test('places rows of different sizes', () => {
    expect([1, 3, 4, 5, 10, 11].map((row) => axis.start(row))).toEqual([0, 40, 70, 100, 200, 200]);
    expect(axis.size(10)).toBe(0);
    expect(axis.length).toBe(1_048_576 * 20 + 2 * 10 - 20);
  });

  test('finds the row at a pixel, and the last one at the end', () => {
    for (const row of [1, 2, 3, 4, 5, 9, 11, 500_000, 1_048_576]) expect(axis.at(axis.start(row))).toBe(row);
    expect(axis.at(axis.length + 1_000)).toBe(1_048_576);
  });

  test('survives spans that overlap or lie outside', () => {
    const odd = new Axis(5, 10, [{ from: 2, to: 4, size: 5 }, { from: 3, to: 9, size: 50 }, { from: 20, to: 30, size: 1 }], (size) => size);
    expect(odd.length).toBe(10 + 15 + 50);
  });
});

test('sizes are pixels as Excel draws them', () => {
  expect(columnPixels(8.43)).toBe(64);
  expect(columnPixels(0)).toBe(0);
  expect(rowPixels(15)).toBe(20);
});

test('values are shown through their formats', () => {
  const cell = (is: number) => ({ row: 1, column: 1, style: 0, value: { kind: 'number' as const, is } });
  expect(shown(cell(1234.5), '#,##0.00', false).text).toBe('1,234.50');
  expect(shown(cell(0.256), '0%', false).text).toBe('26%');
  expect(shown(cell(45_352), 'yyyy-mm-dd', false).text).toBe('2024-03-01');
  expect(shown(cell(45_352 - 1_462), 'yyyy-mm-dd', true).text).toBe('2024-03-01');
  expect(shown(cell(-15), '#,##0;[Red]-#,##0', false).text).toBe('-15');
  expect(general(0.1 + 0.2)).toBe('0.3');
  expect(general(123_456_789_012_345)).toMatch(/^1\.23457E\+14$/);
});

test('what is typed is what it looks like', () => {
  expect([typedValue('12.5'), typedValue('=A1+1'), typedValue('TRUE'), typedValue("'007"), typedValue('1 000'), typedValue('')]).toEqual([12.5, { formula: '=A1+1' }, true, '007', '1 000', null]);
  expect(cellEdit('Data', 'B4', '7')).toEqual({ op: 'xlsx_set_cell', sheet: 'Data', cell: 'B4', value: 7 });
});
