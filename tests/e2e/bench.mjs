// How quick the window is, each number as a ratio to a floor measured in the same run: an empty window of the same build, inflating a
// part, a short document, one plain editor. Run by hand under a session bus:
//   STET_APP=… STET_EMPTY=…/examples/empty STET_TAURI_DRIVER=… dbus-run-session -- node tests/e2e/bench.mjs
// Build both with `--release` for numbers that mean something. The table goes to standard output; the exit code says whether all held.

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { parts, rewritten } from './package.mjs';
import { Stage, pause, repository } from './stage.mjs';

const RUNS = Number(process.env.STET_BENCH_RUNS ?? 7);
const application = path.resolve(process.env.STET_APP ?? path.join(repository, 'target/release/stet-desktop'));
const empty = path.resolve(process.env.STET_EMPTY ?? path.join(repository, 'target/release/examples/empty'));

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const rows = [];
function row(subject, value, floor, limit, unit) {
  const ratio = value / floor;
  rows.push({ subject, measured: `${value.toFixed(0)} ${unit}`, floor: `${floor.toFixed(0)} ${unit}`, ratio: Number(ratio.toFixed(2)), limit, holds: ratio <= limit });
}

/** The processes of an app: itself and everything that it started. */
function family(program) {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const after = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return [{ pid, parent: after[1], started: Number(after[19]), program: readlinkSync(`/proc/${pid}/exe`) }];
    } catch {
      return [];
    }
  });
  const root = all.find((process) => process.program === program);
  const members = root ? [root] : [];
  for (const process of members) members.push(...all.filter((other) => other.parent === process.pid));
  return members;
}

/** Milliseconds since the epoch at which a process began; the kernel counts hundredths of a second since the boot. */
function began(process) {
  const boot = Number(/btime (\d+)/.exec(readFileSync('/proc/stat', 'utf8'))[1]) * 1000;
  return boot + process.started * 10;
}

function memory(program) {
  return family(program).reduce((sum, { pid }) => {
    try {
      return sum + Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]) / 1024;
    } catch {
      return sum;
    }
  }, 0);
}

/** Starts a program with a home of its own and tells how long it took and what it holds. */
async function start(program, ready, files, selector) {
  const stage = await Stage.open();
  try {
    mkdirSync(stage.home, { recursive: true });
    writeFileSync(path.join(stage.home, 'shell.json'), JSON.stringify({ recent: [], samples_shown: true }));
    const copies = files.map((file) => {
      const copy = path.join(stage.documents, path.basename(file));
      cpSync(file, copy);
      return copy;
    });
    const page = await stage.startProgram(program, copies, selector);
    const moment = await page.until(() => page.run(ready), 'the moment');
    const [root] = family(program);
    const milliseconds = moment - began(root);
    await pause(2_500);
    return { milliseconds, megabytes: memory(program) };
  } finally {
    await stage.close();
  }
}

const STET_READY = "const [mark] = performance.getEntriesByName('stet-ready'); return mark && performance.timeOrigin + mark.startTime;";
const EMPTY_READY = 'return performance.timing.domComplete || undefined;';

async function starts() {
  const document = path.join(mkdtempSync(path.join(tmpdir(), 'stet-bench-')), 'one-megabyte.md');
  writeFileSync(document, 'A line of a document that is one megabyte long.\n'.repeat(1 + Math.round(1e6 / 48)));
  const stet = [];
  const floor = [];
  for (let run = 0; run < RUNS; run += 1) {
    floor.push(await start(empty, EMPTY_READY, [], 'body'));
    stet.push(await start(application, STET_READY, [document], '[data-ready]'));
  }
  const of = (all, what) => median(all.map((one) => one[what]));
  row('cold start to interactive', of(stet, 'milliseconds'), of(floor, 'milliseconds'), 1.3, 'ms');
  row('memory with a document of 1 MB', of(stet, 'megabytes'), of(floor, 'megabytes'), 1.5, 'MB');
}

const sample = (name) => readFileSync(path.join(repository, 'samples', name));

function bigSheet() {
  const cell = (row, column) => `<c r="${String.fromCharCode(65 + column)}${row}"><v>${row * 20 + column}</v></c>`;
  const data = Array.from({ length: 100_000 }, (_, index) => `<row r="${index + 1}">${Array.from({ length: 20 }, (_, column) => cell(index + 1, column)).join('')}</row>`).join('');
  return rewritten(sample('Budget.xlsx'), 'xl/worksheets/sheet1.xml', (text) => text.replace(/<sheetData>.*<\/sheetData>/s, `<sheetData>${data}</sheetData>`).replace(/<mergeCells.*<\/mergeCells>/s, ''));
}

function longWord(count) {
  const paragraph = (number) => `<w:p><w:r><w:t>Paragraph ${number} of a document that is only as long as it has to be for this.</w:t></w:r></w:p>`;
  const body = Array.from({ length: count }, (_, index) => paragraph(index + 1)).join('');
  return rewritten(sample('Agreement.docx'), 'word/document.xml', (text) => text.replace(/<w:body>.*?(<w:sectPr)/s, (_, section) => `<w:body>${body}${section}`));
}

async function sight(page, click, look) {
  // The policy of the page forbids code from text, so that every condition is a script of the driver's own.
  const script = `
    const done = arguments[arguments.length - 1];
    const look = () => { ${look} };
    const began = performance.now();
    ${click}
    const wait = () => (look() ? requestAnimationFrame(() => done(performance.now() - began)) : performance.now() - began > 60000 ? done(-1) : setTimeout(wait, 2));
    wait();
  `;
  const took = await page.request('POST', `${page.session}/execute/async`, { script, args: [] });
  if (took < 0) throw new Error(`never seen: ${look}`);
  return took;
}

const recent = (name) => `document.querySelector('[data-recent="${name}"]').click();`;

async function openings() {
  const stage = await Stage.open();
  try {
    const files = { 'rows.xlsx': bigSheet(), 'long.docx': longWord(10_000), 'short.docx': longWord(100) };
    for (const [name, bytes] of Object.entries(files)) stage.document(name, bytes);
    const page = await stage.start(...Object.keys(files).map((name) => path.join(stage.documents, name)));
    await page.request('POST', `${page.session}/timeouts`, { script: 90_000 });
    const closeAll = async () => {
      for (const document of (await stage.ask('documents.list', {})).value) await stage.ask('documents.close', { file_id: document.file_id });
      await page.until(() => page.find('[data-recent="rows.xlsx"]'), 'the list of recent files');
      await pause(300);
    };
    const raw = parts(files['rows.xlsx']).get('xl/worksheets/sheet1.xml').raw;
    const times = { inflate: [], sheet: [], long: [], short: [] };
    for (let run = 0; run < RUNS; run += 1) {
      await closeAll();
      const before = performance.now();
      inflateRawSync(raw);
      times.inflate.push(performance.now() - before);
      times.sheet.push(await sight(page, recent('rows.xlsx'), "return document.querySelector('[data-cell=B2] .text') !== null;"));
      const word = "return (document.querySelector('main iframe')?.contentDocument?.querySelectorAll('p').length ?? 0) > 40 && document.querySelector('main .box').getAttribute('aria-busy') === 'false';";
      times.short.push(await sight(page, recent('short.docx'), word));
      times.long.push(await sight(page, recent('long.docx'), word));
    }
    row('first sight of 100,000 rows, against inflating the part', median(times.sheet), median(times.inflate), 4, 'ms');
    row('first pages of 10,000 paragraphs, against 100', median(times.long), median(times.short), 1.5, 'ms');
  } finally {
    await stage.close();
  }
}

async function sides() {
  const stage = await Stage.open();
  try {
    const line = (number) => `Line ${number} of a long text, with word${number} in it.\n`;
    let text = '';
    let count = 0;
    while (text.length < 4 << 20) text += line((count += 1));
    for (const name of ['three.md', 'many.md']) stage.document(name, text);
    const page = await stage.start(path.join(stage.documents, 'three.md'), path.join(stage.documents, 'many.md'));
    await page.request('POST', `${page.session}/timeouts`, { script: 90_000 });
    const stageEdits = async (name, edits) => {
      const step = Math.floor(count / (edits + 1));
      const ops = Array.from({ length: edits }, (_, index) => ({ op: 'replace_lines', start_line: (index + 1) * step, end_line: (index + 1) * step, text: `Changed line ${index}` }));
      const { error } = await stage.ask('documents.edit', { file_id: await stage.fileId(name), expected_content_rev: 1, ops, mode: 'stage', by_user: true });
      if (error) throw new Error(error.message);
    };
    await stageEdits('three.md', 3);
    await stageEdits('many.md', 10_000);
    const lines = (part) => `return (document.querySelector('${part}')?.shadowRoot?.querySelectorAll('.cm-line').length ?? 0) > 10;`;
    const times = { plain: [], three: [], many: [] };
    for (let run = 0; run < RUNS; run += 1) {
      for (const [name, key] of [['three.md', 'three'], ['many.md', 'many']]) {
        await page.run('document.querySelector("[data-file=\\"" + arguments[0] + "\\"]").click()', name);
        await page.until(() => page.find('#tab-review'), 'the review');
        await page.click('#tab-history');
        await pause(400);
        times.plain.push(await sight(page, "document.querySelector('#tab-document').click();", lines('main .code')));
        await page.click('#tab-history');
        await pause(400);
        times[key].push(await sight(page, "document.querySelector('#tab-review').click();", lines('main .merge')));
      }
    }
    row('side by side of 4 MB with 3 edits, against one editor', median(times.three), median(times.plain), 2, 'ms');
    row('side by side of 4 MB with 10,000 edits, against one editor', median(times.many), median(times.plain), 2, 'ms');
  } finally {
    await stage.close();
  }
}

const only = process.argv.slice(2).filter((word) => word !== '--json');
const wanted = (name) => only.length === 0 || only.includes(name);
if (wanted('start')) await starts();
if (wanted('open')) await openings();
if (wanted('sides')) await sides();
if (process.argv.includes('--json')) console.log(JSON.stringify(rows));
else console.table(rows);
process.exitCode = rows.every((one) => one.holds) ? 0 : 1;
