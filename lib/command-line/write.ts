import 'server-only';
import type { WriteContext } from '@/lib/command/context';
import type { AuditJson } from '@/lib/command/define';
import { Problem } from '@/lib/errors';
import { forgetNamesOf } from '@/lib/keys/commands/look';
import type { Arg } from '@/lib/redis/commands';
import { changeFailureOf } from '@/lib/redis/failure';
import { keysLookedUp } from '@/lib/redis/send-read';
import { expiryArg, refuseUnlessRestorable } from '@/lib/snapshots/restore-keys';
import { Snapshots } from '@/lib/snapshots/snapshots';
import { type Before, copyKeys, keysOf, lineEtag } from './copies';
import type { RawReply } from './reply-nodes';
import { asProblem } from './server-refusal';
import type { Line } from './typed-line';
import type { KeptLine } from './undo';

/** What a write of a line did. */
interface Written {
  reply: RawReply;
  /** How many of its keys existed before; null where nobody looked. */
  existed: number | null;
  undo: AuditJson | null;
  durationMs: number;
}

interface Wanted {
  etag?: string | undefined;
  withoutUndo: boolean;
}

const [CHANGED, DONE] = [0, 1];
/** A rehash changes the DUMP of a value that is the same, so it is tried again. */
const MAX_ATTEMPTS = 3;
const CHECK_BYTES = 8;

const changed = (etag: string | null): Problem =>
  new Problem('changed', 'A key of this line changed since you looked. Nothing was changed.', {
    extensions: { etag },
  });

interface Reply {
  state: number;
  reply: RawReply;
  checks: Buffer[];
  expiries: Buffer[];
}

/** `before` null: nothing is compared. Throws the server's refusal as a `Problem`. */
const send = async (ctx: WriteContext, line: Line, before: readonly Before[] | null): Promise<Reply> => {
  const keys = keysOf(line);
  const looked = keysLookedUp(line.call);
  const perKey = keys.flatMap((key, i): Arg[] => {
    const copy = before?.[i]?.copy;
    return [
      key,
      String(looked.filter((each) => each.equals(key)).length),
      copy?.value.subarray(-CHECK_BYTES) ?? '',
      copy ? expiryArg(copy.expires) : '',
    ];
  });
  const script = {
    name: 'run-line',
    otherCalls: ([state]: readonly unknown[]) => (state === CHANGED ? 0 : 1),
  };
  const args = [String(keys.length), before ? '1' : '0', ...perKey, ...line.call.args];
  const [state, reply, checks, expiries] = await ctx.writer.runNear(script, keys[0]!, args);
  if (state !== CHANGED && state !== DONE) {
    const error = new Error(String(reply));
    throw asProblem(changeFailureOf(ctx.connection.config.id, error));
  }
  forgetNamesOf(ctx, keys);
  return {
    ...{ state, reply: reply as RawReply },
    ...{ checks: checks as Buffer[], expiries: expiries as Buffer[] },
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
    const done = await send(ctx, line, before).catch(async (error: unknown) => {
      // Refused by the server: nothing is there to be undone.
      if (there[0] && error instanceof Problem && error.status === 400) await copies.drop(there.length);
      throw error;
    });
    if (done.state === DONE)
      return {
        ...{ reply: done.reply, existed: there.length, durationMs: performance.now() - began },
        undo: keptOf(ctx.auditId, before, done) as unknown as AuditJson,
      };
    if (there[0]) await copies.drop(there.length);
  }
  throw changed(await lineEtag(ctx, line));
};

/** Runs a write. Throws 409 where it could not be undone and that was not accepted, and 412 for another etag. */
export const runWrite = async (ctx: WriteContext, line: Line, wanted: Wanted): Promise<Written> => {
  if (!wanted.withoutUndo) return withCopies(ctx, line, wanted.etag);
  const now = wanted.etag === undefined ? undefined : await lineEtag(ctx, line);
  if (now !== undefined && now !== wanted.etag) throw changed(now);
  const began = performance.now();
  const { reply } = await send(ctx, line, null);
  return { reply, existed: null, undo: null, durationMs: performance.now() - began };
};
