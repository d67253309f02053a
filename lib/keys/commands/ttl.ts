import 'server-only';
import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { WriteContext } from '@/lib/command/context';
import { type AuditJson, defineCommand, type Undone } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { refuseUndoOf } from '@/lib/key-values/admission';
import {
  contentArg,
  DONE,
  keyResult,
  lookWithEtag,
  refusalNow,
  runOn,
  shownKey,
  WOULD_HAVE_EXPIRED,
} from '@/lib/key-values/look';
import { openKey } from '@/lib/key-values/open-key';
import type { Expiry } from '@/lib/redis/commands';
import { isoOrNull, SECOND } from '@/lib/time';
import { keyContracts } from '../schema';
import { impactOnKey } from './impact';
import { needsOf, targetOf } from './update';

type SetTtl = Input<typeof keyContracts.setTtl>;

/** Milliseconds from now; -1 for none. The random part comes from the console: a script has the same one in each run. */
const ttlMs = ({ ttlSeconds, jitterSeconds }: SetTtl): number =>
  ttlSeconds === null ? -1 : ttlSeconds * SECOND + randomInt(jitterSeconds * SECOND + 1);

/** Without an ISO time it is the epoch in ms. */
const shown = (expires: Expiry): AuditJson => ({
  expiresAt: Number(expires) < 0 ? null : (isoOrNull(Number(expires)) ?? String(expires)),
});

const setTtl = async (ctx: WriteContext, input: SetTtl) => {
  const { key } = await openKey(ctx, input.keyId);
  const { state: read, expires: seen } = await lookWithEtag(ctx, key, input.etag);
  const args = [read.type, contentArg(read), '', ttlMs(input), 'in'];
  const { state, results } = await runOn(ctx, 'key-ttl', [key], args);
  if (state !== DONE) throw await refusalNow(ctx, key);
  const [replaced, after] = results as [number, number];
  // A script rounds what is beyond 2^53.
  const before = Number.isSafeInteger(replaced) ? replaced : seen;
  return {
    result: {
      ...(await keyResult(ctx, key)),
      ttlSeconds: after < 0 ? null : Math.max(0, Math.round((after - ctx.now()) / SECOND)),
    },
    before: shown(before),
    after: shown(after),
    undo: { key: key.toString('base64'), type: read.type, before, after },
  };
};

const kept = z.strictObject({
  key: z.string(),
  type: z.string(),
  before: z.union([z.number(), z.string()]),
  after: z.number(),
});

/** Restores the expiry, if nobody gave the key another one. Its value may have changed. */
const undoTtl = async (ctx: WriteContext, data: AuditJson): Promise<Undone> => {
  const { key: encoded, type, before, after } = kept.parse(data);
  const key = Buffer.from(encoded, 'base64');
  await refuseUndoOf(ctx, key);
  const { state } = await runOn(ctx, 'key-ttl', [key], [type, '', after, before, 'at']);
  if (state === DONE) return { undone: 1, conflicts: [] };
  const why: Record<number, string> = {
    0: 'Its TTL was changed since.',
    [WOULD_HAVE_EXPIRED]: 'It would have expired meanwhile.',
  };
  const what = await shownKey(ctx, key);
  return { undone: 0, conflicts: [{ what, why: why[state] ?? 'It was deleted or created again since.' }] };
};

/** keys.setTtl: null removes the TTL. Answers the TTL as read again. */
export const setKeyTtl = defineCommand({
  contract: keyContracts.setTtl,
  target: targetOf,
  redact: ({ ttlSeconds, jitterSeconds }) => ({ ttlSeconds, jitterSeconds }),
  needs: needsOf,
  impact: impactOnKey,
  // A short TTL is a deletion.
  actsAs: () => ['keys.delete'],
  run: setTtl,
  undo: undoTtl,
  undoNeedsNoConfirmation: true,
});
