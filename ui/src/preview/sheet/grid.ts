/**
 * A read-only grid that only draws what is on the screen: frozen panes, merges, overflow of text, borders, marks of changes.
 *
 * A layer as large as the viewport stays in place while a spacer scrolls; everything in the layer is placed anew on each scroll.
 * Positions and colours are set through the object model, as the content security policy wants it.
 */
import './grid.css';
import type { SheetLayout } from '../../backend/generated/SheetLayout';
import type { SheetWindow } from '../../backend/generated/SheetWindow';
import { columnLetters } from '../../shared/places';
import { Axis, columnPixels, rowPixels } from './axis';
import { conditional, dress, measureWith, write, type Room } from './paint';
import { cellKey, Tiles, type Fetch } from './tiles';

export type MarkKind = 'added' | 'removed' | 'changed' | 'dependent';

export interface GridOptions {
  layout: SheetLayout;
  date1904: boolean;
  fetch: Fetch;
  /** The window that came with the layout. */
  first?: SheetWindow;
  /** By `cellKey`. */
  marks: Map<number, MarkKind>;
  label: string;
  chartWord: string;
  onselect?: (cell: { row: number; column: number }) => void;
  onedit?: (cell: { row: number; column: number }, start: string | null) => void;
  onscroll?: (position: { left: number; top: number }) => void;
  onfail: (error: unknown) => void;
}

interface Range {
  from: number;
  to: number;
}

/** Browsers clip elements taller than 33,554,428 pixels; a longer sheet scrolls faster than the wheel. */
const TALLEST = 30_000_000;
const HEAD_WIDTH = 46;
const HEAD_HEIGHT = 22;
/** Beyond the last cell, so that a sheet does not end abruptly. */
const MORE_ROWS = 40;
const MORE_COLUMNS = 8;
const DOUBLE_PRESS_MS = 450;
/** Columns over which a text may run from outside the screen. */
const FAR = 30;

export class Grid {
  readonly tiles: Tiles;
  selected: { row: number; column: number } | undefined;
  private readonly rows: Axis;
  private readonly columns: Axis;
  private readonly layer = element('div', 'layer');
  private readonly spacer = element('div', 'spacer');
  private readonly scale: number;
  private frame = 0;
  private pressedAt = 0;
  private readonly watcher: ResizeObserver;

  constructor(private readonly host: HTMLElement, private readonly options: GridOptions) {
    const { layout } = options;
    this.rows = new Axis(Math.min(1_048_576, layout.last_row + MORE_ROWS), rowPixels(layout.default_height), layout.heights, rowPixels);
    this.columns = new Axis(Math.min(16_384, Math.max(layout.last_column + MORE_COLUMNS, 12)), columnPixels(layout.default_width), layout.widths, columnPixels);
    this.tiles = new Tiles(options.fetch, () => this.draw(), options.onfail, options.first);
    const height = this.rows.length + HEAD_HEIGHT;
    this.scale = Math.max(1, height / TALLEST);
    this.spacer.style.width = `${this.columns.length + HEAD_WIDTH}px`;
    this.spacer.style.height = `${height / this.scale}px`;
    host.classList.add('grid');
    host.classList.toggle('lines', layout.gridlines);
    // A sheet from right to left is the mirror image of one from left to right, scrollbar included; what can be read is turned back.
    host.classList.toggle('mirrored', layout.right_to_left);
    this.layer.setAttribute('role', 'grid');
    this.layer.setAttribute('aria-label', options.label);
    this.layer.setAttribute('aria-rowcount', String(this.rows.count));
    this.layer.setAttribute('aria-colcount', String(this.columns.count));
    measureWith(getComputedStyle(host).fontFamily);
    host.tabIndex = 0;
    host.replaceChildren(this.spacer, this.layer);
    host.addEventListener('scroll', this.scrolled, { passive: true });
    host.addEventListener('keydown', this.key);
    host.addEventListener('mousedown', this.press);
    this.watcher = new ResizeObserver(() => this.draw());
    this.watcher.observe(host);
    this.paint();
  }

  destroy(): void {
    cancelAnimationFrame(this.frame);
    this.watcher.disconnect();
    this.host.removeEventListener('scroll', this.scrolled);
    this.host.removeEventListener('keydown', this.key);
    this.host.removeEventListener('mousedown', this.press);
    this.host.replaceChildren();
  }

  /** Brings a cell into the middle and selects it. */
  goto(row: number, column: number): void {
    const { frozenHeight, frozenWidth } = this.frozen();
    const free = { height: this.host.clientHeight - HEAD_HEIGHT - frozenHeight, width: this.host.clientWidth - HEAD_WIDTH - frozenWidth };
    if (row > this.options.layout.frozen_rows) {
      this.host.scrollTop = Math.max(0, this.rows.start(row) - frozenHeight - free.height / 2) / this.scale;
    }
    if (column > this.options.layout.frozen_columns) {
      const left = this.columns.start(column) - frozenWidth;
      const outside = left < this.host.scrollLeft || left + this.columns.size(column) > this.host.scrollLeft + free.width;
      if (outside) this.host.scrollLeft = Math.max(0, left - free.width / 3);
    }
    this.select(row, column);
  }

  select(row: number, column: number): void {
    this.selected = { row, column };
    this.options.onselect?.({ row, column });
    this.draw();
  }

  /** Follows another grid without answering it. */
  follow(position: { left: number; top: number }): void {
    if (Math.abs(this.host.scrollTop - position.top) > 1) this.host.scrollTop = position.top;
    if (Math.abs(this.host.scrollLeft - position.left) > 1) this.host.scrollLeft = position.left;
  }

  /** Where a cell lies in the host, with all of its merged area, for an editor above it. */
  place(row: number, column: number): { left: number; top: number; width: number; height: number } {
    const { top, left } = this.offsets();
    const [, , rowEnd, columnEnd] = this.options.layout.merges.find(([first, from]) => first === row && from === column) ?? [row, column, row, column];
    const frozenRow = row <= this.options.layout.frozen_rows;
    const frozenColumn = column <= this.options.layout.frozen_columns;
    const width = this.columns.start(columnEnd + 1) - this.columns.start(column);
    const start = HEAD_WIDTH + this.columns.start(column) - (frozenColumn ? 0 : left);
    return {
      left: this.options.layout.right_to_left ? this.host.offsetWidth - start - width : start,
      top: HEAD_HEIGHT + this.rows.start(row) - (frozenRow ? 0 : top),
      width,
      height: this.rows.start(rowEnd + 1) - this.rows.start(row),
    };
  }

  draw(): void {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.paint());
  }

  private readonly scrolled = () => {
    this.options.onscroll?.({ left: this.host.scrollLeft, top: this.host.scrollTop });
    this.draw();
  };

  /** Two presses on one cell open it; the browser's own double click is lost, because each press draws the cells anew. */
  private readonly press = (event: MouseEvent) => {
    const hit = this.hit(event);
    if (!hit || event.button !== 0) return;
    const again = this.selected?.row === hit.row && this.selected.column === hit.column && event.timeStamp - this.pressedAt < DOUBLE_PRESS_MS;
    this.pressedAt = event.timeStamp;
    this.select(hit.row, hit.column);
    if (!again || !this.options.onedit) return;
    // Otherwise the press itself would take the focus away from the editor.
    event.preventDefault();
    this.options.onedit(hit, null);
  };

  private readonly key = (event: KeyboardEvent) => {
    if (event.target !== this.host || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.selected ?? { row: 1, column: 1 };
    const page = Math.max(1, Math.floor(this.host.clientHeight / 22) - 2);
    const ahead = this.options.layout.right_to_left ? -1 : 1;
    const steps: Record<string, [number, number]> = {
      ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -ahead], ArrowRight: [0, ahead], PageUp: [-page, 0], PageDown: [page, 0], Home: [0, -at.column],
    };
    const step = steps[event.key];
    if (step) {
      event.preventDefault();
      this.reveal(clamp(at.row + step[0], this.rows.count), clamp(at.column + step[1], this.columns.count));
    } else if (event.key === 'Enter' || event.key === 'F2') {
      event.preventDefault();
      this.options.onedit?.(at, null);
    } else if (event.key.length === 1 && this.selected) {
      event.preventDefault();
      this.options.onedit?.(at, event.key);
    }
  };

  /** Selects a cell and scrolls only as far as needed. */
  private reveal(row: number, column: number): void {
    const { frozenHeight, frozenWidth } = this.frozen();
    if (row > this.options.layout.frozen_rows) {
      const [start, end] = [this.rows.start(row) - frozenHeight, this.rows.start(row + 1) - this.host.clientHeight + HEAD_HEIGHT];
      const { top } = this.offsets();
      if (start < top) this.host.scrollTop = start / this.scale;
      else if (end > top) this.host.scrollTop = end / this.scale;
    }
    if (column > this.options.layout.frozen_columns) {
      const [start, end] = [this.columns.start(column) - frozenWidth, this.columns.start(column + 1) - this.host.clientWidth + HEAD_WIDTH];
      if (start < this.host.scrollLeft) this.host.scrollLeft = start;
      else if (end > this.host.scrollLeft) this.host.scrollLeft = end;
    }
    this.select(row, column);
  }

  private hit(event: MouseEvent): { row: number; column: number } | undefined {
    const box = this.host.getBoundingClientRect();
    const x = (this.options.layout.right_to_left ? box.right - event.clientX : event.clientX - box.left) - HEAD_WIDTH;
    const y = event.clientY - box.top - HEAD_HEIGHT;
    if (x < 0 || y < 0 || x > this.host.clientWidth || y > this.host.clientHeight) return undefined;
    const { top, left } = this.offsets();
    const { frozenHeight, frozenWidth } = this.frozen();
    return { row: this.rows.at(y < frozenHeight ? y : y + top), column: this.columns.at(x < frozenWidth ? x : x + left) };
  }

  private offsets(): { top: number; left: number } {
    return { top: this.host.scrollTop * this.scale, left: this.host.scrollLeft };
  }

  private frozen(): { frozenHeight: number; frozenWidth: number } {
    const { frozen_rows, frozen_columns } = this.options.layout;
    return { frozenHeight: this.rows.start(frozen_rows + 1), frozenWidth: this.columns.start(frozen_columns + 1) };
  }

  private paint(): void {
    const { layout } = this.options;
    const [width, height] = [this.host.clientWidth, this.host.clientHeight];
    if (width === 0 || height === 0) return;
    this.layer.style.width = `${width}px`;
    this.layer.style.height = `${height}px`;
    const { top, left } = this.offsets();
    const { frozenHeight, frozenWidth } = this.frozen();
    const mainRows = { from: Math.max(layout.frozen_rows + 1, this.rows.at(top + frozenHeight)), to: this.rows.at(top + height - HEAD_HEIGHT) };
    const mainColumns = { from: Math.max(layout.frozen_columns + 1, this.columns.at(left + frozenWidth)), to: this.columns.at(left + width - HEAD_WIDTH) };
    const stillRows = { from: 1, to: layout.frozen_rows };
    const stillColumns = { from: 1, to: layout.frozen_columns };
    const panes: HTMLElement[] = [];
    const pane = (rows: Range, columns: Range, x: number, y: number, kind: string) => {
      if (rows.to < rows.from || columns.to < columns.from) return;
      this.tiles.want([rows.from, rows.to], [columns.from, columns.to]);
      panes.push(this.pane(rows, columns, x, y, kind));
    };
    pane(mainRows, mainColumns, left, top, 'main');
    pane(stillRows, mainColumns, left, 0, 'top');
    pane(mainRows, stillColumns, 0, top, 'left');
    pane(stillRows, stillColumns, 0, 0, 'corner');
    this.layer.replaceChildren(...panes, ...this.heads(mainColumns, stillColumns, mainRows, stillRows, left, top));
  }

  /** Cells of one pane; `x` and `y` are how far it is scrolled. */
  private pane(rows: Range, columns: Range, x: number, y: number, kind: string): HTMLElement {
    const { frozenHeight, frozenWidth } = this.frozen();
    const clipX = kind === 'main' || kind === 'top' ? frozenWidth : 0;
    const clipY = kind === 'main' || kind === 'left' ? frozenHeight : 0;
    const pane = element('div', `pane ${kind}`);
    pane.setAttribute('role', 'rowgroup');
    pane.style.left = `${HEAD_WIDTH + clipX}px`;
    pane.style.top = `${HEAD_HEIGHT + clipY}px`;
    if (kind === 'left' || kind === 'corner') pane.style.width = `${frozenWidth}px`;
    if (kind === 'top' || kind === 'corner') pane.style.height = `${frozenHeight}px`;
    const origin = { x: x + clipX, y: y + clipY };
    this.lines(pane, rows, columns, origin);
    const merged = this.merges(rows, columns);
    for (let row = rows.from; row <= rows.to; row += 1) {
      if (this.rows.size(row) === 0) continue;
      const line = element('div', 'row');
      line.setAttribute('role', 'row');
      line.setAttribute('aria-rowindex', String(row));
      const before = this.reachesIn(row, columns, kind);
      if (before) line.append(before(origin));
      for (let column = columns.from; column <= columns.to; column += 1) {
        const merge = merged.get(cellKey(row, column));
        if (merge === 'covered' || this.columns.size(column) === 0) continue;
        const drawn = this.cell(merge ?? { row, column }, columns.to, origin);
        if (drawn) line.append(drawn);
      }
      if (line.childNodes.length > 0) pane.append(line);
    }
    this.objects(pane, rows, columns, origin);
    return pane;
  }

  /** A text that begins left of what is on the screen and runs into it. */
  private reachesIn(row: number, columns: Range, kind: string): ((origin: { x: number; y: number }) => HTMLElement) | undefined {
    if (kind !== 'main' && kind !== 'top') return undefined;
    const least = Math.max(this.options.layout.frozen_columns + 1, columns.from - FAR);
    for (let column = columns.from - 1; column >= least; column -= 1) {
      const cell = this.tiles.cell(row, column);
      if (!cell || cell.value.kind === 'empty') continue;
      const isInMerge = this.options.layout.merges.some(([top, left, bottom, right]) => row >= top && row <= bottom && column >= left && column <= right);
      if (cell.value.kind !== 'text' || isInMerge) return undefined;
      return (origin) => this.cell({ row, column }, columns.to, origin) ?? element('div', 'cell');
    }
    return undefined;
  }

  private lines(pane: HTMLElement, rows: Range, columns: Range, origin: { x: number; y: number }): void {
    for (let row = rows.from; row <= rows.to; row += 1) {
      const line = element('div', 'line across');
      line.style.top = `${this.rows.start(row + 1) - origin.y - 1}px`;
      pane.append(line);
    }
    for (let column = columns.from; column <= columns.to; column += 1) {
      const line = element('div', 'line down');
      line.style.left = `${this.columns.start(column + 1) - origin.x - 1}px`;
      pane.append(line);
    }
  }

  /** Merged areas that reach into a window: their first visible cell draws all of them, the others nothing. */
  private merges(rows: Range, columns: Range): Map<number, 'covered' | { row: number; column: number; rowEnd: number; columnEnd: number }> {
    const found = new Map<number, 'covered' | { row: number; column: number; rowEnd: number; columnEnd: number }>();
    for (const [row, column, rowEnd, columnEnd] of this.options.layout.merges) {
      if (rowEnd < rows.from || row > rows.to || columnEnd < columns.from || column > columns.to) continue;
      const [firstRow, firstColumn] = [Math.max(row, rows.from), Math.max(column, columns.from)];
      for (let r = firstRow; r <= Math.min(rowEnd, rows.to); r += 1) {
        for (let c = firstColumn; c <= Math.min(columnEnd, columns.to); c += 1) found.set(cellKey(r, c), 'covered');
      }
      found.set(cellKey(firstRow, firstColumn), { row, column, rowEnd, columnEnd });
      this.tiles.want([row, row], [column, column]);
    }
    return found;
  }

  private cell(of: { row: number; column: number; rowEnd?: number; columnEnd?: number }, lastColumn: number, origin: { x: number; y: number }): HTMLElement | undefined {
    const cell = this.tiles.cell(of.row, of.column);
    const mark = this.options.marks.get(cellKey(of.row, of.column));
    const isSelected = this.selected?.row === of.row && this.selected.column === of.column;
    if (!cell && !mark && !isSelected && of.rowEnd === undefined) return undefined;
    const style = cell ? this.tiles.styles[cell.style] : undefined;
    const box = element('div', 'cell');
    box.setAttribute('role', 'gridcell');
    box.setAttribute('aria-colindex', String(of.column));
    box.dataset.cell = `${columnLetters(of.column)}${of.row}`;
    if (mark) box.classList.add('mark', mark);
    if (isSelected) {
      box.classList.add('selected');
      box.setAttribute('aria-selected', 'true');
    }
    const [x, y] = [this.columns.start(of.column), this.rows.start(of.row)];
    const width = this.columns.start((of.columnEnd ?? of.column) + 1) - x;
    const height = this.rows.start((of.rowEnd ?? of.row) + 1) - y;
    // One pixel more at the left and top, so that a line of this cell and one of its neighbour are the same line.
    box.style.left = `${x - origin.x - 1}px`;
    box.style.top = `${y - origin.y - 1}px`;
    box.style.width = `${width + 1}px`;
    box.style.height = `${height + 1}px`;
    dress(box, style);
    if (cell?.look) conditional(box, cell.look);
    const isMerged = of.columnEnd !== undefined;
    if (cell) write(box, cell, style, this.options.date1904, width, () => (isMerged ? { left: 0, right: 0 } : this.room(of.row, of.column, lastColumn)));
    return box;
  }

  /** How far a text may run over empty neighbours. */
  private room(row: number, column: number, lastColumn: number): Room {
    const isFree = (at: number) => (this.tiles.cell(row, at)?.value.kind ?? 'empty') === 'empty' && !this.tiles.cell(row, at)?.formula;
    let [left, right] = [0, 0];
    for (let next = column + 1; next <= lastColumn && isFree(next); next += 1) right += this.columns.size(next);
    for (let next = column - 1; next >= 1 && next >= column - FAR && isFree(next); next -= 1) left += this.columns.size(next);
    // On the screen, where the next column may lie to the left.
    return this.options.layout.right_to_left ? { left: right, right: left } : { left, right };
  }

  private objects(pane: HTMLElement, rows: Range, columns: Range, origin: { x: number; y: number }): void {
    for (const object of this.options.layout.objects) {
      if (object.to_row < rows.from || object.from_row > rows.to || object.to_column < columns.from || object.from_column > columns.to) continue;
      const box = element('div', `object ${object.kind}`);
      const [x, y] = [this.columns.start(object.from_column), this.rows.start(object.from_row)];
      box.style.left = `${x - origin.x}px`;
      box.style.top = `${y - origin.y}px`;
      box.style.width = `${this.columns.start(object.to_column + 1) - x}px`;
      box.style.height = `${this.rows.start(object.to_row + 1) - y}px`;
      box.textContent = object.kind === 'chart' ? `${this.options.chartWord}: ${object.title}` : object.title;
      pane.append(box);
    }
  }

  private heads(mainColumns: Range, stillColumns: Range, mainRows: Range, stillRows: Range, left: number, top: number): HTMLElement[] {
    const columns = element('div', 'heads columns');
    columns.setAttribute('role', 'row');
    const addColumn = (column: number, offset: number) => {
      if (this.columns.size(column) === 0) return;
      const head = element('div', 'head');
      head.setAttribute('role', 'columnheader');
      head.textContent = columnLetters(column);
      head.style.left = `${this.columns.start(column) - offset}px`;
      head.style.width = `${this.columns.size(column)}px`;
      head.classList.toggle('here', this.selected?.column === column);
      columns.append(head);
    };
    for (let column = mainColumns.from; column <= mainColumns.to; column += 1) addColumn(column, left);
    for (let column = stillColumns.from; column <= stillColumns.to; column += 1) addColumn(column, 0);
    const rows = element('div', 'heads rows');
    const addRow = (row: number, offset: number) => {
      if (this.rows.size(row) === 0) return;
      const head = element('div', 'head');
      head.textContent = String(row);
      head.style.top = `${this.rows.start(row) - offset}px`;
      head.style.height = `${this.rows.size(row)}px`;
      head.classList.toggle('here', this.selected?.row === row);
      rows.append(head);
    };
    for (let row = mainRows.from; row <= mainRows.to; row += 1) addRow(row, top);
    for (let row = stillRows.from; row <= stillRows.to; row += 1) addRow(row, 0);
    rows.setAttribute('aria-hidden', 'true');
    return [columns, rows, element('div', 'heads both')];
  }
}

function clamp(index: number, count: number): number {
  return Math.min(count, Math.max(1, index));
}

function element(name: string, className: string): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  return made;
}
