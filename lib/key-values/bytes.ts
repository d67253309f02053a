import 'server-only';
import { badField } from '@/lib/errors';
import { MAX_EDITED_BYTES } from './look';
import type { BytesInput } from './schema';

/** The bytes of an input. Throws 400 naming the field for more than 8 MiB. */
export const bytesOf = (input: BytesInput, path: string): Buffer => {
  const bytes = 'text' in input ? Buffer.from(input.text) : Buffer.from(input.base64, 'base64');
  if (bytes.length > MAX_EDITED_BYTES) throw badField(path, 'At most 8 MiB are allowed.');
  return bytes;
};

/** A score as the server reads it. Throws 400 for a number that no double represents. */
export const scoreOf = (score: string, path: string): string => {
  if (!/inf/i.test(score) && !Number.isFinite(Number(score)))
    throw badField(path, 'This number is too large.');
  return score;
};
