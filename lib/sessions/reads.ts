import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { type Chunk, fillPage } from '@/lib/redis/page';
import { isScanCursor, scanKeys } from '@/lib/redis/scan';
import { readSessions } from './facts';
import { parseSessionKey, type SessionKey, sessionMatch } from './keys';
import type { Session, sessionContracts } from './schema';

type Filter = Input<typeof sessionContracts.list>;

/** A page is answered within about this time, however few matches there are: it is short then. */
const PAGE_MS = 250;
/** Keys in a call: the marks of what a page left of one fit into the cursor. */
const LARGEST_CHUNK = 100;

const contains = (text: string | null, part: string): boolean =>
  text?.toLowerCase().includes(part.toLowerCase()) ?? false;

const passes = (session: Session, { username, device, state }: Filter): boolean =>
  (username === undefined || contains(session.username, username)) &&
  (device === undefined ||
    contains(session.device.label, device) ||
    contains(session.device.userAgent, device)) &&
  (state === undefined || session.states.includes(state));

const sessionChunks = (ctx: ReadContext) =>
  async function* chunks(cursor: string): AsyncGenerator<Chunk> {
    const options = { match: sessionMatch(ctx), cursor, chunk: LARGEST_CHUNK };
    for await (const chunk of scanKeys(ctx.connection, options))
      yield { elements: chunk.keys, cursor: chunk.cursor };
  };

/** Sessions in the server's order, found by scanning: the index may not know them (keyspace.md). */
export const listSessions = async (
  ctx: ReadContext,
  filter: Filter,
): Promise<Result<typeof sessionContracts.list>> => {
  const keys = await ctx.reader.size();
  const read = async (elements: Buffer[]): Promise<(Session | null)[]> => {
    const parsed = elements.map((element) => parseSessionKey(ctx, element));
    const wanted = parsed.filter((key): key is SessionKey => key !== null);
    const sessions = await readSessions(ctx, wanted);
    const bySession = new Map(wanted.map((key, i) => [key, sessions[i] ?? null]));
    return parsed.map((key) => {
      const session = key && bySession.get(key);
      return session && passes(session, filter) ? session : null;
    });
  };
  const page = await fillPage({
    cursor: filter.cursor,
    limit: filter.limit,
    withinMs: PAGE_MS,
    first: '0:0',
    isServerCursor: isScanCursor,
    chunks: sessionChunks(ctx),
    read,
  });
  return { ...page, keys };
};
