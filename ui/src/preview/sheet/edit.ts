/** What a person typed into a cell, as an operation: `=` begins a formula, numbers are numbers, everything else is text. */

export type CellValue = string | number | boolean | null | { formula: string };

export function typedValue(text: string): CellValue {
  if (text === '') return null;
  // An apostrophe says "text", as in every spreadsheet.
  if (text.startsWith("'")) return text.slice(1);
  if (text.startsWith('=') && text.length > 1) return { formula: text };
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim())) return Number(text);
  return text;
}

export function cellEdit(sheet: string | undefined, cell: string, text: string): Record<string, unknown> {
  return { op: 'xlsx_set_cell', ...(sheet === undefined ? {} : { sheet }), cell, value: typedValue(text) };
}
