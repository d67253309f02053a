import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { type Chunk, fillPage } from '@/lib/redis/page';
import type { sessionContracts } from './schema';
import { sourceOf } from './source';

/** A page is answered within about this time, however few matches there are: it is short then. */
const PAGE_MS = 200;
/** Keys in a call: the marks of what a page left of one fit into the cursor. */
const LARGEST_CHUNK = 100;

/** Sessions in the server's order, found by scanning: the index may not know them (keyspace.md). */
export const listSessions = async (
  ctx: ReadContext,
  { cursor, limit, ...filter }: Input<typeof sessionContracts.list>,
): Promise<Result<typeof sessionContracts.list>> => {
  const keys = await ctx.reader.size();
  const source = sourceOf(ctx, filter);
  let examined = 0;
  const page = await fillPage({
    cursor,
    limit,
    withinMs: PAGE_MS,
    first: '0:0',
    isServerCursor: source.isCursor,
    async *chunks(from): AsyncGenerator<Chunk> {
      for await (const chunk of source.chunks({ cursor: from, chunk: LARGEST_CHUNK })) {
        examined += chunk.examined;
        yield chunk;
      }
    },
    read: async (elements) => (await source.read(elements)).map((match) => match?.session ?? null),
  });
  return { items: page.items, nextCursor: page.nextCursor, examined, keys };
};
