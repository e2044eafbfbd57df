// Both themes and both languages in the real window, and that the page breaks none of its own rules.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Keys } from './webdriver.mjs';
import { Stage } from './stage.mjs';

let stage;
before(async () => {
  stage = await Stage.open();
  stage.document('Welcome.md');
  await stage.start(`${stage.documents}/Welcome.md`);
});
after(() => stage.close());

async function choose(id, value) {
  const set = 'const box = document.getElementById(arguments[0]); box.value = arguments[1]; box.dispatchEvent(new Event("change", { bubbles: true }));';
  await stage.page.until(() => stage.page.find(`#${id}`), id);
  await stage.page.run(set, id, value);
}

test('language and theme switch at once, from the keyboard', { timeout: 60_000 }, async () => {
  const { page } = stage;
  await page.click('main h1');
  await page.press(Keys.control, ',');
  await choose('setting-language', 'zh');
  await page.shows('dialog', '设置');
  await choose('setting-theme', 'dark');
  await page.until(() => page.run("return document.documentElement.dataset.theme === 'dark'"), 'the dark theme');
  await stage.picture('settings-zh-dark');
  await page.press(Keys.escape);
  await page.shows('aside', '文档');
  await stage.picture('window-zh-dark');
});

test('a Chinese command does the same job', { timeout: 60_000 }, async () => {
  const { page } = stage;
  await stage.say('把“两个团队”改成“三个团队”');
  await page.until(() => page.run("return document.querySelector('[role=log] article[data-state=done]') !== null"), 'the answer');
  await stage.say('把“试点从三月开始”改成“试点从四月开始”');
  await page.until(() => page.find('#accept'), 'the review');
  await page.shows('main', '全部接受');
  await stage.picture('review-zh-dark');
  await page.click('#reject');
  await page.gone('#reject');
});

test('the palette finds commands, and the choices are kept over a restart', { timeout: 60_000 }, async () => {
  await stage.restart();
  const { page } = stage;
  // The page is there before its settings are.
  await page.until(() => page.run("return document.documentElement.lang === 'zh-CN'"), 'the kept language');
  assert.equal(await page.run('return document.documentElement.dataset.theme'), 'dark');
  await page.click('main h1');
  await page.press(Keys.control, 'k');
  await page.type('dialog input', 'English');
  await page.press(Keys.enter);
  await page.shows('aside', 'Documents');
});

test('the content security policy holds', { timeout: 30_000 }, async () => {
  const { page } = stage;
  const blocked = await page.run(`
    const seen = [];
    document.addEventListener('securitypolicyviolation', (event) => seen.push(event.violatedDirective));
    const style = document.createElement('style');
    style.textContent = 'body { display: none }';
    document.head.append(style);
    const script = document.createElement('script');
    script.textContent = 'window.intruded = true';
    document.head.append(script);
    let evaluated = 'no';
    try { evaluated = String(new Function('return "yes"')()); } catch { evaluated = 'no'; }
    return [window.intruded === true, evaluated, getComputedStyle(document.body).display];
  `);
  assert.deepEqual(blocked, [false, 'no', 'block']);
});

test('a page cannot name a path, run another command, or go elsewhere', { timeout: 30_000 }, async () => {
  const { page } = stage;
  const ask = `
    const done = arguments[arguments.length - 1];
    window.__TAURI_INTERNALS__.invoke(arguments[0], arguments[1]).then((value) => done('ok ' + JSON.stringify(value)), (error) => done('refused ' + (error.code ?? error)));
  `;
  const call = (command, params) => page.request('POST', `${page.session}/execute/async`, { script: ask, args: ['call', { request: { command, params } }] });
  assert.equal(await call('documents.open', { path: '/etc/passwd' }), 'refused path_not_allowed');
  assert.equal(await call('shell.open_recent', { path: '/etc/passwd' }), 'refused path_not_allowed');
  assert.equal(await call('shell.open_link', { address: 'file:///etc/passwd' }), 'refused path_not_allowed');
  assert.equal(await call('documents.close', { file_id: 'x', more: 1 }), 'refused invalid_arguments');
  const other = await page.request('POST', `${page.session}/execute/async`, { script: ask, args: ['plugin:dialog|open', { options: {} }] });
  assert.match(other, /^refused/);
  await page.run("location.href = 'https://example.org/'");
  assert.ok((await page.run('return location.href')).startsWith('tauri://'), 'the window stayed');
});
