import { expect, it, vi } from 'vitest';
import { Problem } from '@/lib/errors';
import type { Reader } from '@/lib/redis/reader';
import { readVectorSet } from './vector-set';

const KEY = Buffer.from('words');
const bytes = (...texts: (string | number)[]) =>
  texts.map((text) => (typeof text === 'number' ? text : Buffer.from(text)));

/** Answers as Redis 8 documents them: no server of the tests has vector sets. */
const REPLIES: Record<string, unknown> = {
  VCARD: 3,
  VINFO: bytes('quant-type', 'int8', 'vector-dim', 2, 'size', 3, 'max-level', 0),
  VEMB: bytes('0.5', '-1.25'),
};
const readerOf = (replies: Record<string, unknown>) => {
  const read = vi.fn(async ([name]: readonly unknown[]) => {
    const reply = replies[String(name)];
    if (reply instanceof Error) throw reply;
    return reply ?? null;
  });
  return { read, ctx: { reader: { read } as unknown as Reader } };
};

it('has its length, what VINFO says, and the vector of one element', async () => {
  const { ctx } = readerOf(REPLIES);
  const found = await readVectorSet(ctx, KEY, { secretMembers: false }, 'apple');
  expect(found).toMatchObject({
    length: 3,
    vectorSet: { element: { vector: [0.5, -1.25], dimensions: 2 } },
  });
  expect(found!.vectorSet.facts.slice(0, 2)).toEqual([
    { name: 'quant-type', value: 'int8' },
    { name: 'vector-dim', value: '2' },
  ]);
});

it('asks for no element without a name, and for none whose existence is a secret', async () => {
  for (const [secretMembers, name] of [
    [false, undefined],
    [true, 'apple'],
  ] as const) {
    const { ctx, read } = readerOf(REPLIES);
    const found = await readVectorSet(ctx, KEY, { secretMembers }, name);
    expect(found!.vectorSet.element).toBeNull();
    expect(read.mock.calls.map(([[command]]) => command)).toEqual(['VCARD', 'VINFO']);
  }
});

it('is unknown where our user may not ask, and has no element of another name', async () => {
  const refused = readerOf({ VCARD: new Problem('not_permitted', 'no') });
  expect(await readVectorSet(refused.ctx, KEY, { secretMembers: false }, undefined)).toBeNull();
  const none = readerOf({ ...REPLIES, VEMB: null });
  expect((await readVectorSet(none.ctx, KEY, { secretMembers: false }, 'x'))!.vectorSet.element).toBeNull();
});
