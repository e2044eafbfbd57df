// Documents of others in the real window: each opens or is refused with a reason, nothing is contacted, and the app lives on. With the
// shared corpus beside the repository all of it (STET_FULL=1) or a part; without it the fixtures of the repository.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { cpSync, existsSync, readdirSync, statSync } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Stage, pause, repository } from './stage.mjs';

const shared = process.env.STET_SHARED ?? path.join(repository, '../shared');
const FORMATS = /\.(docx|docm|dotx|xlsx|xlsm|xltx|pptx|pptm|potx|ppsx|md|txt|csv)$/i;
/** The hostile documents name this port for everything that they would load. */
const CANARY_PORT = 45999;
/** Without STET_FULL every so-manieth document of the corpus is opened; the hostile ones always are. */
const STRIDE = process.env.STET_FULL ? 1 : 12;

function walk(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).sort().flatMap((name) => {
    const entry = path.join(folder, name);
    return statSync(entry).isDirectory() ? walk(entry) : FORMATS.test(name) ? [entry] : [];
  });
}

const hostile = walk(path.join(shared, 'corpus/hostile'));
const others = walk(path.join(shared, 'corpus')).filter((file) => !hostile.includes(file)).filter((_, index) => index % STRIDE === 0);
const own = walk(path.join(repository, 'tests/fixtures')).slice(0, 12);
const files = hostile.length > 0 ? [...hostile, ...others] : own;

let stage;
let canary;
const contacted = [];
before(async () => {
  canary = createServer((request, response) => {
    contacted.push(request.url);
    response.end();
  });
  canary.listen(CANARY_PORT, '127.0.0.1');
  await once(canary, 'listening');
  stage = await Stage.open();
  stage.document('Welcome.md');
  await stage.start(`${stage.documents}/Welcome.md`);
  await stage.page.run(`
    window.violations = [];
    window.failures = [];
    document.addEventListener('securitypolicyviolation', (event) => window.violations.push(event.effectiveDirective + ' ' + event.blockedURI));
    addEventListener('error', (event) => window.failures.push(event.message));
    addEventListener('unhandledrejection', (event) => window.failures.push(String(event.reason?.message ?? event.reason)));
  `);
});
after(async () => {
  await stage.close();
  canary.close();
});

/** What stands in the middle once the preview has settled. */
const SETTLED = `
  const main = document.querySelector('main');
  if (main.querySelector('h1')?.textContent !== arguments[0]) return undefined;
  if (main.querySelector('[aria-busy=true]') || /Reading the document/.test(main.innerText)) return undefined;
  const refused = main.querySelector('[role=alert]')?.innerText;
  const frame = main.querySelector('iframe')?.contentDocument?.body;
  const drawn = frame ? frame.children.length > 0 : main.querySelector('.sheet-grid, [data-slide], article, .code, .slides') !== null;
  return refused ? 'refused: ' + refused.replace(/\\s+/g, ' ').slice(0, 160) : drawn ? 'shown' : undefined;
`;

test(`${files.length} documents of others open or are refused; nothing leaves, nothing breaks`, { timeout: 60_000 + files.length * 45_000 }, async (context) => {
  const { page } = stage;
  context.diagnostic(hostile.length > 0 ? `shared corpus, ${hostile.length} hostile` : 'fixtures of the repository');
  const outcome = { shown: 0, refused: 0, unopened: 0 };
  for (const [number, file] of files.entries()) {
    // The corpus has the same name in several folders.
    const name = `${number}-${path.basename(file)}`;
    const target = path.join(stage.documents, name);
    cpSync(file, target);
    const again = stage.run(process.env.STET_APP ?? path.join(repository, 'target/debug/stet-desktop'), target);
    const state = await page.until(async () => {
      const settled = await page.run(SETTLED, name);
      if (settled) return settled;
      const refused = await page.run("return [...document.querySelectorAll('.notice.bad')].map((one) => one.innerText).find((text) => text.includes(arguments[0]))", name);
      return refused ? 'unopened' : undefined;
    }, `${name} to be shown or refused`, 40_000);
    again.unref();
    outcome[state.startsWith('refused') ? 'refused' : state] += 1;
    if (state !== 'shown') context.diagnostic(`${name}: ${state}`);
    // Whatever a document holds, the window still answers.
    assert.equal(await page.run("return document.querySelector('[data-ready]') !== null"), true, name);
    await page.run("for (const button of document.querySelectorAll('.notice button.icon')) button.click()");
    const id = await stage.fileId(name);
    if (id) await stage.ask('documents.close', { file_id: id });
  }
  context.diagnostic(JSON.stringify(outcome));
  await pause(500);
  assert.deepEqual(contacted, [], 'no document reached the network');
  assert.equal(await page.run('return window.intruded === true || document.title === "pwned"'), false);
  assert.deepEqual(await page.run('return window.failures'), []);
  // A blocked load is a document that tried: it must have been stopped before that, except for pictures that the policy itself stops.
  context.diagnostic(`blocked by the policy: ${JSON.stringify(await page.run('return window.violations'))}`);
});
