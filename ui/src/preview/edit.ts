/** What a person changed in the text of a document, as line operations on the revision that was shown. */
import { diff } from '@codemirror/merge';

export type LineEdit =
  | { op: 'replace_lines'; start_line: number; end_line: number; text: string }
  | { op: 'insert_lines'; line: number; text: string; position: 'before' | 'after' }
  | { op: 'delete_lines'; start_line: number; end_line: number };

/** Operations that lead from one text to the other; positions are lines of the first. */
export function lineEdits(before: string, after: string): LineEdit[] {
  const left = before.split('\n');
  const right = after.split('\n');
  const [codedLeft, codedRight] = coded(left, right);
  return diff(codedLeft, codedRight).flatMap(({ fromA, toA, fromB, toB }): LineEdit[] => {
    const text = right.slice(fromB, toB).join('\n');
    if (toA > fromA && toB > fromB) return [{ op: 'replace_lines', start_line: fromA + 1, end_line: toA, text }];
    if (toA > fromA) return [{ op: 'delete_lines', start_line: fromA + 1, end_line: toA }];
    if (fromA < left.length) return [{ op: 'insert_lines', line: fromA + 1, text, position: 'before' }];
    return [{ op: 'insert_lines', line: fromA, text, position: 'after' }];
  });
}

/** Each different line as one character, so that a character diff is a line diff. */
export function coded(left: string[], right: string[]): [string, string] {
  const codes = new Map<string, string>();
  const code = (line: string) => {
    let found = codes.get(line);
    if (found === undefined) {
      // The surrogates are left out: half of a pair is no character.
      const number = codes.size < 0xd7ff ? codes.size + 1 : codes.size + 0x801;
      found = String.fromCharCode(number);
      codes.set(line, found);
    }
    return found;
  };
  return [left.map(code).join(''), right.map(code).join('')];
}
