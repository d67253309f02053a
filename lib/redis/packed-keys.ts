import 'server-only';
import type { Key } from './commands';

const HEAD = 4;

/** Keys that a script packed, each after its length as >I4: one reply costs a client less than a thousand. They lie in the given bytes. */
export const unpackKeys = (packed: Buffer): Key[] => {
  const keys: Key[] = [];
  for (let at = 0; at < packed.length; ) {
    const begin = at + HEAD;
    at = begin + packed.readUInt32BE(at);
    keys.push(packed.subarray(begin, at));
  }
  return keys;
};
