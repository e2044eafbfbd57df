// Other programs write while Stet is open, once for each format: what changed is shown within a second, what waits is fitted or is a
// conflict, and every state can be brought back.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { rewritten, text } from './package.mjs';
import { Stage, pause } from './stage.mjs';

const replaced = (part, from, to) => (bytes) => rewritten(bytes, part, (content) => {
  assert.ok(content.includes(from), `${part} holds ${from}`);
  return content.replace(from, to);
});
const inText = (from, to) => (bytes) => Buffer.from(bytes.toString('utf8').replace(from, to));

const journeys = [
  {
    name: 'Welcome.md', says: 'replace "two teams" with "three teams"', elsewhere: inText('Measure, then decide', 'Decide, then measure'),
    clashes: inText('two teams', 'nine teams'), holds: (bytes) => bytes.toString('utf8'), both: ['three teams', 'Decide, then measure'],
  },
  {
    name: 'Budget.xlsx', says: 'set B4 to 120', elsewhere: replaced('xl/sharedStrings.xml', 'Photography', 'Pictures'),
    clashes: replaced('xl/worksheets/sheet1.xml', '<c r="B4" s="3"><v>100</v></c>', '<c r="B4" s="3"><v>777</v></c>'),
    holds: (bytes) => text(bytes, 'xl/worksheets/sheet1.xml') + text(bytes, 'xl/sharedStrings.xml'), both: ['<v>120</v>', 'Pictures'],
  },
  {
    name: 'Kickoff.pptx', says: 'set the title of slide 2 to "What changes"', elsewhere: replaced('ppt/slides/slide4.xml', 'Who signs the agreement?', 'Who signs?'),
    clashes: replaced('ppt/slides/slide2.xml', 'What we want', 'What others want'),
    holds: (bytes) => text(bytes, 'ppt/slides/slide2.xml') + text(bytes, 'ppt/slides/slide4.xml'), both: ['What changes', 'Who signs?'],
  },
  {
    name: 'Agreement.docx', says: 'replace "twelve months" with "two years"', elsewhere: replaced('word/document.xml', '2,000 copies', '3,000 copies'),
    clashes: replaced('word/document.xml', 'twelve months', 'seven months'), holds: (bytes) => text(bytes, 'word/document.xml'), both: ['two years', '3,000 copies'],
  },
];

let stage;
before(async () => {
  stage = await Stage.open();
  for (const { name } of journeys) stage.document(name);
  await stage.start(...journeys.map(({ name }) => `${stage.documents}/${name}`));
});
after(() => stage.close());

/** Milliseconds until the window tells what another program did. */
async function told(write) {
  const watch = `
    const done = arguments[arguments.length - 1];
    const began = performance.now();
    const look = () => document.querySelector('[data-outside] li') ? done(performance.now() - began) : performance.now() - began > 8000 ? done(-1) : setTimeout(look, 15);
    look();
  `;
  const waiting = stage.page.request('POST', `${stage.page.session}/execute/async`, { script: watch, args: [] });
  await pause(30);
  write();
  return await waiting;
}

for (const journey of journeys) {
  const path = () => `${stage.documents}/${journey.name}`;

  test(`${journey.name}: a change elsewhere is shown, and what waits is fitted to it`, { timeout: 90_000 }, async () => {
    const { page } = stage;
    const was = readFileSync(path());
    await stage.select(journey.name);
    await page.shows('main h1', journey.name);
    await stage.say(journey.says);
    await page.until(() => page.find('#accept'), 'the review');
    await pause(200);
    const took = await told(() => writeFileSync(path(), journey.elsewhere(was)));
    assert.ok(took > 0, 'what changed is told');
    // The promise is a second; a machine that compiles at the same time is given twice that.
    assert.ok(took < 2_000, `${took} ms`);
    await page.shows('main', 'fitted to the new content', 6_000);
    await stage.picture(`outside-rebased-${journey.name}`);
    await stage.accept();
    await page.until(() => journey.both.every((words) => journey.holds(readFileSync(path())).includes(words)), 'both changes');
  });

  test(`${journey.name}: a change in the same place is a conflict, and rejecting it leaves the file alone`, { timeout: 90_000 }, async () => {
    const { page } = stage;
    await page.click('#tab-history');
    await page.click('#undo');
    await page.until(() => !journey.holds(readFileSync(path())).includes(journey.both[0]), 'the undo');
    await stage.say(journey.says);
    await page.until(() => page.find('#accept'), 'the review');
    const theirs = journey.clashes(readFileSync(path()));
    writeFileSync(path(), theirs);
    await page.until(() => page.find('[data-conflict]'), 'the conflicting part');
    await stage.picture(`outside-conflict-${journey.name}`);
    assert.equal(await page.run("return document.querySelector('#accept').disabled"), true, 'nothing is left to accept');
    await page.click('#reject');
    await page.gone('#reject');
    assert.deepEqual(readFileSync(path()), theirs);
  });

  test(`${journey.name}: what changed is compared, the first state restored, and that undone`, { timeout: 90_000 }, async () => {
    const { page } = stage;
    const now = readFileSync(path());
    await page.until(() => page.find('[data-outside] button'), 'the notice of the change');
    await page.click('[data-outside] button');
    await page.until(() => page.find('[aria-label="List of changes"]'), 'the comparison');
    await stage.picture(`outside-compare-${journey.name}`);
    await page.click('#tab-document');
    await page.click('#tab-history');
    const snapshots = await page.until(() => page.run("const rows = [...document.querySelectorAll('[data-snapshot]')].map((row) => row.dataset.snapshot); return rows.length > 1 ? rows : null"), 'the list');
    const last = snapshots.at(-1);
    await page.run(`[...document.querySelector('[data-snapshot="${last}"]').querySelectorAll('button')].at(-1).click()`);
    await page.until(() => !readFileSync(path()).equals(now), 'the restored state');
    const { value: history } = await stage.ask('history.list', { file_id: await stage.fileId(journey.name) });
    assert.equal(history.snapshots[0].origin, 'restore');
    await page.click('#undo');
    await page.until(() => readFileSync(path()).equals(now), 'the state before the restore');
  });
}
