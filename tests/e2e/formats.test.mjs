// The main job in the real window, once for each format: open, say, see before and after, accept, bytes on disk, undo, old bytes.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { differing, text } from './package.mjs';
import { Stage } from './stage.mjs';

const journeys = [
  {
    name: 'Welcome.md', says: 'replace "two teams" with "three teams"', side: undefined, shows: 'three teams',
    saved: (was, is) => assert.equal(is.toString(), was.toString().replace('two teams', 'three teams')),
  },
  {
    name: 'Budget.xlsx', says: 'set B4 to 120', side: '[data-side="after"] [data-cell="B4"]', shows: '120',
    saved: (was, is) => {
      const touched = differing(was, is);
      assert.ok(touched.includes('xl/worksheets/sheet1.xml'), String(touched));
      assert.ok(touched.every((part) => ['xl/worksheets/sheet1.xml', 'xl/workbook.xml'].includes(part)), String(touched));
      assert.match(text(is, 'xl/worksheets/sheet1.xml'), /<c r="B4" s="3">\s*<v>120<\/v>/);
    },
  },
  {
    name: 'Kickoff.pptx', says: 'set the title of slide 2 to "What changes"', side: '[data-side="after"]', shows: 'What changes',
    saved: (was, is) => {
      assert.deepEqual(differing(was, is), ['ppt/slides/slide2.xml']);
      assert.match(text(is, 'ppt/slides/slide2.xml'), /What changes/);
    },
  },
  {
    name: 'Agreement.docx', says: 'replace "twelve months" with "two years"', side: undefined, shows: 'two years',
    saved: (was, is) => {
      assert.deepEqual(differing(was, is), ['word/document.xml']);
      assert.match(text(is, 'word/document.xml'), /two years/);
    },
  },
];

/** The words on the right side of a review of text (in its shadow root) or of Word pages (in their frame). */
const AFTER = `
  const text = document.querySelector('.merge')?.shadowRoot?.querySelector('.cm-merge-b')?.innerText;
  const word = document.querySelector('[data-side="after"] iframe')?.contentDocument?.body?.innerText;
  return text ?? word ?? '';
`;

/** Whether a slide is drawn on both sides. */
const PICTURES = `return ['before', 'after'].every((side) => document.querySelector('[data-side=' + side + '] img')?.naturalWidth > 300);`;

let stage;
before(async () => {
  stage = await Stage.open();
  for (const { name } of journeys) stage.document(name);
  await stage.start(...journeys.map(({ name }) => `${stage.documents}/${name}`));
});
after(() => stage.close());

for (const journey of journeys) {
  test(`${journey.name}: say, compare, accept, undo`, { timeout: 90_000 }, async () => {
    const { page } = stage;
    const path = `${stage.documents}/${journey.name}`;
    const was = readFileSync(path);
    await stage.select(journey.name);
    await page.shows('main h1', journey.name);
    await stage.picture(`open-${journey.name}`);
    await stage.say(journey.says);

    await page.until(() => page.find('#accept'), 'the review');
    if (journey.side) await page.shows(journey.side, journey.shows);
    else await page.until(async () => (await page.run(AFTER)).includes(journey.shows), 'the changed side');
    if (journey.name.endsWith('.pptx')) await page.until(() => page.run(PICTURES), 'both pictures');
    assert.deepEqual(readFileSync(path), was, 'nothing is written before it is accepted');
    await stage.picture(`review-${journey.name}`);

    await stage.accept();
    await page.shows('.notices', 'Revision 2');
    const is = readFileSync(path);
    journey.saved(was, is);

    await page.click('#tab-history');
    await page.until(() => page.run("return document.querySelector('#undo')?.disabled === false"), 'the history');
    await stage.picture(`history-${journey.name}`);
    await page.click('#undo');
    await page.until(() => readFileSync(path).equals(was), 'the old bytes');
    await page.shows('main header', 'Revision 3');
    await page.click('#tab-document');
  });
}
