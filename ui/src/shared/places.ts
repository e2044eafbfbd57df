/** Addresses of the contract (`line 12`, `Sheet1!B4`, `p12`, `s2.shape5`) in words, and as positions. */
import { t } from '../i18n/index.svelte';

/** An address as a person says it. What is not known stays as it is. */
export function place(where: string): string {
  const line = /^(?:line |L)(\d+)$/.exec(where);
  if (line) return t('place.line', { number: Number(line[1]) });
  const lines = /^(?:lines |L)(\d+)\s*[-–:]\s*L?(\d+)$/.exec(where);
  if (lines) return t('place.lines', { from: Number(lines[1]), to: Number(lines[2]) });
  const paragraph = /^p(\d+)$/.exec(where);
  if (paragraph) return t('place.paragraph', { number: Number(paragraph[1]) });
  const slide = /^(?:s|slide )(\d+)(?:\.(.+))?$/.exec(where);
  if (slide) {
    const on = t('place.slide', { number: Number(slide[1]) });
    return slide[2] ? `${on} · ${part(slide[2])}` : on;
  }
  const cell = /^t(\d+)\.r(\d+)\.c(\d+)(?:\.p\d+)?$/.exec(where);
  if (cell) return t('place.cell', { table: Number(cell[1]), row: Number(cell[2]), column: Number(cell[3]) });
  return where;
}

function part(name: string): string {
  const shape = /^shape(\d+)$/.exec(name);
  if (shape) return t('place.shape', { number: Number(shape[1]) });
  return name === 'notes' ? t('view.slide.notes') : name === 'title' ? t('place.title') : name;
}

/** The 1-based line that an address names, the first of several. */
export function lineOf(where: string): number | undefined {
  const found = /^(?:lines? |L)(\d+)/.exec(where);
  return found ? Number(found[1]) : undefined;
}

/** The 1-based slide that an address names. */
export function slideOf(where: string): number | undefined {
  const found = /^(?:s|slide )(\d+)/.exec(where);
  return found ? Number(found[1]) : undefined;
}

/** Sheet, 1-based row and column of `Data!B4`, `'My sheet'!B4:C9` or `B4`; the first cell of a range. */
export function cellOf(where: string): { sheet?: string; row: number; column: number; rowEnd: number; columnEnd: number } | undefined {
  const found = /^(?:(?:'((?:[^']|'')*)'|([^!]+))!)?\$?([A-Z]{1,3})\$?(\d+)(?::\$?([A-Z]{1,3})\$?(\d+))?$/.exec(where);
  if (!found) return undefined;
  const [, quoted, plain, letters, digits, lettersEnd, digitsEnd] = found;
  const column = columnNumber(letters ?? 'A');
  const row = Number(digits);
  return {
    sheet: quoted?.replaceAll("''", "'") ?? plain, row, column,
    rowEnd: digitsEnd ? Number(digitsEnd) : row, columnEnd: lettersEnd ? columnNumber(lettersEnd) : column,
  };
}

export function columnNumber(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

export function columnLetters(column: number): string {
  let rest = column;
  let letters = '';
  while (rest > 0) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
    rest = Math.floor((rest - 1) / 26);
  }
  return letters;
}
