import { describe, expect, test } from 'vitest';
import { changesOf } from '../../src/preview/code';
import { lineEdits } from '../../src/preview/edit';
import { render } from '../../src/preview/markdown';
import { withFallback } from '../../src/preview/word/page';
import { differing } from '../../src/preview/word/marks';

describe('edits by hand become line operations', () => {
  /** Applies operations as the core does: positions mean the first text. */
  function applied(before: string, ops: ReturnType<typeof lineEdits>): string {
    const lines = before.split('\n').map((line) => [line]);
    for (const op of ops) {
      if (op.op === 'insert_lines') {
        const at = op.position === 'before' ? op.line - 1 : op.line;
        const target = lines[at];
        if (target) target.unshift(...op.text.split('\n'));
        else lines.push(op.text.split('\n'));
      } else {
        for (let line = op.start_line; line <= op.end_line; line += 1) lines[line - 1] = [];
        if (op.op === 'replace_lines') lines[op.start_line - 1] = op.text.split('\n');
      }
    }
    return lines.flat().join('\n');
  }

  for (const [before, after] of [
    ['a\nb\nc', 'a\nB\nc'], ['a\nb\nc', 'a\nc'], ['a\nb', 'a\nx\ny\nb'], ['a\nb', 'a\nb\nc'], ['one\ntwo\nthree\nfour', 'zero\none\nTWO\nfour'], ['', 'new'], ['a\na\na', 'a\na'],
  ] as const) {
    test(`${JSON.stringify(before)} to ${JSON.stringify(after)}`, () => expect(applied(before, lineEdits(before, after))).toBe(after));
  }

  test('nothing changed is no operation', () => expect(lineEdits('a\nb', 'a\nb')).toEqual([]));
});

test('offsets of the core are counted as the editor counts them', () => {
  const before = 'a\r\nb\r\nc';
  const after = 'a\r\nB\r\nc';
  const [change] = changesOf({ before, after, diff: { hunks: [[3, 4, 3, 4]], words: [[]] } });
  expect([change?.fromA, change?.toA, change?.fromB, change?.toB]).toEqual([2, 3, 2, 3]);
});

describe('Markdown cannot do anything', () => {
  const hostile = '<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n[link](javascript:alert(1)) [web](https://example.org "t") ![picture](https://example.org/x.png)\n\n|a|\n|:-:|\n|b|\n';
  const html = render(hostile);
  test('no markup of the document passes', () => {
    expect(html).not.toMatch(/<script|<img|<a\s|onerror=alert\(1\)>|style=/);
    expect(html).toContain('&lt;script&gt;');
  });
  test('links and pictures are only words', () => {
    expect(html).toContain('data-address="https://example.org"');
    expect(html).not.toContain('data-address="javascript');
    expect(html).toContain('<span class="picture" role="img">picture</span>');
    expect(html).toContain('<td class="center">');
  });
});

test('what differs is found at words', () => {
  const cut = (left: string, right: string) => {
    const [start, endLeft, endRight] = differing(left, right);
    return [left.slice(start, endLeft), right.slice(start, endRight)];
  };
  expect(cut('within thirty days', 'within sixty days')).toEqual(['thirty', 'sixty']);
  expect(cut('the term', 'the terms')).toEqual(['term', 'terms']);
  expect(cut('三十日之内', '六十日之内')).toEqual(['三', '六']);
  expect(cut('same', 'same')).toEqual(['', '']);
});

test('families of a document have something to fall back on', () => {
  expect(withFallback('p { font-family: Calibri; color: red }')).toBe('p { font-family: Calibri, Carlito, sans-serif; color: red }');
  expect(withFallback('font-family: "宋体"')).toBe('font-family: "宋体", serif');
  expect(withFallback('font-family: Consolas')).toBe('font-family: Consolas, monospace');
  expect(withFallback('font-family: var(--docx-majorHAnsi-font)')).toBe('font-family: var(--docx-majorHAnsi-font)');
});
