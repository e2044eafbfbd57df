/** What stands in one cell of the grid: ground, lines, bars, icons and text, as its format and the document's own rules want them. */
import type { CellLook } from '../../backend/generated/CellLook';
import type { CellStyle } from '../../backend/generated/CellStyle';
import type { SheetCell } from '../../backend/generated/SheetCell';
import type { TextRun } from '../../backend/generated/TextRun';
import { icon } from './icons';
import { general, shown, type Shown } from './shown';

/** How far a text may run over empty neighbours, in pixels from its own cell's edges. */
export interface Room {
  left: number;
  right: number;
}

export function dress(box: HTMLElement, style: CellStyle | undefined): void {
  if (!style) return;
  const css = box.style;
  if (style.fill) css.backgroundColor = style.fill;
  // A coloured cell of the document keeps its own ink, whatever the theme of the window is.
  if (style.color) css.color = style.color;
  else if (style.fill) css.color = '#000000';
  if (style.border) lines(box, style.border);
  if (style.vertical === 'top') css.alignItems = 'flex-start';
  else if (style.vertical === 'center' || style.vertical === 'distributed') css.alignItems = 'center';
}

/** What the document's own rules make of a cell: a ground, an ink, lines, a bar, an icon. */
export function conditional(box: HTMLElement, look: CellLook): void {
  if (look.fill) {
    box.style.backgroundColor = look.fill;
    if (!look.color) box.style.color = '#000000';
  }
  if (look.color) box.style.color = look.color;
  if (look.border) lines(box, look.border);
  if (look.bar) {
    const [from, to, color] = look.bar;
    const bar = document.createElement('span');
    bar.className = 'bar';
    bar.style.left = percent(from);
    bar.style.width = percent(Math.max(0.02, to - from));
    bar.style.background = color;
    box.append(bar);
  }
  if (look.icon) box.append(icon(look.icon[0], look.icon[1]));
}

export function write(box: HTMLElement, cell: SheetCell, style: CellStyle | undefined, date1904: boolean, width: number, room: () => Room): void {
  const code = cell.look?.number_format ?? style?.number_format;
  const content = shown(cell, code, date1904);
  if (content.text === '' || cell.look?.value_hidden) return;
  const text = document.createElement('span');
  text.className = 'text';
  font(text, cell, style);
  if (content.color) text.style.color = content.color;
  const align = alignment(style?.horizontal) ?? content.align;
  box.classList.add(align);
  const indent = (style?.indent ?? 0) * 9;
  if (indent > 0) text.style[align === 'right' ? 'paddingRight' : 'paddingLeft'] = `${indent + 3}px`;
  if (cell.value.kind === 'error') box.classList.add('error');
  if (cell.formula) box.dataset.formula = cell.formula;
  box.append(text);
  if (cell.runs) text.append(...cell.runs.map(piece));
  else text.textContent = cell.value.kind === 'number' && !style?.wrap ? fitted(content, cell.value.is, code, text, width - indent - (cell.look?.icon ? 18 : 0)) : content.text;
  if (style?.wrap) box.classList.add('wrap');
  else if (cell.value.kind === 'text') spread(text, align, width, room());
  else box.classList.add('tight');
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10}%`;
}

function font(text: HTMLElement, cell: SheetCell, style: CellStyle | undefined): void {
  const css = text.style;
  if (cell.look?.bold ?? style?.bold) css.fontWeight = '700';
  if (cell.look?.italic ?? style?.italic) css.fontStyle = 'italic';
  const drawn = [(cell.look?.underline ?? style?.underline) && 'underline', (cell.look?.strike ?? style?.strike) && 'line-through'].filter(Boolean);
  if (drawn.length > 0) css.textDecoration = drawn.join(' ');
  if (style?.size) css.fontSize = `${(style.size * 96) / 72}px`;
  if (style?.font) css.fontFamily = family(style.font);
}

function family(name: string): string {
  return `${JSON.stringify(name)}, var(--sheet-font)`;
}

/** A text runs over empty neighbours, to the side that its alignment leaves open, and is cut where something stands. */
function spread(text: HTMLElement, align: Shown['align'], width: number, room: Room): void {
  if (align === 'left') {
    text.style.width = `${width + room.right}px`;
  } else if (align === 'right') {
    text.style.maxWidth = `${width + room.left}px`;
  } else {
    text.style.maxWidth = `${width + 2 * Math.min(room.left, room.right)}px`;
  }
}

const SMALLEST = 0.78;

/** Excel never cuts a number: decimals that do not fit are rounded away, and what still does not fit is hidden behind signs. */
function fitted(content: Shown, value: number, code: string | undefined, text: HTMLElement, width: number): string {
  const free = width - 6;
  const wanted = measured(content.text, text);
  if (wanted <= free + 0.5) return content.text;
  // The font of the document may not be there, and what stands for it may be wider: a little smaller is truer than signs.
  if (wanted * SMALLEST <= free) {
    text.style.fontSize = `${(Math.floor((free / wanted) * 100) / 100) * parseFloat(text.style.fontSize || '15')}px`;
    return content.text;
  }
  if (!code && Number.isFinite(value)) {
    for (let digits = 9; digits >= 1; digits -= 1) {
      const shorter = general(Number(value.toPrecision(digits)));
      if (Math.abs(value) < 10 ** digits && measured(shorter, text) <= free) return shorter;
    }
  }
  const sign = measured('#', text) || 8;
  return '#'.repeat(Math.max(1, Math.floor(free / sign)));
}

let canvas: CanvasRenderingContext2D | null | undefined;
const widths = new Map<string, number>();
const WIDTHS_KEPT = 20_000;

/** The width of a text in pixels, without laying anything out. */
function measured(words: string, text: HTMLElement): number {
  canvas ??= document.createElement('canvas').getContext('2d');
  if (!canvas) return 0;
  const css = text.style;
  const looks = `${css.fontStyle || 'normal'} ${css.fontWeight || '400'} ${css.fontSize || '15px'} ${(css.fontFamily || 'var(--sheet-font)').replace('var(--sheet-font)', sheetFont)}`;
  const key = `${looks} ${words}`;
  let width = widths.get(key);
  if (width === undefined) {
    canvas.font = looks;
    width = canvas.measureText(words).width;
    if (widths.size > WIDTHS_KEPT) widths.clear();
    widths.set(key, width);
  }
  return width;
}

/** What `--sheet-font` stands for; a canvas knows no variables. */
let sheetFont = 'sans-serif';

export function measureWith(family: string): void {
  sheetFont = family || sheetFont;
}

/** A piece of rich text; what it does not say is as in its cell. */
function piece(run: TextRun): HTMLElement {
  const made = document.createElement('span');
  made.textContent = run.text;
  const css = made.style;
  if (run.bold !== undefined) css.fontWeight = run.bold ? '700' : '400';
  if (run.italic !== undefined) css.fontStyle = run.italic ? 'italic' : 'normal';
  const drawn = [run.underline && 'underline', run.strike && 'line-through'].filter(Boolean);
  if (drawn.length > 0) css.textDecoration = drawn.join(' ');
  if (run.color) css.color = run.color;
  if (run.size) css.fontSize = `${(run.size * 96) / 72}px`;
  if (run.font) css.fontFamily = family(run.font);
  if (run.vertical) {
    css.verticalAlign = run.vertical === 'superscript' ? 'super' : 'sub';
    css.fontSize = '0.75em';
  }
  return made;
}

function lines(box: HTMLElement, border: NonNullable<CellStyle['border']>): void {
  const sides = ['borderTop', 'borderRight', 'borderBottom', 'borderLeft'] as const;
  border.forEach((line, index) => {
    const side = sides[index];
    if (line && side) box.style[side] = `${lineWidth(line.line)}px ${lineStyle(line.line)} ${line.color ?? '#1b211f'}`;
  });
}

function alignment(word: string | undefined): 'left' | 'right' | 'center' | undefined {
  switch (word) {
    case 'center':
    case 'centerContinuous':
    case 'distributed':
      return 'center';
    case 'right':
      return 'right';
    case 'left':
    case 'justify':
    case 'fill':
      return 'left';
    default:
      return undefined;
  }
}

function lineWidth(line: string): number {
  if (line === 'thick' || line === 'double') return 3;
  return line.startsWith('medium') ? 2 : 1;
}

function lineStyle(line: string): string {
  if (line === 'double') return 'double';
  if (line === 'dotted' || line === 'hair') return 'dotted';
  return /dash/i.test(line) ? 'dashed' : 'solid';
}
