/** Previews of the fake documents: a small budget, four slides as text, and the sample agreement. */
import agreement from '../../../samples/Agreement.docx?url';
import type { DocxPreview } from './generated/DocxPreview';
import type { SheetCell } from './generated/SheetCell';
import type { SheetWindow } from './generated/SheetWindow';
import type { SlideList } from './generated/SlideList';

const ITEMS: [string, number, number][] = [['Travel', 100, 84], ['Printing', 640, 655], ['Venue', 1200, 1200], ['Catering', 450, 310]];

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
  const inside = cells.filter((cell) => sheet === 0 && cell.row >= params.rows[0] && cell.row <= params.rows[1] && cell.column >= params.columns[0] && cell.column <= params.columns[1]);
  return {
    sheets: [{ name: 'Budget', state: 'visible', kind: 'worksheet' }, { name: 'Dates', state: 'visible', kind: 'worksheet' }],
    sheet,
    rows: params.rows,
    columns: params.columns,
    cells: inside,
    styles: { 0: {}, 1: { bold: true, size: 16, color: '#1f6552' }, 2: { bold: true, color: '#ffffff', fill: '#1f6552' }, 3: { number_format: '#,##0;[Red]-#,##0' } },
    date_1904: false,
    ...(params.with_layout && {
      layout: {
        last_row: sheet === 0 ? 8 : 1_048_576, last_column: 4, default_width: 12, default_height: 16, widths: [{ from: 1, to: 1, size: 24 }], heights: [{ from: 1, to: 1, size: 28 }],
        frozen_rows: 3, frozen_columns: 0, gridlines: true, right_to_left: false, merges: [[1, 1, 1, 4]],
        objects: [{ kind: 'chart', title: 'Planned and spent', from_row: 10, from_column: 1, to_row: 18, to_column: 3 }],
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
