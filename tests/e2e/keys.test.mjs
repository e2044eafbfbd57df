// A key in a real keyring (gnome-keyring on this session's bus), an endpoint that really answers, the proxy's switch, and the choice
// when a system has no keyring.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Endpoint } from './endpoint.mjs';
import { Stage, pause } from './stage.mjs';
import { Keys } from './webdriver.mjs';

const KEY = 'sk-journey-4f8a1c';

let endpoint;
before(async () => {
  endpoint = await Endpoint.open();
});
after(() => endpoint.close());

/** Whether any file under a folder holds a text. */
function holds(folder, wanted) {
  return readdirSync(folder).some((name) => {
    const entry = path.join(folder, name);
    const stat = statSync(entry, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return holds(entry, wanted);
    return stat?.isFile() === true && readFileSync(entry).includes(wanted);
  });
}

async function fill(page, selector, value) {
  const set = 'const box = document.querySelector(arguments[0]); box.value = arguments[1]; box.dispatchEvent(new Event("input", { bubbles: true })); box.dispatchEvent(new Event("change", { bubbles: true }));';
  await page.until(() => page.find(selector), selector);
  await page.run(set, selector, value);
}

const clickText = (page, words) => page.until(() => page.run("const button = [...document.querySelectorAll('dialog button:not(:disabled)')].find((one) => one.textContent.trim() === arguments[0]); button?.click(); return button !== undefined", words), `a button ${words}`);

async function openModels(page) {
  await page.click('main header');
  await page.press(Keys.control, ',');
  await page.click('#settings-models');
}

async function addEndpoint(page) {
  await openModels(page);
  await fill(page, 'dialog .add select', 'openai');
  await clickText(page, 'Add');
  await fill(page, '#openai-url', endpoint.url);
}

test('a key is kept in the keyring, lists the models, tests one, and is there after a restart', { timeout: 150_000 }, async () => {
  const stage = await Stage.open();
  try {
    stage.document('Welcome.md');
    mkdirSync(path.join(stage.folder, 'user'), { recursive: true });
    const keyring = spawn('gnome-keyring-daemon', ['--replace', '--foreground', '--unlock', '--components=secrets'], { env: stage.environment, stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    stage.running.push(keyring);
    keyring.stdin.end('a password\n');
    await pause(2500);

    const page = await stage.start(`${stage.documents}/Welcome.md`);
    await addEndpoint(page);
    await fill(page, '#openai-key', KEY);
    await clickText(page, 'Keep in the keychain');
    await page.until(() => page.run("return document.querySelector('#openai-key')?.placeholder === 'kept in the keychain'"), 'the key in the keychain');
    await clickText(page, 'List the models');
    await page.shows('dialog', 'The endpoint offers 2 models');
    assert.equal(endpoint.asked.at(-1).key, `Bearer ${KEY}`);
    await page.click('#openai-test');
    await page.shows('[data-test-answer]', 'It makes whole tool calls');
    await stage.picture('settings-models-tested');
    await clickText(page, 'Use this model');
    await page.until(async () => (await stage.ask('settings.get', {})).value.model === 'openai/pocket-large', 'the chosen model');

    await page.click('#settings-programs');
    await page.click('#proxy-switch');
    await page.shows('dialog', 'OPENAI_BASE_URL=http://127.0.0.1:');
    const { value: proxy } = await stage.ask('proxy.status', {});
    const listed = await fetch(`${proxy.url}/models`, { headers: { authorization: `Bearer ${proxy.token}` } });
    assert.equal(listed.status, 200);
    assert.equal((await fetch(`${proxy.url}/models`, { headers: { authorization: 'Bearer wrong' } })).status, 401);
    await stage.picture('settings-programs-running');
    await page.click('#proxy-switch');
    await page.until(async () => (await stage.ask('proxy.status', {})).value.running === false, 'the proxy to stop');

    await stage.restart();
    const { value: status } = await stage.ask('keys.status', { provider: 'openai' });
    assert.deepEqual([status.place, status.has_keychain], ['keychain', true]);
    assert.equal(holds(stage.home, KEY), false, 'no file of Stet holds the key');
    await stage.say('Say hello');
    await stage.page.until(() => stage.page.run("return document.querySelector('[role=log] article[data-state=done]') !== null"), 'the answer of the endpoint');
    assert.equal(endpoint.asked.at(-1).key, `Bearer ${KEY}`);
  } finally {
    await stage.close();
  }
});

test('without a keyring a key holds for this session only, and never becomes a file', { timeout: 90_000 }, async () => {
  const stage = await Stage.open();
  try {
    stage.document('Welcome.md');
    // A bus on which nobody keeps secrets: as on a machine without a keyring.
    stage.extra = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path.join(stage.folder, 'no-bus')}` };
    const page = await stage.start(`${stage.documents}/Welcome.md`);
    await addEndpoint(page);
    await page.shows('dialog', 'This system offers no keychain');
    assert.equal(await page.run("return [...document.querySelectorAll('dialog button')].some((one) => one.textContent === 'Keep in the keychain')"), false);
    await fill(page, '#openai-key', KEY);
    await stage.picture('settings-no-keychain');
    await clickText(page, 'This session only');
    await clickText(page, 'List the models');
    await page.shows('dialog', 'The endpoint offers 2 models');
    assert.equal(endpoint.asked.at(-1).key, `Bearer ${KEY}`);
    assert.equal(holds(stage.home, KEY), false, 'no file of Stet holds the key');
    await stage.restart();
    assert.equal((await stage.ask('keys.status', { provider: 'openai' })).value.place, 'none');
  } finally {
    await stage.close();
  }
});

test('parts that are kept out never reach the endpoint', { timeout: 120_000 }, async () => {
  const stage = await Stage.open();
  try {
    stage.document('Budget.xlsx');
    const page = await stage.start(`${stage.documents}/Budget.xlsx`);
    const provider = { id: 'local', name: 'Local', base_url: endpoint.url, models: ['pocket-large'], needs_key: false, headers: [] };
    await stage.ask('settings.update', { changes: { providers: [provider], model: 'local/pocket-large' } });
    await page.until(() => page.find('.files summary'), 'the choice of documents');
    await page.click('.files summary');
    await page.click('.files .parts');
    await page.until(() => page.run("const box = [...document.querySelectorAll('dialog label')].find((one) => one.textContent.includes('Dates'))?.querySelector('input'); box?.click(); return box !== undefined"), 'the sheet Dates');
    await stage.picture('parts');
    await clickText(page, 'Done');
    const file_id = await stage.fileId('Budget.xlsx');
    const { value: settings } = await stage.ask('settings.get', {});
    assert.deepEqual(settings.kept_out[file_id], ['sheet:Dates']);

    let step = 0;
    const calls = [
      ['file_read', { file_id }],
      ['file_search', { query: 'invitations' }],
      ['file_edit', { file_id, expected_content_rev: 1, ops: [{ op: 'xlsx_set_cell', sheet: 'Dates', cell: 'B4', value: 'mine' }] }],
      ['file_edit', { file_id, expected_content_rev: 1, ops: [{ op: 'xlsx_set_cell', sheet: 'Budget', cell: 'B4', value: 120 }] }],
    ];
    endpoint.asked.length = 0;
    endpoint.script = () => (step < calls.length ? { call: calls[step++] } : { text: 'done' });
    await stage.say('Set the travel budget to 120');
    await page.until(() => page.find('#accept'), 'the review');
    await page.until(() => page.run("return document.querySelector('[role=log] article[data-state=done]') !== null"), 'the end of the turn');
    endpoint.script = undefined;
    const sent = JSON.stringify(endpoint.asked);
    assert.ok(sent.includes('Travel') && sent.includes('kept_out'), 'the rest of the workbook was read');
    for (const secret of ['Invitations', 'Draft of the programme', 'The event']) assert.equal(sent.includes(secret), false, secret);
    assert.ok(sent.includes('path_not_allowed'), 'the edit of the hidden sheet was refused');
    const proposals = (await stage.ask('proposals.list', { file_id })).value;
    assert.deepEqual(proposals.at(-1).changes.filter((change) => change.where.startsWith('Dates')), []);
  } finally {
    await stage.close();
  }
});

test('the tools of this test are there', () => {
  execFileSync('gnome-keyring-daemon', ['--version']);
});
