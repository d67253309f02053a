import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import type { AuditJson } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { forgetNamesOf } from '@/lib/key-values/look';
import type { Arg } from '@/lib/redis/commands';
import { changeFailureOf } from '@/lib/redis/failure';
import { refusedLine } from '@/lib/redis/refusal';
import { keysLookedUp } from '@/lib/redis/send-read';
import { expiryArg, refuseUnlessRestorable } from '@/lib/snapshots/restore-keys';
import { Snapshots } from '@/lib/snapshots/snapshots';
import { type Before, copyKeys, etagOfStates, keysOf, type LineStates, lineEtag, lineStates } from './copies';
import { MAX_REPLY_BYTES } from './limits';
import type { RawReply } from './reply-nodes';
import type { Line } from './typed-line';
import type { KeptLine } from './undo';
import { withHalves } from './wide-bits';

/** What a write of a line did. */
export interface Written {
  reply: RawReply;
  /** It was left on the server. */
  isTooLong: boolean;
  /** How many of its keys existed before; null where nobody looked. */
  existed: number | null;
  undo: AuditJson | null;
  durationMs: number;
}

interface Wanted {
  etag?: string | undefined;
  withoutUndo: boolean;
}

const [CHANGED, DONE, TOO_LONG] = [0, 1, 3];
/** A rehash changes the DUMP of a value that is the same, so it is tried again. */
const MAX_ATTEMPTS = 3;
const CHECK_BYTES = 8;

const CHANGED_SINCE = 'A key of this line changed since you looked. Nothing was changed.';
/** The server rebuilds the table of a large set or hash step by step, and its copy differs after each. */
const CHANGES =
  'A key of this line changes all the time, or is a set or hash that the server is rebuilding. Nothing was changed. Try again, or run it without undo.';

const changed = (etag: string | null, why = CHANGED_SINCE): Problem =>
  new Problem('changed', why, { extensions: { etag } });

interface Reply extends Pick<Written, 'reply' | 'isTooLong'> {
  isChanged: boolean;
  checks: Buffer[];
  expiries: Buffer[];
}

/** What the keys must still be: their copies, with their expiry, or the states that an etag covers. */
type Expected = { copies: readonly Before[] } | { states: LineStates } | null;

const expectedOf = (expected: Expected, i: number): [Arg, Arg] => {
  if (!expected) return ['', ''];
  if ('copies' in expected) {
    const copy = expected.copies[i]?.copy;
    return [copy?.value.subarray(-CHECK_BYTES) ?? '', copy ? expiryArg(copy.expires) : ''];
  }
  const state = expected.states[i];
  return [state ? `${state.type}:${state.length ?? -1}:${state.digest}` : '', ''];
};

/** Throws the server's refusal as a `Problem`. */
const send = async (ctx: WriteContext, line: Line, expected: Expected): Promise<Reply> => {
  const keys = keysOf(line);
  const looked = keysLookedUp(line.call);
  const perKey = keys.flatMap((key, i): Arg[] => [
    key,
    String(looked.filter((each) => each.equals(key)).length),
    ...expectedOf(expected, i),
  ]);
  const script = {
    name: 'run-line',
    otherCalls: ([state]: readonly unknown[]) => (state === CHANGED ? 0 : 1),
  };
  const mode = expected ? ('copies' in expected ? 'copy' : 'state') : 'none';
  const call = withHalves(line.call);
  const args = [String(keys.length), mode, String(MAX_REPLY_BYTES), ...perKey, ...call.args];
  const [state, reply, checks, expiries, digits] = await ctx.writer.runAlone(script, keys, args);
  if (state !== CHANGED && state !== DONE && state !== TOO_LONG) {
    const error = new Error(String(reply));
    throw refusedLine(changeFailureOf(ctx.connection.config.id, error));
  }
  forgetNamesOf(ctx, keys);
  return {
    isChanged: state === CHANGED,
    isTooLong: state === TOO_LONG,
    reply: (digits as Buffer | undefined)?.toString() || call.replyOf(reply as RawReply),
    checks: checks as Buffer[],
    expiries: expiries as Buffer[],
  };
};

const keptOf = (auditId: string, before: readonly Before[], { checks, expiries }: Reply): KeptLine => ({
  auditId,
  keys: before.map(({ key, copy }, i) => ({
    key: key.toString('base64'),
    existed: copy !== null,
    check: checks[i]!.toString('base64'),
    expires: expiries[i]!.toString(),
  })),
});

/** Stores a copy of each key, then runs the line only if the keys equal their copies. */
const withCopies = async (ctx: WriteContext, line: Line, etag: string | undefined): Promise<Written> => {
  const copies = new Snapshots(ctx.store, ctx.auditId);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    // Before the etag: what changes in between is found by the one or the other comparison.
    const before = await copyKeys(ctx, line);
    const now = etag === undefined ? undefined : await lineEtag(ctx, line);
    if (now !== undefined && now !== etag) throw changed(now);
    const there = before.flatMap(({ copy }) => copy ?? []);
    if (there[0]) {
      await refuseUnlessRestorable(ctx.writer, there[0].key);
      await copies.add(await copies.prepare(there.map((copy) => ({ ...copy, mark: 'plain' }))), there.length);
    }
    const began = performance.now();
    const done = await send(ctx, line, { copies: before }).catch(async (error: unknown) => {
      // Refused by the server: nothing is there to be undone.
      if (there[0] && error instanceof Problem && error.status === 400) await copies.drop(there.length);
      throw error;
    });
    if (!done.isChanged) {
      const { reply, isTooLong } = done;
      // Where what it left cannot be compared, or may not be read, a later change of it would not be noticed.
      const isKnown = done.checks.length === before.length;
      if (!isKnown && there[0]) await copies.drop(there.length).catch(() => undefined);
      return {
        reply,
        isTooLong,
        existed: there.length,
        durationMs: performance.now() - began,
        undo: isKnown ? (keptOf(ctx.auditId, before, done) as unknown as AuditJson) : null,
      };
    }
    if (there[0]) await copies.drop(there.length);
  }
  throw changed(await lineEtag(ctx, line), CHANGES);
};

/** Runs a write. Throws 409 where it could not be undone and that was not accepted, and 412 for another etag. */
export const runWrite = async (ctx: WriteContext, line: Line, wanted: Wanted): Promise<Written> => {
  if (!wanted.withoutUndo) return withCopies(ctx, line, wanted.etag);
  const states = wanted.etag === undefined ? null : await lineStates(ctx, line);
  const now = etagOfStates(ctx, line, states);
  if (wanted.etag !== undefined && now !== wanted.etag) throw changed(now);
  const began = performance.now();
  const { reply, isTooLong, isChanged } = await send(ctx, line, states && { states });
  if (isChanged) throw changed(await lineEtag(ctx, line));
  return { reply, isTooLong, existed: null, undo: null, durationMs: performance.now() - began };
};
