/** A cell's value as the person sees it: number formats applied, dates as dates. */
import { format, formatColor } from 'numfmt';
import type { SheetCell } from '../../backend/generated/SheetCell';

export interface Shown {
  text: string;
  /** A colour that the number format asks for. */
  color?: string;
  align: 'left' | 'right' | 'center';
}

/** Days between the two ways of counting dates. */
const DAYS_1904 = 1462;

export function shown(cell: SheetCell, code: string | undefined, date1904: boolean): Shown {
  const { value } = cell;
  switch (value.kind) {
    case 'empty':
      return { text: cell.formula ?? '', align: 'left' };
    case 'text':
      return { text: textShown(value.is, code), align: 'left' };
    case 'number':
      return numberShown(value.is, code, date1904);
    case 'truth':
      return { text: value.is ? 'TRUE' : 'FALSE', align: 'center' };
    case 'error':
      return { text: value.is, align: 'center' };
    case 'date':
      return { text: value.is.replace(/T00:00:00(\.0+)?Z?$/, '').replace('T', ' '), align: 'right' };
  }
}

function textShown(text: string, code: string | undefined): string {
  if (!code?.includes('@') || code === '@') return text;
  try {
    return format(code, text);
  } catch {
    return text;
  }
}

function numberShown(value: number, code: string | undefined, date1904: boolean): Shown {
  if (!code) return { text: general(value), align: 'right' };
  try {
    const counted = date1904 && isDate(code) ? value + DAYS_1904 : value;
    const color = formatColor(code, counted);
    return { text: format(code, counted, { nbsp: false }), color: typeof color === 'string' ? color : undefined, align: 'right' };
  } catch {
    return { text: general(value), align: 'right' };
  }
}

/** General: at most eleven characters of digits, as Excel shows in a wide column. */
export function general(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e11) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e11 || size < 1e-9)) return value.toExponential(5).replace(/\.?0+e/, 'E').replace(/e/, 'E').replace(/E([+-])(\d)$/, 'E$10$2');
  return String(Number(value.toPrecision(10)));
}

function isDate(code: string): boolean {
  return /[ymdhs]/i.test(code.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, ''));
}
