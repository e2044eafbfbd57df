/** Previews of the fake documents: a small budget, four slides as text, and the sample agreement. */
import agreement from '../../../samples/Agreement.docx?url';
import type { DocxPreview } from './generated/DocxPreview';
import type { SheetCell } from './generated/SheetCell';
import type { SheetWindow } from './generated/SheetWindow';
import type { SlideList } from './generated/SlideList';

const ITEMS: [string, number, number][] = [['Travel', 100, 84], ['Printing', 640, 655], ['Venue', 1200, 1200], ['Catering', 450, 310]];

/** A sheet with everything that a cell can be dressed with. */
const DRESSED: SheetCell[] = [
  { row: 1, column: 1, style: 0, value: { kind: 'text', is: 'Rich text' }, runs: [{ text: 'Rich ' }, { text: 'text', bold: true, italic: false, color: '#c00000' }] },
  { row: 2, column: 1, style: 0, value: { kind: 'text', is: 'A text that is longer than its column runs over its empty neighbours' } },
  { row: 3, column: 1, style: 0, value: { kind: 'text', is: 'A text that is cut where its neighbour begins' } },
  { row: 3, column: 2, style: 0, value: { kind: 'number', is: 1 } },
  { row: 4, column: 4, style: 4, value: { kind: 'text', is: 'runs to the left' } },
  { row: 5, column: 2, style: 3, value: { kind: 'number', is: 123_456_789_012 } },
  { row: 5, column: 3, style: 0, value: { kind: 'number', is: 3.141_592_653_589_79 } },
  { row: 6, column: 1, style: 5, value: { kind: 'text', is: 'Lines' } },
  ...['3Arrows', '3TrafficLights1', '3Flags', '3Symbols', '3Stars', '5Quarters', '5Rating'].flatMap((set, at): SheetCell[] =>
    [0, 1, 2].map((index) => ({ row: 8 + at, column: 1 + index, style: 3, value: { kind: 'number', is: index * 50 }, look: { icon: [set, index] } }))),
  { row: 16, column: 1, style: 0, value: { kind: 'number', is: 75 }, look: { bar: [0, 0.75, '#638ec6'] } },
  { row: 17, column: 1, style: 0, value: { kind: 'number', is: -25 }, look: { bar: [0.25, 0.5, '#ff0000'] } },
  { row: 18, column: 1, style: 0, value: { kind: 'number', is: 9 }, look: { icon: ['3Signs', 2], value_hidden: true } },
  { row: 19, column: 1, style: 0, value: { kind: 'empty' }, look: { fill: '#ffc7ce', strike: true } },
];

export function sheetWindow(params: { rows: [number, number]; columns: [number, number]; sheet?: number; with_layout?: boolean }): SheetWindow {
  const cells: SheetCell[] = [
    { row: 1, column: 1, value: { kind: 'text', is: 'Budget of the spring campaign' }, style: 1 },
    ...['Item', 'Planned', 'Spent', 'Left'].map((is, index): SheetCell => ({ row: 3, column: index + 1, value: { kind: 'text', is }, style: 2 })),
    ...ITEMS.flatMap(([item, planned, spent], index): SheetCell[] => [
      { row: 4 + index, column: 1, value: { kind: 'text', is: item }, style: 0 },
      { row: 4 + index, column: 2, value: { kind: 'number', is: planned }, style: 3 },
      { row: 4 + index, column: 3, value: { kind: 'number', is: spent }, style: 3 },
      { row: 4 + index, column: 4, value: { kind: 'number', is: planned - spent }, formula: `=B${4 + index}-C${4 + index}`, style: 3 },
    ]),
  ];
  const sheet = params.sheet ?? 0;
  const inside = (sheet === 1 ? DRESSED : cells).filter((cell) => cell.row >= params.rows[0] && cell.row <= params.rows[1] && cell.column >= params.columns[0] && cell.column <= params.columns[1]);
  return {
    sheets: [{ name: 'Budget', state: 'visible', kind: 'worksheet' }, { name: 'Dates', state: 'visible', kind: 'worksheet' }, { name: 'Mirrored', state: 'visible', kind: 'worksheet' }],
    sheet,
    rows: params.rows,
    columns: params.columns,
    cells: inside,
    styles: { 0: {}, 1: { bold: true, size: 16, color: '#1f6552' }, 2: { bold: true, color: '#ffffff', fill: '#1f6552' }, 3: { number_format: '#,##0;[Red]-#,##0' }, 4: { horizontal: 'right' }, 5: { border: [{ line: 'thin' }, { line: 'medium', color: '#1f6552' }, { line: 'double' }, { line: 'dashed' }] } },
    date_1904: false,
    ...(params.with_layout && {
      layout: {
        last_row: sheet === 1 ? 1_048_576 : 8, last_column: 4, default_width: 12, default_height: 16, widths: [{ from: 1, to: 1, size: 24 }], heights: [{ from: 1, to: 1, size: 28 }],
        frozen_rows: sheet === 0 ? 3 : 0, frozen_columns: 0, gridlines: true, right_to_left: sheet === 2, merges: sheet === 0 ? [[1, 1, 1, 4]] : [],
        objects: sheet !== 0 ? [] : [{ kind: 'chart', title: 'Planned and spent', from_row: 10, from_column: 1, to_row: 18, to_column: 3 }],
      },
    }),
  };
}

export function slideList(): SlideList {
  const slide = (id: number, title: string, ...lines: string[]) => ({
    id, title, hidden: false, notes: id === 2 ? 'Say this slowly.' : '',
    shapes: [
      { id: 2, name: 'Title 1', kind: 'text', placeholder: 'title', place: [838_200, 457_200, 10_515_600, 1_143_000] as [number, number, number, number], paragraphs: [title] },
      { id: 3, name: 'Content 2', kind: 'text', placeholder: 'body', place: [838_200, 1_825_625, 10_515_600, 4_351_338] as [number, number, number, number], paragraphs: lines },
    ],
  });
  return {
    width: 12_192_000, height: 6_858_000,
    slides: [slide(1, 'Spring campaign', 'Kick-off'), slide(2, 'What we want', 'Reach the readers', 'Say less'), slide(3, 'Open questions', 'Who signs?')],
  };
}

/** The sample with a bookmark in each paragraph, as the core's copy has them; paragraphs of tables have no address here. */
export async function wordCopy(): Promise<DocxPreview> {
  const { default: Zip } = await import('jszip');
  const zip = await Zip.loadAsync(await (await fetch(agreement)).arrayBuffer());
  const part = 'word/document.xml';
  const paragraphs: (string | null)[] = [];
  let [inTable, body] = [0, 0];
  const marked = ((await zip.file(part)?.async('string')) ?? '').replace(/<w:tbl>|<\/w:tbl>|<w:p>(<w:pPr>.*?<\/w:pPr>)?/g, (tag) => {
    if (tag === '<w:tbl>') inTable += 1;
    if (tag === '</w:tbl>') inTable -= 1;
    if (!tag.startsWith('<w:p>')) return tag;
    const id = paragraphs.length;
    paragraphs.push(inTable > 0 ? null : `p${(body += 1)}`);
    return `${tag}<w:bookmarkStart w:id="${900_000 + id}" w:name="__pv_${id}"/><w:bookmarkEnd w:id="${900_000 + id}"/>`;
  });
  zip.file(part, marked);
  return { package: await zip.generateAsync({ type: 'base64' }), paragraphs, gaps: [] };
}
