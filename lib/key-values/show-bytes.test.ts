import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { createRegistry } from '@/lib/keyspace/registry';
import { type DecodingBudget, showBytes } from './show-bytes';

it('counts what is decoded at the same moment once', async () => {
  const bytes = gzipSync('a text that is long enough to be recognised '.repeat(500));
  const decoding: DecodingBudget = { bytesLeft: 2 ** 24, msLeft: 1000 };
  const options = {
    catalog: createRegistry([]),
    rules: { strict: false, isSecretField: () => false },
    decode: true,
    decoding,
  };
  const started = performance.now();
  const shown = await Promise.all(
    Array.from({ length: 100 }, () => showBytes({ bytes, length: bytes.length }, options)),
  );
  const elapsed = performance.now() - started;
  expect(shown.every(({ decoded, masked }) => decoded !== null && !masked)).toBe(true);
  expect(decoding.msLeft).toBeLessThan(1000);
  expect(1000 - decoding.msLeft).toBeLessThanOrEqual(elapsed);
});
