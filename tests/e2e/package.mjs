// Reading a zip package part by part, to see what an edit touched: the raw bytes of every entry, and the text of one.

import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

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

/** The package with one part changed, written anew as another program would do it. */
export function rewritten(bytes, name, change) {
  const locals = [];
  const directory = [];
  let offset = 0;
  for (const [part, { content }] of parts(bytes)) {
    const plain = part === name ? Buffer.from(change(content().toString('utf8')), 'utf8') : content();
    const packed = deflateRawSync(plain);
    const title = Buffer.from(part, 'utf8');
    const head = Buffer.alloc(26);
    [20, 0x0800, 8, 0, 0x21].forEach((value, index) => head.writeUInt16LE(value, index * 2));
    head.writeUInt32LE(crc32(plain), 10);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE(plain.length, 18);
    head.writeUInt16LE(title.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), head, title, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), head, tail, title]));
    locals.push(local);
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, list, Buffer.from('PK\x05\x06', 'latin1'), end]);
}
