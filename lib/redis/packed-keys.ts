import 'server-only';
import type { Key } from './commands';

const HEAD = 4;

/** Keys behind one another, each after its length as >I4: as one argument or reply, they cost a client next to nothing. */
export const packKeys = (keys: readonly Key[]): Buffer => {
  const packed = Buffer.allocUnsafe(keys.reduce((size, key) => size + HEAD + key.length, 0));
  let at = 0;
  for (const key of keys) {
    at = packed.writeUInt32BE(key.length, at);
    packed.set(key, at);
    at += key.length;
  }
  return packed;
};

/** What `packKeys` or a script packed; the keys lie in the given bytes. */
export const unpackKeys = (packed: Buffer): Key[] => {
  const keys: Key[] = [];
  for (let at = 0; at < packed.length; ) {
    const begin = at + HEAD;
    at = begin + packed.readUInt32BE(at);
    keys.push(packed.subarray(begin, at));
  }
  return keys;
};
