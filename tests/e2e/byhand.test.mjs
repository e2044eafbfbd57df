// Changes by hand in the preview, once for each format: what was typed becomes an operation, is shown before and after, and is saved
// like any other.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { differing, text } from './package.mjs';
import { Stage, pause } from './stage.mjs';
import { Keys } from './webdriver.mjs';

const NAMES = ['Welcome.md', 'Budget.xlsx', 'Kickoff.pptx', 'Agreement.docx'];

let stage;
before(async () => {
  stage = await Stage.open();
  for (const name of NAMES) stage.document(name);
  await stage.start(...NAMES.map((name) => `${stage.documents}/${name}`));
});
after(() => stage.close());

async function taken(name, check) {
  const { page } = stage;
  const path = `${stage.documents}/${name}`;
  const was = readFileSync(path);
  await page.until(() => page.find('#accept'), 'the review');
  await stage.picture(`byhand-review-${name}`);
  await stage.accept();
  await page.until(() => !readFileSync(path).equals(was), 'the saved change');
  check(was, readFileSync(path));
  const { value: history } = await stage.ask('history.list', { file_id: await stage.fileId(name) });
  assert.equal(history.snapshots[0].origin, 'user');
  assert.equal(history.can_undo, true);
}

test('a paragraph of a Word document, from the keyboard', { timeout: 90_000 }, async () => {
  const { page } = stage;
  await stage.select('Agreement.docx');
  await page.until(() => page.run("return document.querySelector('main iframe')?.contentDocument?.body?.innerText.includes('Northwind')"), 'the pages');
  await page.run("document.querySelector('main .box').focus()");
  for (let step = 0; step < 2; step += 1) await page.press(Keys.down);
  await page.press(Keys.enter);
  await page.until(() => page.find('.in-place textarea'), 'the text in its place');
  assert.match(await page.run("return document.querySelector('.in-place textarea').value"), /^This agreement is made between Northwind/);
  await stage.picture('byhand-word');
  await page.run(`
    const box = document.querySelector('.in-place textarea');
    box.value = box.value.replace('Harbour Studio', 'Seaside Studio');
    box.dispatchEvent(new Event('input', { bubbles: true }));
  `);
  await page.press(Keys.control, Keys.enter);
  await taken('Agreement.docx', (was, is) => {
    assert.deepEqual(differing(was, is), ['word/document.xml']);
    assert.match(text(is, 'word/document.xml'), /<w:b\/><\/w:rPr><w:t[^>]*>Seaside Studio/, 'the bold of what was replaced stays');
  });
});

test('a paragraph of a Word document, with the mouse', { timeout: 90_000 }, async () => {
  const { page } = stage;
  await page.click('#tab-document');
  await page.until(() => page.run("return document.querySelector('main iframe')?.contentDocument?.body?.innerText.includes('Seaside')"), 'the pages');
  await pause(300);
  const at = await page.run(`
    const frame = document.querySelector('main iframe');
    const paragraph = [...frame.contentDocument.querySelectorAll('p')].find((one) => one.textContent.includes('twelve months'));
    paragraph.scrollIntoView({ block: 'center' });
    const box = paragraph.getBoundingClientRect();
    const now = frame.getBoundingClientRect();
    const inside = frame.contentDocument;
    const zoom = inside.documentElement.clientWidth / inside.body.getBoundingClientRect().width;
    return [Math.round(now.left + (box.left + 60) * zoom), Math.round(now.top + (box.top + 8) * zoom)];
  `);
  const click = [{ type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }];
  await page.request('POST', `${page.session}/actions`, { actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions: [{ type: 'pointerMove', x: at[0], y: at[1] }, ...click, ...click] }] });
  await page.until(() => page.run("return document.querySelector('.in-place textarea')?.value.includes('twelve months')"), 'the text in its place');
  await page.press(Keys.escape);
  await page.gone('.in-place');
});

test('a cell', { timeout: 90_000 }, async () => {
  const { page } = stage;
  await stage.select('Budget.xlsx');
  await page.click('[data-cell="B5"]');
  await page.press('7');
  await page.type('input.editor', '50');
  await page.press(Keys.enter);
  await taken('Budget.xlsx', (was, is) => {
    assert.ok(differing(was, is).every((part) => ['xl/worksheets/sheet1.xml', 'xl/workbook.xml'].includes(part)));
    assert.match(text(is, 'xl/worksheets/sheet1.xml'), /<c r="B5" s="3">\s*<v>750<\/v>/);
  });
});

test('the text of a shape', { timeout: 90_000 }, async () => {
  const { page } = stage;
  await stage.select('Kickoff.pptx');
  await page.until(() => page.find('[data-slide="2"] .target'), 'the slide');
  await page.run("document.querySelector('[data-slide=\"2\"] .target').focus()");
  await page.press(Keys.enter);
  await page.until(() => page.find('.in-place textarea'), 'the text in its place');
  await stage.picture('byhand-slide');
  await page.run(`
    const box = document.querySelector('.in-place textarea');
    box.value = 'What we want now';
    box.dispatchEvent(new Event('input', { bubbles: true }));
  `);
  await page.press(Keys.control, Keys.enter);
  await taken('Kickoff.pptx', (was, is) => {
    assert.deepEqual(differing(was, is), ['ppt/slides/slide2.xml']);
    assert.match(text(is, 'ppt/slides/slide2.xml'), /What we want now/);
  });
});

test('lines of Markdown', { timeout: 90_000 }, async () => {
  const { page } = stage;
  await stage.select('Welcome.md');
  await page.until(() => page.run("const button = [...document.querySelectorAll('main .bar button')].find((one) => one.textContent.includes('Change by hand')); button?.click(); return button !== undefined"), 'the button');
  await page.until(() => page.run("return document.querySelector('main .code')?.shadowRoot?.querySelector('.cm-content') !== null"), 'the editor');
  // The keyboard goes to the editor at once.
  await page.press(Keys.control, '\uE011');
  await page.press('X');
  await page.run("[...document.querySelectorAll('main .bar button')].find((one) => one.classList.contains('primary')).click()");
  await taken('Welcome.md', (was, is) => assert.equal(is.toString(), was.toString().replace('# Welcome', 'X# Welcome')));
});
