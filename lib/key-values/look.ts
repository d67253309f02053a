import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { keyIdOf, rememberLongKeys } from '@/lib/command/key-ids';
import { fallbackFor, Problem } from '@/lib/errors';
import type { Arg, Expiry, Key } from '@/lib/redis/commands';
import { codeOf } from '@/lib/redis/failure';
import { forgetNames } from '@/lib/values/named-keys';
import { etagOf, readEtag } from './etag';
import { identify } from './identity';
import type { KeyState } from './key-state';

/** An element or a value above this is not edited here: it could not be stored for undo. */
export const MAX_EDITED_BYTES = 8 * 2 ** 20;

/** What `look` reads beside the state of the key. */
export type LookAt =
  | { what: ''; which: '' }
  | { what: 'value'; which: '' }
  | { what: 'field' | 'member'; which: Buffer }
  | { what: 'index' | 'bit'; which: number }
  | { what: 'entry'; which: string };

export const NOTHING_ELSE: LookAt = { what: '', which: '' };

/** A key and one of its elements at the same moment. */
export interface Look {
  key: Key;
  state: KeyState;
  expires: Expiry;
  element: 'missing' | 'found' | 'too large' | 'none of this type';
  /** The string, the field’s value, the element, the score, or the bit; of an entry the fields and values. */
  read: Buffer | Buffer[] | number;
}

const STATES = ['missing', 'found', 'too large', 'none of this type'] as const;

export const keyNotFound = (): Problem =>
  new Problem('not_found', 'This key does not exist, or was deleted or expired since you read it.');

/** Reads the key and the element. Throws 404 if the key does not exist. */
export const look = async (ctx: WriteContext, key: Key, { what, which }: LookAt): Promise<Look> => {
  const reply = await ctx.writer.run('key-look', [key], [what, which, MAX_EDITED_BYTES]);
  const [type, length, digest, expires, element, read] = reply as [
    ...[Buffer, number, Buffer, number, number, Look['read']],
  ];
  if (type.toString() === 'none') throw keyNotFound();
  return {
    key,
    state: { type: type.toString(), length: length < 0 ? null : length, digest: digest.toString() },
    expires: await ctx.writer.unrounded(key, expires),
    element: STATES[element]!,
    read,
  };
};

/** As `look`; null where the key does not exist. */
export const lookOrNull = (...args: Parameters<typeof look>): Promise<Look | null> =>
  look(...args).catch(fallbackFor((error) => codeOf(error) === 'not_found', null));

/** The content as the scripts compare it. */
export const contentArg = ({ length, digest }: KeyState): string => `${length ?? -1}:${digest}`;

/** 412 with the current etag. */
export const changedSince = (ctx: ReadContext, key: Key, state: KeyState): Problem =>
  new Problem('changed', 'This key was changed since you read it. Check the current value.', {
    extensions: { etag: etagOf(ctx, key, state), valueType: state.type, length: state.length },
  });

/** Reads the key that the caller read: 404 if it does not exist, 412 if its content is another one. */
export const lookWithEtag = async (
  ctx: WriteContext,
  key: Key,
  etag: string,
  at: LookAt = NOTHING_ELSE,
): Promise<Look> => {
  const found = await look(ctx, key, at);
  if (etagOf(ctx, key, found.state) !== etag) throw changedSince(ctx, key, found.state);
  return found;
};

/** The refusal of a change whose compare-and-set failed: 412, or 404 if the key no longer exists. */
export const refusalNow = async (ctx: WriteContext, key: Key): Promise<Problem> => {
  try {
    return changedSince(ctx, key, (await look(ctx, key, NOTHING_ELSE)).state);
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return error;
    throw error;
  }
};

/** The key for display and for the audit log. */
export const shownKey = async (ctx: ReadContext, key: Key): Promise<string> =>
  (await identify(ctx, [key]))[0]!.shown;

/** What every change answers, read again after it. */
export const keyResult = async (
  ctx: WriteContext,
  key: Key,
): Promise<{ keyId: string; key: string; etag: string | null }> => {
  await rememberLongKeys(ctx, [key]);
  return {
    keyId: keyIdOf(ctx, key),
    key: await shownKey(ctx, key),
    etag: await readEtag(ctx, key),
  };
};

/** The states that scripts of this folder answer first. */
export const DONE = 1;
export const EXISTS = 2;
export const WOULD_HAVE_EXPIRED = 4;

/** Lists of variables and flags start with remembered names, which a change of their keys makes wrong. */
export const forgetNamesOf = (ctx: WriteContext, keys: readonly Key[]): void => {
  const roles = keys.map((key) => ctx.catalog.locate(key).family?.role);
  if (roles.some((role) => role === 'variable' || role === 'flag')) forgetNames(ctx.connection);
};

/** Runs a script of this folder: its state, and its results. */
export const runOn = async (
  ctx: WriteContext,
  name: string,
  keys: readonly Key[],
  args: readonly Arg[],
): Promise<{ state: number; results: unknown[] }> => {
  const [state, ...results] = await ctx.writer.run(name, keys, args);
  if (state === DONE) forgetNamesOf(ctx, keys);
  return { state: state as number, results };
};
