import 'server-only';
import { Problem } from '@/lib/errors';

const MAX_BODY_BYTES = 16 * 1024;

/** The text of a request's body. Throws a 413 `Problem` beyond 16 KiB. */
export const readSmallBody = async (request: Request): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw new Problem('too_large', 'The body is larger than 16 KiB.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};
