import 'server-only';
import type { Key } from './commands';

const HEAD = 4;

/**
 * Unpacks keys that a script joined, each prefixed with its length as >I4: one large reply is cheaper for the client
 * than a thousand small ones. The keys are views of the given bytes.
 */
export const unpackKeys = (packed: Buffer): Key[] => {
  const keys: Key[] = [];
  for (let at = 0; at < packed.length; ) {
    const begin = at + HEAD;
    at = begin + packed.readUInt32BE(at);
    keys.push(packed.subarray(begin, at));
  }
  return keys;
};
