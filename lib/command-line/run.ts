import 'server-only';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import { keyIdOf } from '@/lib/command/key-ids';
import type { Input, Result } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { permissionsFor } from '@/lib/key-values/admission';
import { may, type Permission } from '@/lib/permissions';
import { isInDoubt } from '@/lib/redis/failure';
import { refusedLine } from '@/lib/redis/refusal';
import { sendRead } from '@/lib/redis/send-read';
import { ttlSeconds } from '@/lib/time';
import { boundedArguments, isMeasured, refuseUnbounded, tooLong } from './bounds';
import { lineEtag, undoStateOf } from './copies';
import { remember } from './history';
import { MAX_REPLY_BYTES } from './limits';
import { kindOf, readLine, showLine } from './line';
import { showReply } from './reply';
import type { RawReply } from './reply-nodes';
import { commandLineContracts, type LineKey, MAX_UNDO_KEYS } from './schema';
import type { Line } from './typed-line';
import { undoLine } from './undo';
import { runWrite, type Written } from './write';

type Run = Input<typeof commandLineContracts.run>;
type Answer = Omit<Result<typeof commandLineContracts.run>, 'auditId' | 'undoUntil'>;

const outcomeOf = (error: unknown) => {
  if (isInDoubt(error)) return 'unknown';
  return error instanceof Problem && error.status < 500 ? 'refused' : 'failed';
};

/** Runs work on a line; a refusal is remembered in the caller's history, and names the line as it is shown. */
const remembering = async <T>(
  ctx: ReadContext & { auditId?: string },
  { line }: Run,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const shown = await showLine(ctx, line).catch(() => null);
    if (shown === null) throw error;
    await remember(ctx, { line: shown, auditId: ctx.auditId ?? null, outcome: outcomeOf(error) });
    if (!(error instanceof Problem)) throw error;
    const extensions = { ...error.extensions, line: shown };
    throw new Problem(error.code, error.message, { extensions, cause: error.cause });
  }
};

/** The first keys of a line with their type and TTL, as they are now. */
const readKeys = async (ctx: ReadContext, { keys }: Line): Promise<LineKey[]> => {
  const first = keys.slice(0, MAX_UNDO_KEYS);
  const replies: readonly unknown[] = await ctx.reader.readMany(
    first.flatMap(({ identity: { key } }) => [['TYPE', key] as const, ['PTTL', key] as const]),
  );
  return first.map(({ identity: { key, shown, family, secret } }, i) => {
    const [type, left] = [replies[2 * i], replies[2 * i + 1]];
    return {
      key: shown,
      keyId: secret ? null : keyIdOf(ctx, key),
      family: family?.title ?? null,
      type: typeof type === 'string' ? type : null,
      ttlSeconds: typeof left === 'number' && left >= 0 ? (ttlSeconds(left) ?? null) : null,
    };
  });
};

const answerOf = (line: Line): Answer => ({
  dryRun: false,
  kind: line.kind,
  line: line.shown,
  type: null,
  reply: [],
  truncated: false,
  family: line.keys[0]?.identity.family?.title ?? null,
  keys: [],
  keyCount: line.keys.length,
  undo: 'read' as const,
  etag: null,
  durationMs: 0,
});

const preview = (ctx: ReadContext, input: Run): Promise<Answer> =>
  remembering(ctx, input, async () => {
    const line = await readLine(ctx, input.line);
    await refuseUnbounded(ctx, line);
    // A dry run also refuses an invalid count.
    boundedArguments(line);
    const etag = await lineEtag(ctx, line);
    const [keys, undo] = [await readKeys(ctx, line), await undoStateOf(ctx, line)];
    return { ...answerOf(line), dryRun: true, keys, undo, etag };
  });

/** Runs a line that only reads; null for a write. */
const answer = (ctx: ReadContext, input: Run): Promise<Answer | null> =>
  remembering(ctx, input, async () => {
    // A write was admitted by `needs`, and is again where it runs.
    if ((await kindOf(ctx, input.line)) === 'write') return null;
    const line = await readLine(ctx, input.line);
    await refuseUnbounded(ctx, line);
    const call = { ...line.call, args: boundedArguments(line) };
    const began = performance.now();
    const most = isMeasured(line) ? MAX_REPLY_BYTES : null;
    const { reply, isTooLong } = await sendRead(ctx.connection, call, most).catch((error: unknown) => {
      throw refusedLine(error);
    });
    if (isTooLong) throw tooLong();
    const durationMs = performance.now() - began;
    const shown = await showReply(ctx, line, reply as RawReply);
    await remember(ctx, { line: line.shown, outcome: 'done', auditId: null });
    return { ...answerOf(line), ...shown, durationMs };
  });

/** What a write answered, and its keys. It was applied: what cannot be read or shown of it is left out, and fails nothing. */
const shownWrite = async (ctx: WriteContext, line: Line, { reply, isTooLong }: Written) => {
  const unknown = { depth: 0, type: 'string' as const, text: '—' };
  const left = { type: 'string' as const, reply: [unknown], truncated: true };
  const shown = isTooLong ? left : await showReply(ctx, line, reply).catch(() => left);
  await remember(ctx, { line: line.shown, outcome: 'done', auditId: ctx.auditId }).catch(() => undefined);
  return { ...shown, keys: await readKeys(ctx, line).catch((): LineKey[] => []) };
};

/** How many keys of a line exist; null unless all of them were read. */
const existing = ({ keys }: Line, read: readonly LineKey[]): number | null =>
  read.length === keys.length && read.every(({ type }) => type !== null)
    ? read.filter(({ type }) => type !== 'none').length
    : null;

const run = (ctx: WriteContext, input: Run) =>
  remembering(ctx, input, async () => {
    const line = await readLine(ctx, input.line);
    await refuseUnbounded(ctx, line);
    const done = await runWrite(ctx, line, input);
    const shown = await shownWrite(ctx, line, done);
    return {
      result: {
        ...answerOf(line),
        ...shown,
        undo: done.undo
          ? ('possible' as const)
          : input.withoutUndo
            ? ('declined' as const)
            : ('incomparable' as const),
        durationMs: done.durationMs,
      },
      before: { keys: line.keys.length, existed: done.existed },
      after: { exist: existing(line, shown.keys) },
      ...(done.undo && { undo: done.undo }),
    };
  });

/** What a line needs beyond `keys:view`. Throws what refuses a write whoever asks; a read is checked where it is run. */
const needs = (ctx: ReadContext, input: Run): Promise<Permission[]> =>
  remembering(ctx, input, async () => {
    if ((await kindOf(ctx, input.line)) === 'read') return [];
    const line = await readLine(ctx, input.line);
    const write = 'keys:write' satisfies Permission;
    // Whoever may not write at all learns nothing of approvals.
    if (!ctx.actor.role || !may(ctx.actor.role, write)) return [write];
    const { keys } = line;
    return [
      write,
      ...permissionsFor(
        ctx,
        keys.map(({ identity }) => identity.key),
        keys.map(({ identity }) => identity.family),
      ),
    ];
  });

/** commandLine.run: a read is answered; a write is a change with its audit entry. */
export const runLineCommand = defineCommand({
  contract: commandLineContracts.run,
  target: async ({ line }, ctx) => (await showLine(ctx, line)) ?? '',
  redact: ({ withoutUndo }) => ({ withoutUndo }),
  needs,
  needsConfirmation: () => true,
  // A line may do what each change of a key does.
  actsAs: () => ['keys.create', 'keys.update', 'keys.delete', 'keys.setTtl', 'keys.rename'],
  preview,
  answer,
  run,
  undo: undoLine,
  undoPermission: 'keys:write',
});
