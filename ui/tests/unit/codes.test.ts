import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { en } from '../../src/i18n/en';
import { zh } from '../../src/i18n/zh';

// The codes that reach a person stand in the Rust source. Each needs a sentence of the window in both languages.

const rust = join(import.meta.dirname, '../../../src-tauri/crates');

function sources(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return name === 'tests' || name === 'target' ? [] : sources(path);
    return name.endsWith('.rs') && name !== 'tests.rs' && name !== 'generated.rs' ? [path] : [];
  });
}

/** Without the tests at a file's end. */
function read(path: string): string {
  return readFileSync(path, 'utf8').split(/\n#\[cfg\(test\)\]\nmod /)[0] ?? '';
}

/** Functions that hand a code on to `Warning::new` or `Warning::at`, by the file that holds them, and how they are called. */
const FORWARDERS: Record<string, RegExp> = {
  'assistant/src/workspace.rs': /\.notice\(/g,
  'documents/src/formats/docx/notices.rs': /\badd\(/g,
  'documents/src/formats/docx/batch.rs': /\.warn_(?:once|at)\(/g,
  'documents/src/formats/pptx/session.rs': /\.warn\((?!Warning)/g,
  'documents/src/formats/xlsx/sheet_ops.rs': /\.tell_turned\(/g,
  'documents/src/formats/xlsx/structure.rs': /\bNote \{ code: /g,
};
const MADE = /\bWarning::(?:new|at)\(/g;

/** The first code among the arguments that begin at a place. */
function codeAt(text: string, at: number): string | undefined {
  return /^[^;]*?"([a-z]+(?:_[a-z]+)*)"/.exec(text.slice(at, at + 300))?.[1];
}

function warningCodes(): { codes: Set<string>; strange: string[] } {
  const codes = new Set<string>();
  const strange: string[] = [];
  for (const path of ['assistant/src', 'documents/src', 'gateway/src'].flatMap((folder) => sources(join(rust, folder)))) {
    const name = relative(rust, path);
    const text = read(path);
    for (const found of text.matchAll(MADE)) {
      const argument = text.slice(found.index + found[0].length).trimStart();
      if (argument.startsWith('"')) codes.add(codeAt(argument, 0) ?? '');
      else if (!(name in FORWARDERS)) strange.push(`${name}: ${argument.slice(0, 40)}`);
    }
    for (const forwarder of Object.values(FORWARDERS)) {
      if (forwarder.source.includes('add') && !name.endsWith('docx/notices.rs')) continue;
      for (const found of text.matchAll(forwarder)) {
        const code = codeAt(text, found.index + found[0].length);
        if (code !== undefined) codes.add(code);
        else strange.push(`${name}: ${text.slice(found.index, found.index + 60)}`);
      }
    }
  }
  return { codes, strange };
}

function without(prefix: string, codes: Iterable<string>): string[] {
  return [...codes].filter((code) => !(`${prefix}.${code}` in en) || !(`${prefix}.${code}` in zh)).sort();
}

function generated(name: string): string[] {
  const text = readFileSync(join(import.meta.dirname, '../../src/backend/generated', `${name}.ts`), 'utf8');
  return [...text.matchAll(/"([a-z_]+)"/g)].map((found) => found[1] ?? '');
}

describe('every code of the core has words in both languages', () => {
  test('warnings', () => {
    const { codes, strange } = warningCodes();
    // A new way to make a warning must be named above, or its codes would go unseen.
    expect(strange).toEqual([]);
    expect(codes.size).toBeGreaterThan(50);
    expect(without('warning', codes)).toEqual([]);
  });

  test('and no warning has words that no code asks for', () => {
    const { codes } = warningCodes();
    const told = Object.keys(en).filter((key) => key.startsWith('warning.')).map((key) => key.slice('warning.'.length));
    expect(told.filter((code) => !codes.has(code))).toEqual([]);
  });

  test('errors, with what to do', () => {
    const codes = generated('ErrorCode');
    expect(codes.length).toBeGreaterThan(20);
    expect(without('error', codes)).toEqual([]);
    expect(without('advice', codes)).toEqual([]);
  });

  test('operations', () => {
    const edit = read(join(rust, 'documents/src/edit.rs'));
    const variants = edit.slice(edit.indexOf('pub enum Edit {'));
    const names = [...variants.slice(0, variants.indexOf('\n}')).matchAll(/^ {4}([A-Z]\w+) \{/gm)].map((found) => snake(found[1] ?? ''));
    expect(names.length).toBeGreaterThan(40);
    expect(without('op', names)).toEqual([]);
  });

  test('details of changes', () => {
    const codes = new Set<string>();
    for (const path of sources(join(rust, 'documents/src/formats'))) {
      for (const call of read(path).matchAll(/(?:\.(?:change|record|report)\(|\bdetail: )[^;]*?Some\("([a-z ]+)"(?:\.into\(\))?\),?\s*[)}]/g)) codes.add(call[1] ?? '');
    }
    expect([...codes].sort()).toEqual(expect.arrayContaining(['format', 'moved', 'recalculated', 'structure']));
    expect(without('detail', codes)).toEqual([]);
  });
});

function snake(name: string): string {
  return name.replace(/(?<!^)[A-Z]/g, '_$&').toLowerCase();
}
