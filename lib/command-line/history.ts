import 'server-only';
import { z } from 'zod';
import { settingsIdOf } from '@/lib/actor';
import type { ConsoleContext, ReadContext, ReadOf } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import { notFound } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { pageOfRows } from '@/lib/list-page';
import { withoutStore } from '@/lib/redis/failure';
import { parseStored } from '@/lib/stored-json';
import { DAY, iso } from '@/lib/time';
import { commandLineContracts, MAX_HISTORY, OUTCOMES } from './schema';

const stored = z.object({
  id: z.string(),
  /** Epoch ms. */
  at: z.number(),
  line: z.string(),
  outcome: z.enum(OUTCOMES),
  auditId: z.string().nullable(),
});
type StoredLine = z.output<typeof stored>;

const KEPT_MS = 30 * DAY;
/** The maximum length of a stored line, which is masked. */
const MAX_LINE = 1000;

/** An API token's lines are those of its user, or its own where no user owns it. */
const keyOf = ({ actor, connection }: Pick<ReadContext, 'actor' | 'connection'>): Buffer =>
  consoleFamilies.commandLines.key({ connection: connection.config.id, id: settingsIdOf(actor) });

/** Remembers a line as it is shown. Without the store it is forgotten, and the line still ran. */
export const remember = async (
  ctx: Pick<ReadContext, 'actor' | 'connection' | 'store' | 'now'>,
  line: Pick<StoredLine, 'line' | 'outcome' | 'auditId'>,
): Promise<void> => {
  const entry: StoredLine = { id: newId(), at: ctx.now(), ...line, line: line.line.slice(0, MAX_LINE) };
  await ctx.store
    .use(async (redis) => {
      await redis
        .multi()
        .lpush(keyOf(ctx), JSON.stringify(entry))
        .ltrim(keyOf(ctx), 0, MAX_HISTORY - 1)
        .pexpire(keyOf(ctx), KEPT_MS)
        .exec();
    })
    .catch(withoutStore(undefined));
};

const readLines = async (ctx: Pick<ReadContext, 'actor' | 'connection'> & Pick<ConsoleContext, 'store'>) => {
  const texts = await ctx.store.use((redis) => redis.lrange(keyOf(ctx), 0, MAX_HISTORY - 1));
  return texts.map((text) => ({ text, entry: parseStored(stored, text) }));
};

/** commandLine.history: the caller's own lines, newest first. */
export const listHistory: ReadOf<typeof commandLineContracts.history> = async (ctx, input) => {
  const lines = await readLines(ctx);
  // Every use extends the life of the list: older lines go one by one.
  const kept = lines.flatMap(({ entry }) => (entry && entry.at > ctx.now() - KEPT_MS ? [entry] : []));
  const { items, nextCursor } = pageOfRows(kept, input, ['number', 'string'], ({ at, id }) => [-at, id]);
  return { items: items.map(({ at, ...entry }) => ({ ...entry, at: iso(at) })), nextCursor };
};

/** commandLine.clearHistory: a user's own data, in the console's store. A read-only connection takes it too. */
export const clearHistory = defineCommand({
  contract: commandLineContracts.clearHistory,
  target: ({ id }) => (id === undefined ? 'own history of lines' : 'a line of the own history'),
  redact: () => ({}),
  isNoOp: async () => true,
  run: async (ctx, { id }) => {
    const lines = await readLines(ctx);
    if (id === undefined) {
      await ctx.store.use((redis) => redis.unlink(keyOf(ctx)));
      return { result: { deleted: lines.length }, after: { deleted: lines.length } };
    }
    const found = lines.find(({ entry }) => entry?.id === id);
    if (!found) throw notFound('This line');
    await ctx.store.use((redis) => redis.lrem(keyOf(ctx), 1, found.text));
    return { result: { deleted: 1 }, after: { deleted: 1 } };
  },
});
