import 'server-only';
import { badField } from '@/lib/errors';
import { digest } from '@/lib/keyring';
import type { ConnectionHandle } from './connections';
import { scanKeys } from './scan';
import { FIRST_CURSOR, isScanCursor, type ScanOptions } from './scan-nodes';
import { cursorExpired, cursorOwner } from './server-process';

/** The result of one call of a cursor, and the next cursor; null after the last. */
export interface Chunk {
  elements: Buffer[];
  cursor: string | null;
}

export interface PageRequest<T> {
  cursor?: string;
  limit: number;
  /** No further chunk is fetched after this time, ms, so the page may be short. */
  withinMs: number;
  /** The server cursor of the beginning. */
  first: string;
  isServerCursor(cursor: string): boolean;
  /** The answering server process. A cursor of another process is refused (410). */
  servedBy(): Promise<string>;
  chunks(from: string): AsyncIterable<Chunk>;
  /** The row of each element, in order; null for one that a filter excludes. */
  read(elements: Buffer[]): Promise<(T | null)[]>;
}

export interface FilledPage<T> {
  items: T[];
  nextCursor: string | null;
  examined: number;
}

const MARK_LENGTH = 6;
/** Cursors are at most 2000 characters (`pageInput`). */
const MAX_CURSOR_LENGTH = 1900;
/** A shrinking table returns elements just behind the cursor again: the last elements shown stay marked. */
const MAX_KEPT_MARKS = 64;

const idOf = (element: Buffer): string => element.toString('latin1');

/**
 * 36 bits of an element's digest under a secret key: they reveal nothing, and collisions within a chunk are very rare.
 */
const markOf = (element: Buffer): string => digest('cursor', element, MARK_LENGTH);

interface Place {
  at: string;
  marks: Set<string>;
  /** The process that issued the cursor. */
  servedBy: string | null;
}

/** A digest of the server process: its real id is not sent to clients. */
const PROCESS_MARK_LENGTH = 8;
export const processMarkOf = (process: string): string => digest('cursor', process, PROCESS_MARK_LENGTH);

const parse = (request: PageRequest<unknown>): Place => {
  if (request.cursor === undefined) return { at: request.first, marks: new Set(), servedBy: null };
  const [at = '', marks = '', servedBy = ''] = request.cursor.split('~');
  const wellFormed =
    /^[\w-]*$/.test(marks + servedBy) &&
    marks.length % MARK_LENGTH === 0 &&
    servedBy.length === PROCESS_MARK_LENGTH;
  if (!request.isServerCursor(at) || !wellFormed)
    throw badField('cursor', 'This cursor does not belong to this list: start again without one.');
  return { at, marks: new Set(marks.match(/.{6}/g) ?? []), servedBy };
};

/** The elements shown on this page and, as marks in the cursor, on earlier pages. */
class Shown {
  private readonly onPage = new Set<string>();
  private readonly latest: Buffer[] = [];

  /** `marks`: from the cursor, for elements that have not occurred again. */
  constructor(
    private readonly marks: Set<string>,
    private readonly servedBy: string,
  ) {}

  isNew(element: Buffer): boolean {
    const id = idOf(element);
    const isKnown = this.onPage.has(id) || (this.marks.size > 0 && this.marks.delete(markOf(element)));
    this.onPage.add(id);
    this.latest.push(element);
    if (this.latest.length > MAX_KEPT_MARKS) this.latest.shift();
    return !isKnown;
  }

  /** A cursor with marks for all of `needed` and for as many others as fit; null where `needed` do not fit. */
  cursorAt(at: string, needed: readonly Buffer[], notShown: ReadonlySet<string>): string | null {
    const room = Math.floor((MAX_CURSOR_LENGTH - at.length - this.servedBy.length - 2) / MARK_LENGTH);
    const latest = this.latest.filter((element) => !notShown.has(idOf(element)));
    const marks = new Set([...needed, ...latest.reverse()].map(markOf));
    for (const mark of this.marks) marks.add(mark);
    return needed.length > room ? null : `${at}~${[...marks].slice(0, room).join('')}~${this.servedBy}`;
  }
}

/**
 * Fills a page from a server cursor. A call may return more than the page has room for; the cursor then repeats that
 * call and marks the elements shown. A mark stays until its element occurs again, so nothing is lost or shown twice
 * when the server resizes its table in between. Only when the marks do not fit (a compact set of hundreds, read in
 * small pages) does the page take all elements of the call.
 */
export const fillPage = async <T>(request: PageRequest<T>): Promise<FilledPage<T>> => {
  const deadline = performance.now() + request.withinMs;
  const { at: from, marks, servedBy: before } = parse(request);
  const servedBy = await request.servedBy();
  if (before !== null && before !== processMarkOf(servedBy)) throw cursorExpired();
  const shown = new Shown(marks, processMarkOf(servedBy));
  const items: T[] = [];
  let examined = 0;
  let at = from;
  for await (const { elements, cursor } of request.chunks(from)) {
    // The server may have restarted since the chunk was requested.
    if ((await request.servedBy()) !== servedBy) throw cursorExpired();
    const fresh = elements.filter((element) => shown.isNew(element));
    const read = await request.read(fresh);
    for (const [index, item] of read.entries()) {
      if (items.length === request.limit) {
        const left = new Set(fresh.slice(index).map(idOf));
        const done = elements.filter((element) => !left.has(idOf(element)));
        const nextCursor = shown.cursorAt(at, done, left);
        if (nextCursor !== null) return { items, nextCursor, examined };
      }
      examined += 1;
      if (item !== null) items.push(item);
    }
    if (cursor === null) break;
    if (items.length >= request.limit || performance.now() >= deadline)
      return { items, nextCursor: shown.cursorAt(cursor, [], new Set()), examined };
    at = cursor;
  }
  return { items, nextCursor: null, examined };
};

/** A page of the matching keys. */
export const fillScanPage = <T>(
  handle: ConnectionHandle,
  scan: Pick<ScanOptions, 'match' | 'chunk'>,
  request: Pick<PageRequest<T>, 'cursor' | 'limit' | 'withinMs' | 'read'>,
): Promise<FilledPage<T>> =>
  fillPage({
    ...request,
    first: FIRST_CURSOR,
    isServerCursor: isScanCursor,
    servedBy: () => cursorOwner(handle),
    async *chunks(from) {
      for await (const { keys, cursor } of scanKeys(handle, { ...scan, cursor: from, isPage: true }))
        yield { elements: keys, cursor };
    },
  });
