import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { badField } from '@/lib/errors';
import { familyOfName, permissionsFor, shownName } from '@/lib/key-values/admission';
import { bytesOf, scoreOf } from '@/lib/key-values/bytes';
import { DONE, keyResult, runOn } from '@/lib/key-values/look';
import { storeCall, undoByCall } from '@/lib/key-values/stored-call';
import type { Family } from '@/lib/keyspace/family';
import type { Arg } from '@/lib/redis/commands';
import { SECOND } from '@/lib/time';
import { keyContracts } from '../schema';
import { taken } from './move';
import { newKeyOf } from './new-name';

type Create = Input<typeof keyContracts.create>;
type Value = Create['value'];

/** Throws 400 for the second of two equal fields or members: the first would be lost. */
const distinct = (each: readonly Buffer[], path: (i: number) => string): void => {
  const seen = new Set<string>();
  for (const [i, bytes] of each.entries()) {
    const id = bytes.toString('latin1');
    if (seen.has(id)) throw badField(path(i), 'This is given twice.');
    seen.add(id);
  }
};

const pairsOf = (fields: Extract<Value, { type: 'hash' }>['fields']): [Buffer, Buffer][] =>
  fields.map(({ field, value }, i) => [
    bytesOf(field, `value.fields[${i}].field`),
    bytesOf(value, `value.fields[${i}].value`),
  ]);

/** The value as arguments of `key-create`. */
const argsOf = (value: Value): Arg[] => {
  if (value.type === 'string') return [bytesOf(value.value, 'value.value')];
  if (value.type === 'list') return value.values.map((each, i) => bytesOf(each, `value.values[${i}]`));
  if (value.type === 'stream') return pairsOf(value.fields).flat();
  if (value.type === 'hash') {
    const pairs = pairsOf(value.fields);
    distinct(
      pairs.map(([field]) => field),
      (i) => `value.fields[${i}].field`,
    );
    return pairs.flat();
  }
  const members = value.members.map((each, i) =>
    'member' in each
      ? bytesOf(each.member, `value.members[${i}].member`)
      : bytesOf(each, `value.members[${i}]`),
  );
  distinct(members, (i) => `value.members[${i}]`);
  if (value.type === 'set') return members;
  return members.flatMap((member, i) => [
    scoreOf(value.members[i]!.score, `value.members[${i}].score`),
    member,
  ]);
};

const checkType = (family: Family | null, { type }: Value): void => {
  if (!family || family.type === type || family.otherTypes?.includes(type)) return;
  throw badField('value.type', `${family.title}: documented is ${family.type}, not ${type}.`);
};

const create = async (ctx: WriteContext, input: Create) => {
  const key = newKeyOf(ctx, input);
  const { type } = input.value;
  checkType(familyOfName(ctx, key, type), input.value);
  const ttlMs = input.ttlSeconds === null ? '' : input.ttlSeconds * SECOND;
  const { state, results } = await runOn(ctx, 'key-create', [key], [type, ttlMs, ...argsOf(input.value)]);
  if (state !== DONE) throw taken();
  const [length, digest] = results as [number, Buffer];
  return {
    result: await keyResult(ctx, key),
    before: null,
    after: { type, length, ttlSeconds: input.ttlSeconds },
    undo: storeCall({
      key,
      edit: 'delete',
      type,
      content: `${length}:${digest}`,
      expires: -1,
      args: [],
    }),
  };
};

/** keys.create: undo deletes the key if it was not changed. */
export const createKey = defineCommand({
  contract: keyContracts.create,
  target: (input, ctx) => shownName(ctx, newKeyOf(ctx, input), input.value.type),
  redact: ({ family, value, ttlSeconds }) => ({ family: family ?? null, type: value.type, ttlSeconds }),
  needs: (ctx: ReadContext, input) => {
    const key = newKeyOf(ctx, input);
    return permissionsFor(ctx, [key], [familyOfName(ctx, key, input.value.type)]);
  },
  run: create,
  undo: undoByCall,
});
