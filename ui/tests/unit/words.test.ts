import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { en } from '../../src/i18n/en';
import { fill, systemLanguage, t, words } from '../../src/i18n/index.svelte';
import { zh } from '../../src/i18n/zh';

const sources = join(import.meta.dirname, '../../src');

function files(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });
}

describe('the tables', () => {
  test('have the same keys and no empty sentence', () => {
    expect(Object.keys(zh).sort()).toEqual(Object.keys(en).sort());
    for (const sentence of [...Object.values(en), ...Object.values(zh)]) expect(sentence.trim()).not.toBe('');
  });

  test('take the same values in both languages', () => {
    const names = (sentence: string) => new Set([...sentence.matchAll(/\{(\w+)/g)].map((found) => found[1]));
    for (const key of Object.keys(en) as (keyof typeof en)[]) expect([key, names(zh[key])]).toEqual([key, names(en[key])]);
  });

  test('hold every key that is used, and no key that is not', () => {
    const text = files(sources).filter((path) => /\.(svelte|ts)$/.test(path) && !path.includes('/i18n/')).map((path) => readFileSync(path, 'utf8')).join('\n');
    const unused = Object.keys(en).filter((key) => {
      const dynamic = [/^error\./, /^origin\./, /^state\./, /^format\./, /^tool\./, /^example\./, /^settings\./, /^view\./, /^advice\./, /^warning\./, /^detail\./, /^op\./];
      return !text.includes(`'${key}'`) && !dynamic.some((pattern) => pattern.test(key));
    });
    expect(unused).toEqual([]);
  });
});

test('a sentence counts', () => {
  expect(fill('{count|# change|# changes}', { count: 1 })).toBe('1 change');
  expect(fill('{count|# change|# changes}', { count: 1200 })).toBe('1,200 changes');
  expect(fill('{name} and {other}', { name: 'a' })).toBe('a and {other}');
});

test('the language follows the system and can be chosen', () => {
  expect(systemLanguage(['zh-TW', 'en'])).toBe('zh');
  expect(systemLanguage(['fr', 'zh'])).toBe('en');
  words.use('zh');
  expect(t('chat.send')).toBe('发送');
  words.use('en');
  expect(t('chat.send')).toBe('Send');
});

test('no component holds a sentence of its own', () => {
  const offenders = files(sources).filter((path) => path.endsWith('.svelte')).flatMap((path) => {
    const template = readFileSync(path, 'utf8').replace(/<script[\s\S]*?<\/script>/g, '').replace(/<style[\s\S]*?<\/style>/g, '').replace(/<!--[\s\S]*?-->/g, '').replace(/<svg[\s\S]*?<\/svg>/g, '');
    const withoutCode = stripBraces(template);
    const texts = [...withoutCode.matchAll(/>([^<>]*[A-Za-z\u4e00-\u9fff]{2}[^<>]*)</g)].map((found) => found[1]?.trim());
    const named = [...withoutCode.matchAll(/\s(?:title|aria-label|placeholder|alt)="([^"]*[A-Za-z]{3}[^"]*)"/g)].map((found) => found[1]);
    // Examples of model names and cells are names, not words.
    return [...texts, ...named].filter((text) => text && !/^(gpt-5|Budget!)/.test(text)).map((text) => `${path}: ${text}`);
  });
  expect(offenders).toEqual([]);
});

/** A template without what stands in braces. */
function stripBraces(text: string): string {
  let depth = 0;
  let out = '';
  for (const character of text) {
    if (character === '{') depth += 1;
    if (depth === 0) out += character;
    if (character === '}') depth -= 1;
  }
  return out;
}
