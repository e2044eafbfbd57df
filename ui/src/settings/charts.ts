/** The rows of the counters as bars: what came of calls, and how long turns took, per model. */
import type { MetricsRow } from '../backend/generated/MetricsRow';

export type Tone = 'good' | 'bad' | 'soft';

export interface Bar {
  label: string;
  /** Parts of one bar, drawn one after the other. */
  pieces: { tone: Tone; value: number }[];
}

function byModel(rows: MetricsRow[]): Map<string, MetricsRow[]> {
  const found = new Map<string, MetricsRow[]>();
  for (const row of rows) found.set(row.model, [...(found.get(row.model) ?? []), row]);
  return found;
}

/** Calls that were done and calls that were refused. */
export function outcomes(rows: MetricsRow[]): Bar[] {
  return [...byModel(rows)].flatMap(([label, all]): Bar[] => {
    const calls = sum(all.map((row) => row.calls));
    const ok = sum(all.map((row) => row.ok));
    return calls === 0 ? [] : [{ label, pieces: [{ tone: 'good', value: ok }, { tone: 'bad', value: Math.max(0, calls - ok) }] }];
  });
}

/** Half of the turns are over by the first part, nineteen of twenty by the second. */
export function times(rows: MetricsRow[]): Bar[] {
  return [...byModel(rows)].flatMap(([label, all]): Bar[] => {
    const turns = all.filter((row) => row.turn.count > 0);
    const [p50, p95] = [Math.max(0, ...turns.map((row) => row.turn.p50_ms)), Math.max(0, ...turns.map((row) => row.turn.p95_ms))];
    return turns.length === 0 ? [] : [{ label, pieces: [{ tone: 'good', value: p50 }, { tone: 'soft', value: Math.max(0, p95 - p50) }] }];
  });
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
