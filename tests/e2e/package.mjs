// Reading a zip package part by part, to see what an edit touched: the raw bytes of every entry, and the text of one.

import { inflateRawSync } from 'node:zlib';

/** Entries by name: their data as it lies in the file, and inflated. */
export function parts(bytes) {
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end < 0) throw new Error('not a zip package');
  const found = new Map();
  let at = bytes.readUInt32LE(end + 16);
  for (let count = bytes.readUInt16LE(end + 10); count > 0; count -= 1) {
    const method = bytes.readUInt16LE(at + 10);
    const size = bytes.readUInt32LE(at + 20);
    const [name, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const local = bytes.readUInt32LE(at + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const raw = bytes.subarray(start, start + size);
    found.set(bytes.toString('utf8', at + 46, at + 46 + name), { raw, content: () => (method === 0 ? raw : inflateRawSync(raw)) });
    at += 46 + name + extra + comment;
  }
  return found;
}

/** Names of the entries that differ, came or went. */
export function differing(before, after) {
  const [left, right] = [parts(before), parts(after)];
  const names = new Set([...left.keys(), ...right.keys()]);
  return [...names].filter((name) => {
    const [a, b] = [left.get(name), right.get(name)];
    return !a || !b || !a.raw.equals(b.raw);
  });
}

export function text(bytes, name) {
  return parts(bytes).get(name).content().toString('utf8');
}
