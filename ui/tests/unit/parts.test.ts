import { describe, expect, test } from 'vitest';
import { Fake } from '../../src/backend/fake';
import { headings, isRange, partsOf, sections } from '../../src/chat/parts';
import { pages } from '../../src/help/pages';
import { carry, pairParagraphs } from '../../src/review/align';
import { outcomes, times } from '../../src/settings/charts';
import { mcpConfiguration } from '../../src/settings/programs';
import { summaryText } from '../../src/shared/codes';
import { words } from '../../src/i18n/index.svelte';
import { Session } from '../../src/workspace/session.svelte';

describe('parts that can be kept out', () => {
  test('are the sections of Markdown with their paths', () => {
    const nodes = [{}, { section: 'Plan' }, { section: 'Plan' }, { section: 'Plan > Money' }, { section: 'Plan > Money' }];
    expect(sections(nodes)).toEqual([{ name: 'section:Plan', title: 'Plan', depth: 0 }, { name: 'section:Plan > Money', title: 'Money', depth: 1 }]);
  });

  test('are the headings of a Word document, without those of other stories', () => {
    const nodes = [
      { at: 'p1', text: 'One', level: 1 }, { at: 'p2', text: 'Text' }, { at: 'p3', text: 'Deep', level: 2 }, { at: 'p4', text: 'Two', level: 1 }, { at: 'header1.p1', text: 'Head', level: 1 },
    ];
    expect(headings(nodes).map((part) => part.name)).toEqual(['section:One', 'section:One > Deep', 'section:Two']);
  });

  test('are sheets, slides and notes', async () => {
    const fake = new Fake();
    const of = (name: string) => [...fake.documents.values()].find(({ info }) => info.name === name)?.info;
    const [budget, deck] = [of('budget.xlsx'), of('kickoff.pptx')];
    expect(budget && (await partsOf(fake, budget)).map((part) => part.name)).toEqual(['sheet:Budget', 'sheet:Dates', 'sheet:Mirrored']);
    expect(deck && (await partsOf(fake, deck)).map((part) => part.name)).toEqual(['slide:1', 'slide:2', 'slide:3', 'notes']);
  });

  test('and cell areas with their sheet', () => {
    for (const good of ['Data!B2', "'My sheet'!C:D", 'Data!$A$1:$B$9']) expect([good, isRange(good)]).toEqual([good, true]);
    for (const bad of ['B2', 'Data!', 'Data!12', '!A1', "''!A1"]) expect([bad, isRange(bad)]).toEqual([bad, false]);
  });
});

test('paragraphs that belong together stand level', () => {
  expect(pairParagraphs(['a', 'b', 'c', 'd'], ['a', 'new', 'b', 'C', 'd'])).toEqual([[0, 0], [1, 2], [2, 3], [3, 4]]);
  const level: [number, number][] = [[0, 0], [100, 100], [200, 500], [300, 600]];
  expect([carry(level, 50, 0), carry(level, 150, 0), carry(level, 550, 1), carry(level, 400, 0)]).toEqual([50, 300, 250, 700]);
  expect(carry([], 70, 0)).toBe(70);
});

test('what another program changed is told until it is seen', async () => {
  const fake = new Fake();
  const session = new Session(fake);
  await session.begin(() => {});
  const file_id = session.activeId ?? '';
  fake.changeOutside(file_id, '# Pilot plan\n\nWritten elsewhere.\n');
  for (let tries = 0; !session.outside[file_id] && tries < 50; tries += 1) await new Promise((done) => setTimeout(done, 5));
  expect(session.outside[file_id]?.changes.length).toBeGreaterThan(0);
  expect(session.outside[file_id]?.since.origin).toBe('opened');
  session.compareOutside(file_id);
  expect([session.view, session.compareFrom, session.outside[file_id]]).toEqual(['history', 'snap-000001', undefined]);
});

test('counters become bars', () => {
  const none = { count: 0, p50_ms: 0, p95_ms: 0 };
  const row = (model: string, calls: number, ok: number) => ({
    model, endpoint: '', protocol: '', format: '', size: '', calls, ok, failures: {}, continuations_tried: 0, continuations_saved: 0, retries_tried: 0, retries_saved: 0, accepted: 0, rejected: 0,
    read: none, commit: none, turn: { count: calls, p50_ms: 10, p95_ms: 30 },
  });
  expect(outcomes([row('a', 3, 2), row('a', 1, 1), row('b', 0, 0)])).toEqual([{ label: 'a', pieces: [{ tone: 'good', value: 3 }, { tone: 'bad', value: 1 }] }]);
  expect(times([row('a', 3, 2), row('b', 0, 0)])).toEqual([{ label: 'a', pieces: [{ tone: 'good', value: 10 }, { tone: 'soft', value: 20 }] }]);
});

test('both guides have the same pages, each with a title', () => {
  const [english, chinese] = [pages('en'), pages('zh')];
  expect(english.map((page) => page.id)).toEqual(chinese.map((page) => page.id));
  expect(english[0]?.id).toBe('begin');
  for (const page of [...english, ...chinese]) expect(page.title).not.toBe('');
});

test('summaries that the core made are said in words', () => {
  expect(summaryText('replace_text')).toBe('Replace text');
  expect(summaryText('3 operations: replace_text, append_lines')).toBe('3 operations: Replace text, Append lines');
  expect(summaryText('what I said')).toBe('what I said');
  words.use('zh');
  expect(summaryText('2 operations: xlsx_set_cell, xlsx_add_sheet')).toBe('2 项操作：设置单元格、添加工作表');
  words.use('en');
});

test('the MCP configuration is what a client takes', () => {
  expect(JSON.parse(mcpConfiguration('/opt/stet', '/home/a b', false))).toEqual({ mcpServers: { stet: { command: '/opt/stet', args: ['mcp', '--root', '/home/a b', '--stage'] } } });
});
