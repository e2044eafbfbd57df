// Pictures of each main state, to be looked at: three sizes, two scales, both themes, both languages. They are made into target/screens
// (or STET_ARTEFACTS); what is asserted is only that nothing runs out of the window.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Stage, pause, repository } from './stage.mjs';
import { Keys } from './webdriver.mjs';

const folder = process.env.STET_ARTEFACTS ?? path.join(repository, 'target/screens');
const ALL = [
  { name: '1280-light-en', width: 1280, height: 800, scale: 1, theme: 'light', language: 'en' },
  { name: '1280-dark-zh', width: 1280, height: 800, scale: 1, theme: 'dark', language: 'zh' },
  { name: '1920-light-zh', width: 1920, height: 1080, scale: 1, theme: 'light', language: 'zh' },
  { name: '1920-dark-en-150', width: 1920, height: 1080, scale: 1.5, theme: 'dark', language: 'en' },
  { name: '720-light-en', width: 720, height: 700, scale: 1, theme: 'light', language: 'en' },
  { name: '1280-light-zh-150', width: 1280, height: 800, scale: 1.5, theme: 'light', language: 'zh' },
];
/** Every day only the narrow window with two documents is walked; with STET_FULL or STET_ARTEFACTS all of it. */
const isWhole = Boolean(process.env.STET_FULL ?? process.env.STET_ARTEFACTS);
const looks = isWhole ? ALL : ALL.filter((look) => look.width === 720);
const SAYS = {
  en: { 'Welcome.md': 'replace "two teams" with "three teams"', 'Budget.xlsx': 'set B4 to 120', 'Kickoff.pptx': 'set the title of slide 2 to "What changes"', 'Agreement.docx': 'replace "twelve months" with "two years"' },
  zh: { '欢迎.md': '把“两个团队”改成“三个团队”', '预算.xlsx': '把B4设为120', '启动会.pptx': '给第2页换个标题：有哪些变化', '协议.docx': '把“十二个月”改成“两年”' },
};
const PAGES = ['general', 'models', 'limits', 'history', 'programs', 'metrics', 'data'];

for (const look of looks) {
  test(`pictures: ${look.name}`, { timeout: 480_000 }, async () => {
    mkdirSync(folder, { recursive: true });
    const stage = await Stage.open({ width: look.width, height: look.height });
    try {
      mkdirSync(stage.home, { recursive: true });
      writeFileSync(path.join(stage.home, 'settings.json'), JSON.stringify({ language: look.language, theme: look.theme }));
      writeFileSync(path.join(stage.home, 'shell.json'), JSON.stringify({ recent: [], samples_shown: false, window: { width: look.width, height: look.height, maximized: true } }));
      stage.extra = { GDK_DPI_SCALE: '1' };
      const page = await stage.start();
      await page.run('document.documentElement.style.zoom = arguments[0]', String(look.scale));
      await pause(400);
      const shot = async (state) => {
        await pause(250);
        writeFileSync(path.join(folder, `${look.name}-${state}.png`), await page.screenshot());
        const over = await page.run('return [document.documentElement.scrollWidth - innerWidth, document.body.scrollWidth - document.body.clientWidth]');
        assert.ok(over.every((pixels) => pixels <= 1), `${state}: ${over}`);
      };
      // The driver's own clicks miss in a zoomed page.
      const tap = async (selector) => {
        await page.until(() => page.find(selector), selector);
        await page.run('document.querySelector(arguments[0]).click()', selector);
      };
      const say = async (text) => {
        await page.until(() => page.find('#send'), 'the assistant to be free');
        await page.run('const box = document.querySelector("#composer"); box.value = arguments[0]; box.dispatchEvent(new Event("input", { bubbles: true }));', text);
        await tap('#send:not(:disabled)');
      };
      const narrow = (await page.run("return document.querySelector('.window').classList.contains('narrow')")) === true;
      const assistant = () => (narrow ? page.press(Keys.control, 'j') : undefined);
      for (const [name, says] of Object.entries(SAYS[look.language]).slice(0, isWhole ? 4 : 2)) {
        if (narrow) await page.press(Keys.control, 'b');
        await tap(`button[data-file="${name}"]`);
        await page.shows('main h1', name);
        await page.until(() => page.run("return !document.querySelector('main [aria-busy=true]') && !/Reading|正在读取/.test(document.querySelector('main').innerText)"), 'the preview');
        await drawn(page);
        await pause(300);
        await shot(`open-${name}`);
        await assistant();
        await say(says);
        await page.until(() => page.find('#accept'), 'the review');
        if (narrow) await shot(`assistant-${name}`);
        if (narrow) await page.run("document.querySelector('.veil')?.click()");
        await pause(300);
        await drawn(page);
        await pause(300);
        await shot(`review-${name}`);
      }
      await tap('#accept');
      await page.gone('#accept');
      await shot('accepted');
      await tap('#tab-history');
      await pause(300);
      await shot('history');
      if (isWhole) await unwell({ stage, page, shot, tap, say, look, narrow, assistant });
      await assistant();
      await say(look.language === 'en' ? 'replace "no such words" with "x"' : '把“没有这样的字”改成“x”');
      await page.until(() => page.run("return document.querySelector('[data-ok=false]') !== null || document.querySelectorAll('[role=log] article[data-state=done]').length > 4"), 'the refusal');
      await shot('refused');
      if (narrow) await page.run("document.querySelector('.veil')?.click()");
      await page.press(Keys.control, 'k');
      await shot('palette');
      await page.press(Keys.escape);
      await page.press('\uE031');
      await shot('help');
      await page.press(Keys.escape);
      await page.press(Keys.control, ',');
      for (const settings of isWhole ? PAGES : PAGES.slice(0, 2)) {
        await tap(`#settings-${settings}`);
        await shot(`settings-${settings}`);
      }
      await page.press(Keys.escape);
      for (const document of (await stage.ask('documents.list', {})).value) await stage.ask('documents.close', { file_id: document.file_id });
      await page.until(() => page.find('.empty'), 'the empty window');
      await shot('empty');
    } finally {
      await stage.close();
    }
  });
}

/** Waits until every picture and page that is in view has come. */
async function drawn(page) {
  const script = `
    const main = document.querySelector('main');
    const waits = main.querySelector('[aria-busy=true], .waiting, [role=status].middle') !== null || /Reading the document|正在读取/.test(main.innerText);
    return !waits && [...main.querySelectorAll('img')].every((image) => image.complete && image.naturalWidth > 0);
  `;
  await page.until(() => page.run(script), 'everything in view', 30_000);
}

/** A comparison, a change outside, a conflict, an editor by hand, parts kept out, a file that cannot be opened, a model out of reach. */
async function unwell({ stage, page, shot, tap, say, look, narrow, assistant }) {
  const calm = () => (narrow ? page.run("document.querySelector('.veil')?.click()") : undefined);
  await tap('[data-snapshot]:last-child button:nth-last-child(2)');
  await page.until(() => page.find('main .sides'), 'the comparison');
  await pause(900);
  await shot('compare');

  const [name, says] = Object.entries(SAYS[look.language])[0];
  const [sheet] = Object.entries(SAYS[look.language])[1];
  const choose = async (wanted) => {
    if (narrow) await page.press(Keys.control, 'b');
    await tap(`button[data-file="${wanted}"]`);
    await page.shows('main header h1', wanted);
  };
  await choose(name);
  if (await page.run("return document.querySelector('#reject') !== null")) {
    await tap('#reject');
    await page.gone('#reject');
  }
  const { path: file } = (await stage.ask('documents.list', {})).value.find((document) => document.name === name);
  await assistant();
  await say(says);
  await page.until(() => page.find('#accept'), 'the review');
  await calm();
  const theirs = look.language === 'en' ? ['two teams', 'nine teams'] : ['两个团队', '九个团队'];
  writeFileSync(file, readFileSync(file, 'utf8').replace(...theirs));
  await page.until(() => page.find('[data-conflict]'), 'the conflict');
  await shot('conflict');
  await tap('#reject');
  await page.gone('#reject');
  await page.until(() => page.find('[data-outside]'), 'what was changed outside');
  await shot('outside');

  await choose(sheet);
  await page.until(() => page.find('[data-cell=B4], #reject'), 'the sheet');
  await page.run("document.querySelector('#reject')?.click()");
  await page.until(() => page.find('[data-cell=B4]'), 'the sheet');
  await page.run("document.querySelector('.sheet-grid').focus()");
  await page.press(Keys.enter);
  await page.until(() => page.find('input.editor'), 'the editor');
  await shot('hand');
  await page.press(Keys.escape);

  await assistant();
  await page.run("for (const files of document.querySelectorAll('.files')) files.open = true");
  await tap('.files li:nth-child(2) .parts');
  await page.until(() => page.find('dialog[open]'), 'the parts');
  await pause(400);
  await shot('parts');
  await page.press(Keys.escape);
  await calm();

  const broken = path.join(stage.documents, 'Broken.docx');
  writeFileSync(broken, 'PK nothing that could be unpacked');
  stage.run(process.env.STET_APP ?? path.join(repository, 'target/debug/stet-desktop'), broken);
  await page.until(() => page.find('.notice.bad, main [role=alert]'), 'the refusal of a broken file');
  await shot('error');
  await page.run("for (const button of document.querySelectorAll('.notice button.icon')) button.click()");

  const provider = { id: 'away', name: 'Away', base_url: 'http://127.0.0.1:9/v1', models: ['some-model'], needs_key: false, headers: [] };
  await stage.ask('settings.update', { changes: { providers: [provider], model: 'away/some-model', turn: { steps: 2, tokens: 0, seconds: 20, inline_characters: 500 } } });
  await assistant();
  await pause(300);
  await shot('leaves');
  await say('hello');
  await page.until(() => page.run("return document.querySelector('[role=log] article[data-state=failed], [role=log] [role=alert]') !== null"), 'the failure', 60_000);
  await shot('offline');
  await calm();
  await stage.ask('settings.update', { changes: { providers: null, model: null, turn: null } });
}
