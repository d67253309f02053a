import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openFile, sealFile } from './backup-file';

const PASSPHRASE = 'correct horse battery';
const QUICK = { log2n: 14, r: 1, p: 1 };
const plain = Buffer.from(JSON.stringify({ secret: 'hunter2' }));
const sealed = () => sealFile(plain, PASSPHRASE, QUICK);

/** The file with other bytes at a place, its checksum made to fit again as an attacker would. */
const forged = (file: Buffer, at: number, bytes: number[]): Buffer => {
  const body = Buffer.from(file.subarray(0, -32));
  Buffer.from(bytes).copy(body, at);
  return Buffer.concat([body, createHash('sha256').update(body).digest()]);
};

const whyOf = async (file: Buffer, passphrase = PASSPHRASE) => {
  const opened = await openFile(file, passphrase);
  return opened.ok ? 'opened' : opened.reason;
};

describe('a backup file', () => {
  it('opens with its passphrase, however composed, and is unreadable without', async () => {
    const file = await sealFile(plain, 'passe\u0301-partout-1', QUICK);
    expect(file.includes('hunter2')).toBe(false);
    expect(await openFile(file, 'pass\u00e9-partout-1')).toEqual({ ok: true, plain });
    expect(await whyOf(file, 'passe-partout-1')).toBe('passphrase');
  });

  it('is different each time', async () => {
    expect((await sealed()).equals(await sealed())).toBe(false);
  });

  it('is encrypted at full cost by default, and may be empty', { tags: 'long' }, async () => {
    const file = await sealFile(Buffer.alloc(0), PASSPHRASE);
    expect([...file.subarray(9, 12)]).toEqual([16, 8, 1]);
    expect(await openFile(file, PASSPHRASE)).toEqual({ ok: true, plain: Buffer.alloc(0) });
  });

  it('truncated anywhere is refused as truncated', async () => {
    const file = await sealed();
    for (let length = 1; length < file.length; length++)
      expect(await whyOf(file.subarray(0, length)), String(length)).toBe('truncated');
  });

  it('with any byte altered is refused', async () => {
    const file = await sealed();
    for (let at = 0; at < file.length; at++) {
      const altered = Buffer.from(file);
      altered[at]! ^= 0x41;
      const expected = at < 8 ? ['foreign'] : at === 8 ? ['newer'] : ['altered', 'truncated'];
      expect(expected, String(at)).toContain(await whyOf(altered));
    }
    expect(await whyOf(Buffer.concat([file, Buffer.from('x')]))).toBe('altered');
  });

  it('altered together with its checksum never opens', async () => {
    const file = await sealed();
    for (const at of [12, 28, 44, file.length - 40])
      expect(await whyOf(forged(file, at, [file[at]! ^ 1]))).toBe('passphrase');
  });

  it('in another or a newer format is refused as such', async () => {
    const file = await sealed();
    for (const foreign of ['', 'A=b\n', 'KWENVBK', '{"a":1}'.repeat(50)])
      expect(await whyOf(Buffer.from(foreign))).toBe(foreign === 'KWENVBK' ? 'truncated' : 'foreign');
    expect(await whyOf(forged(file, 8, [2]))).toBe('newer');
    expect(await whyOf(forged(file, 8, [0]))).toBe('altered');
  });

  it('with a higher scrypt cost than ours is refused before scrypt runs', async () => {
    const file = await sealed();
    const started = performance.now();
    for (const cost of [
      [31, 8, 1],
      [255, 255, 255],
      [17, 16, 1],
      [20, 2, 1],
      [14, 1, 200],
      [14, 0, 1],
      [14, 1, 0],
      [1, 1, 1],
    ])
      expect(await whyOf(forged(file, 9, cost)), String(cost)).toBe('altered');
    expect(performance.now() - started).toBeLessThan(500);
  });

  it('is derived one at a time', { tags: 'long' }, async () => {
    const file = await sealFile(plain, PASSPHRASE);
    const before = process.memoryUsage().rss;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 5);
    const opened = await Promise.all(
      Array.from({ length: 6 }, (_, i) => whyOf(file, i === 0 ? 'wrong' : PASSPHRASE)),
    );
    clearInterval(watch);
    expect(opened).toEqual(['passphrase', ...Array(5).fill('opened')]);
    expect(most - before).toBeLessThan(200 * 2 ** 20);
  });
});
