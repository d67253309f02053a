import 'server-only';
import { createHash } from 'node:crypto';
import { displayName } from '@/lib/keyspace/display';

/** No id is longer; a longer field stays in memory as its beginning and a digest. */
const MAX_NAME_BYTES = 128;
const HEAD_BYTES = 80;
/** Not a byte, so a shortened name never equals a short one. */
const CUT = '…';

/** Bytes as a text, one character per byte: a name of bounded length that no other bytes share. */
export const nameOf = (bytes: Buffer): string =>
  bytes.length <= MAX_NAME_BYTES
    ? bytes.toString('latin1')
    : bytes.toString('latin1', 0, HEAD_BYTES) + CUT + createHash('sha1').update(bytes).digest('hex');

/** The id of a publication that a key names. */
export const nameOfText = (text: string): string => nameOf(Buffer.from(text));

export const shownBytes = (bytes: Buffer): string => displayName(bytes);

export const shownName = (name: string): string => {
  const [head = '', digest] = name.split(CUT);
  return shownBytes(Buffer.from(head, 'latin1')) + (digest === undefined ? '' : CUT);
};
