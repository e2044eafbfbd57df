/** What axe finds wrong with a page: serious and critical findings, as "rule: element". */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: (where: object, options: object) => Promise<{ violations: { id: string; impact: string; nodes: { target: string[] }[] }[] }> } };
    // What a document holds (its colours in cells, the frame of a Word page) is its author's, not ours.
    const result = await axe.run({ exclude: [['.host .text']] }, { iframes: false });
    return result.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}`));
  });
}
