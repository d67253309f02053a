import 'server-only';
import { badInput } from '@/lib/errors';
import { digest } from '@/lib/keyring';

/** What one call of a cursor returned, and where the next goes on; null after the last. */
export interface Chunk {
  elements: Buffer[];
  cursor: string | null;
}

export interface PageRequest<T> {
  cursor?: string;
  limit: number;
  /** No further chunk is fetched after this many ms: the page is short then. */
  withinMs: number;
  /** The server cursor of the beginning. */
  first: string;
  isServerCursor(cursor: string): boolean;
  chunks(from: string): AsyncIterable<Chunk>;
  /** What to show for each element, in order; null for what a filter leaves out. */
  read(elements: Buffer[]): Promise<(T | null)[]>;
}

export interface FilledPage<T> {
  items: T[];
  nextCursor: string | null;
  /** Elements looked at. */
  examined: number;
}

const MARK_LENGTH = 6;
/** Cursors are at most 2000 characters (`pageInput`). */
const LONGEST_CURSOR = 1900;

/** 36 bits of an element under a key of our own: says nothing of it, and two in a chunk hardly ever share one. */
const markOf = (element: Buffer): string => digest('cursor', element, MARK_LENGTH);

const parse = (request: PageRequest<unknown>): { at: string; shown: Set<string> } => {
  if (request.cursor === undefined) return { at: request.first, shown: new Set() };
  const [at = '', marks = ''] = request.cursor.split('~');
  const wellFormed = /^[\w-]*$/.test(marks) && marks.length % MARK_LENGTH === 0;
  if (!request.isServerCursor(at) || !wellFormed)
    throw badInput([{ path: 'cursor', message: 'This is not a cursor of this list.' }]);
  return { at, shown: new Set(marks.match(/.{6}/g) ?? []) };
};

/**
 * A page of a server's cursor. A call may return more than the page has room for; the cursor then names that call
 * again and marks what was shown, so that nothing is lost even when the server resizes its table in between. Only
 * when the marks do not fit (a compact set of hundreds, read in small pages) does the page take all of the call.
 */
export const fillPage = async <T>(request: PageRequest<T>): Promise<FilledPage<T>> => {
  const deadline = performance.now() + request.withinMs;
  const { at: from, shown: shownBefore } = parse(request);
  const items: T[] = [];
  const seen = new Set<string>();
  let examined = 0;
  let at = from;
  let shown = shownBefore;
  for await (const { elements, cursor } of request.chunks(from)) {
    const fresh = elements.filter((element) => {
      const id = element.toString('latin1');
      if (seen.has(id) || (shown.size > 0 && shown.has(markOf(element)))) return false;
      seen.add(id);
      return true;
    });
    const read = await request.read(fresh);
    for (const [index, item] of read.entries()) {
      if (items.length === request.limit) {
        const marks = [...shown, ...fresh.slice(0, index).map(markOf)].join('');
        const nextCursor = `${at}~${marks}`;
        if (nextCursor.length <= LONGEST_CURSOR) return { items, nextCursor, examined };
      }
      examined += 1;
      if (item !== null) items.push(item);
    }
    if (cursor === null || items.length >= request.limit || performance.now() >= deadline)
      return { items, nextCursor: cursor, examined };
    at = cursor;
    shown = new Set();
  }
  return { items, nextCursor: null, examined };
};
