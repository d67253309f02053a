import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import { pacedOn } from '@/lib/redis/paced-reads';
import { type FilledPage, fillPage } from '@/lib/redis/page';
import type { CollectionScan } from '@/lib/redis/reader';
import { isServerCursor } from '@/lib/redis/scan-nodes';
import { connectedProcess, cursorExpired } from '@/lib/redis/server-process';
import { type ElementContext, type RawElement, scanElements } from './raw-elements';

/** After this no further chunk is fetched. */
const PAGE_MS = 180;

/** Bytes that identify an element within its chunk, for marks of a page's cursor: its name, and its place if it is cut. */
const identityOf = ([name]: RawElement, place: number): Buffer =>
  name!.bytes.length === name!.length
    ? name!.bytes
    : Buffer.concat([name!.bytes, Buffer.from(`/${name!.length}/${place}`)]);

interface Request {
  cursor: string | undefined;
  limit: number;
  /** Elements of a chunk. */
  count: number;
  match?: Buffer;
  /** Selects those of a chunk that are shown; all by default. */
  select?(elements: readonly RawElement[]): Promise<readonly RawElement[]>;
}

/** A page of a hash, set or sorted set by the server's cursor, within the scan budget. */
export const elementPage = (
  ctx: ElementContext & Pick<ReadContext, 'signal'>,
  key: Key,
  how: CollectionScan,
  { cursor, limit, count, match, select = async (elements) => elements }: Request,
): Promise<FilledPage<RawElement>> => {
  const { connection } = ctx;
  const paced = pacedOn(connection.topology, key, ctx.signal);
  let chunk = new Map<string, RawElement>();
  return fillPage<RawElement>({
    cursor,
    limit,
    withinMs: PAGE_MS,
    first: '0',
    isServerCursor,
    servedBy: () => connectedProcess(connection),
    async *chunks(from) {
      let at = from;
      do {
        const page = await paced(() => scanElements(ctx, key, how, at, count, match));
        const selected = await select(page.elements);
        chunk = new Map(selected.map((one, place) => [identityOf(one, place).toString('latin1'), one]));
        at = page.cursor;
        const elements = [...chunk.keys()].map((id) => Buffer.from(id, 'latin1'));
        yield { elements, cursor: at === '0' ? null : at };
      } while (at !== '0');
    },
    read: async (ids) => ids.map((id) => chunk.get(id.toString('latin1'))!),
  });
};

/** The index in a cursor. Throws 410 for any other cursor. */
export const elementIndex = (cursor: string): number => {
  if (!/^\d{1,12}$/.test(cursor)) throw cursorExpired();
  return Number(cursor);
};
