/** The cells around what is on the screen, fetched in tiles and kept while they are likely to be wanted again. */
import type { CellStyle } from '../../backend/generated/CellStyle';
import type { SheetCell } from '../../backend/generated/SheetCell';
import type { SheetWindow } from '../../backend/generated/SheetWindow';

export const TILE_ROWS = 96;
export const TILE_COLUMNS = 32;
const KEPT = 48;

interface Tile {
  cells: Map<number, SheetCell>;
}

export type Fetch = (rows: [number, number], columns: [number, number]) => Promise<SheetWindow>;

/** One number for a cell; columns never exceed 16,384. */
export function cellKey(row: number, column: number): number {
  return row * 16_385 + column;
}

export class Tiles {
  private readonly tiles = new Map<string, Tile | 'coming'>();
  readonly styles: Record<string, CellStyle> = {};

  /** @param first the window that came with the layout; a whole tile of it need not be fetched again */
  constructor(private readonly fetch: Fetch, private readonly arrived: () => void, private readonly failed: (error: unknown) => void, first?: SheetWindow) {
    if (first && first.rows[0] === 1 && first.columns[0] === 1 && first.rows[1] >= TILE_ROWS && first.columns[1] >= TILE_COLUMNS) this.keep(name(1, 1), first);
  }

  cell(row: number, column: number): SheetCell | undefined {
    const tile = this.tiles.get(name(row, column));
    return typeof tile === 'object' ? tile.cells.get(cellKey(row, column)) : undefined;
  }

  /** Asks for every tile that a window touches and that is not there yet. */
  want(rows: [number, number], columns: [number, number]): void {
    for (let row = first(rows[0], TILE_ROWS); row <= rows[1]; row += TILE_ROWS) {
      for (let column = first(columns[0], TILE_COLUMNS); column <= columns[1]; column += TILE_COLUMNS) {
        if (!this.tiles.has(name(row, column))) void this.load(row, column);
      }
    }
  }

  private async load(row: number, column: number): Promise<void> {
    const key = name(row, column);
    this.tiles.set(key, 'coming');
    try {
      const window = await this.fetch([row, row + TILE_ROWS - 1], [column, column + TILE_COLUMNS - 1]);
      this.forgetOldest();
      this.keep(key, window);
      this.arrived();
    } catch (error) {
      this.tiles.delete(key);
      this.failed(error);
    }
  }

  private keep(key: string, window: SheetWindow): void {
    this.tiles.set(key, { cells: new Map(window.cells.map((cell) => [cellKey(cell.row, cell.column), cell])) });
    Object.assign(this.styles, window.styles);
  }

  private forgetOldest(): void {
    for (const [key, tile] of this.tiles) {
      if (this.tiles.size < KEPT) return;
      if (tile !== 'coming') this.tiles.delete(key);
    }
  }
}

function first(index: number, size: number): number {
  return Math.floor((index - 1) / size) * size + 1;
}

function name(row: number, column: number): string {
  return `${first(row, TILE_ROWS)},${first(column, TILE_COLUMNS)}`;
}
