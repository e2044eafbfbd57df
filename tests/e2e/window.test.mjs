// How documents come in, and what happens outside the window: dialog, drag, second start, changes by other programs, a restart.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Stage, pause, repository } from './stage.mjs';

let stage;
before(async () => {
  stage = await Stage.open();
  await stage.start();
});
after(() => stage.close());

const here = path.join(repository, 'tests/e2e');

test('the samples of all four formats open on the first start', { timeout: 60_000 }, async () => {
  for (const name of ['Welcome.md', 'Budget.xlsx', 'Kickoff.pptx', 'Agreement.docx']) await stage.page.until(() => stage.page.find(`button[data-file="${name}"]`), name);
  await stage.page.shows('main h1', 'Welcome.md');
  assert.equal(await stage.page.run("return document.querySelector('article h1')?.textContent"), 'Welcome to Stet');
});

test('a real drag from another program opens what it brings', { timeout: 60_000 }, async () => {
  const file = stage.document('dragged in.md', '# Dragged\n\nIt came by a real drag.\n');
  const source = stage.run('/usr/bin/python3', path.join(here, 'drag_source.py'), file);
  await stage.xWindow('^stet-drag-source$');
  await pause(500);
  stage.x('mousemove', '60', '60', 'sleep', '0.1', 'mousedown', '1');
  for (const [x, y] of [[65, 65], [75, 75], [100, 100], [220, 180], [360, 260], [480, 330], [600, 390], [630, 400]]) {
    stage.x('mousemove', String(x), String(y));
    await pause(60);
  }
  await stage.page.shows('[role=status]', 'Drop to open');
  await stage.picture('drag-over');
  stage.x('mouseup', '1');
  await stage.page.shows('main h1', 'dragged in.md');
  source.kill();
});

test('the open dialog is the system’s own', { timeout: 120_000 }, async () => {
  const file = stage.document('chosen ü.md', '# Chosen\n');
  // Keys that are typed into another program's dialog may come before it listens; a person would try again too.
  for (let tries = 1; ; tries += 1) {
    await stage.page.click('#open-documents');
    const dialog = await stage.xWindow('^Open File$');
    await pause(1500);
    stage.x('windowfocus', dialog);
    stage.x('key', '--clearmodifiers', 'ctrl+l');
    await pause(800);
    stage.x('type', '--delay', '25', file);
    await pause(1000);
    stage.x('key', 'Return');
    try {
      await stage.page.shows('main h1', 'chosen ü.md');
      return;
    } catch (error) {
      if (tries === 3) throw error;
      stage.x('key', 'Escape');
      await pause(1000);
    }
  }
});

test('a second start hands its file to this window and ends', { timeout: 60_000 }, async () => {
  const file = stage.document('second.md', '# Second\n');
  const second = spawn(process.env.STET_APP ?? path.join(repository, 'target/debug/stet-desktop'), [path.basename(file)], { env: stage.environment, cwd: stage.documents, stdio: 'ignore' });
  const [code] = await once(second, 'exit');
  assert.equal(code, 0);
  await stage.page.shows('main h1', 'second.md');
});

test('a change by another program appears within a second', { timeout: 60_000 }, async () => {
  const file = path.join(stage.documents, 'second.md');
  await stage.select('second.md');
  await pause(300);
  writeFileSync(file, '# Second\n\nWritten by another program.\n');
  const began = Date.now();
  await stage.page.shows('article', 'Written by another program.', 4_000);
  assert.ok(Date.now() - began < 2_500, `${Date.now() - began} ms`);
  await stage.page.shows('main header', 'Revision 2');
});

test('a proposal survives a restart and is fitted to a change elsewhere', { timeout: 90_000 }, async () => {
  const file = stage.document('plan.md', 'one\ntwo\nthree\nfour\nfive\n');
  await stage.restart(file);
  await stage.page.shows('main h1', 'plan.md');
  await stage.say('replace "four" with "4"');
  await stage.page.until(() => stage.page.find('#accept'), 'the review');
  await stage.restart();
  await stage.select('plan.md');
  await stage.page.until(() => stage.page.find('#accept'), 'the review after the restart');
  writeFileSync(file, 'ONE\ntwo\nthree\nfour\nfive\n');
  await stage.page.shows('main', 'fitted to the new content', 6_000);
  await stage.picture('rebased');
  await stage.accept();
  await stage.page.until(() => readFileSync(file, 'utf8') === 'ONE\ntwo\nthree\n4\nfive\n', 'both changes');
});

test('a proposal whose place changed is a conflict and cannot be accepted', { timeout: 60_000 }, async () => {
  const file = path.join(stage.documents, 'plan.md');
  await stage.say('replace "two" with "2"');
  await stage.page.until(() => stage.page.find('#accept'), 'the review');
  writeFileSync(file, 'ONE\nzwei\nthree\n4\nfive\n');
  await stage.page.shows('main', 'no longer fits', 6_000);
  await stage.picture('conflict');
  assert.equal(await stage.page.run("return document.querySelector('#accept').disabled"), true);
  await stage.page.click('#reject');
  await stage.page.gone('#reject');
  assert.equal(readFileSync(file, 'utf8'), 'ONE\nzwei\nthree\n4\nfive\n');
});

test('what is not understood is said with examples, and a missing file is told', { timeout: 60_000 }, async () => {
  await stage.say('make it nicer somehow');
  await stage.page.until(() => stage.page.run("return document.querySelector('[role=log] article:last-child [data-state], [role=log] article:last-child[data-state=done]') !== null"), 'the answer');
  rmSync(path.join(stage.documents, 'second.md'));
  await stage.select('second.md');
  await stage.page.shows('main', 'The file is gone', 6_000);
  await stage.picture('missing');
});
