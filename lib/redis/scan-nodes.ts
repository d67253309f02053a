import 'server-only';
import type { Redis } from 'ioredis';
import type { ScanBudget } from './budget';
import type { Key } from './commands';
import type { ConnectionHandle } from './connections';
import { knownPrimaries } from './each-primary';
import { knownFailure, unavailable } from './failure';
import { MovedSlots } from './moved-slots';
import { timeRoundTrip } from './round-trip';
import { cursorExpired } from './server-process';
import { oneByOne, sideBySide } from './side-by-side';
import { CURSORS, type Node, readyClient } from './topology';

export interface ScanOptions {
  /** A Redis glob; the caller escapes literal text. */
  match?: string | Buffer;
  /** The cursor of an earlier chunk; the beginning by default. */
  cursor?: string;
  /** The share of the keyspace before `cursor`, 0–1, as the earlier scan reported it. */
  shareBefore?: number | undefined;
  /** Limits COUNT, where the budget's chunk is too large; a function is called before each chunk. */
  chunk?: number | (() => number);
  /** Keys of the first call, as a multiple of the budget's chunk: more where a key costs the server little. */
  times?: number;
  /** Whether a user asked for the faster pace. */
  isFaster?: () => boolean;
  /** The connection's own by default, shared by all its scans. */
  budget?: ScanBudget;
  signal?: AbortSignal;
  /** Whether chunks report their share of the keyspace, which costs a DBSIZE. */
  withShare?: boolean;
  /** One primary after the other, so that a cursor repeats the call before which it was given. */
  isInOrder?: boolean;
  /** Of a page: where keys moved while it was read it throws 410 instead of waiting for them. */
  isPage?: boolean;
  /** The COUNT of the first call, so that a repeated one returns the same keys. */
  firstCount?: number | undefined;
}

/** A scan from the beginning to the end. */
export type WholeScanOptions = Pick<ScanOptions, 'times' | 'budget' | 'signal' | 'isFaster'>;

/** How far a scan has come. */
export interface ScanPlace {
  /** Where the next chunk begins; null after the last. */
  cursor: string | null;
  /** The share of the keyspace scanned, 0–1: approximate, because COUNT is; 1 after the last. */
  share: number;
  /** Whether no slot has moved so far. Otherwise the cursor is good for an interactive page only. */
  isStill: boolean;
  /** The primary of this chunk, by its place among them, and the share of its keys that were scanned. */
  part: Part;
  /** The COUNT of its call. */
  count: number;
}

export interface Part {
  index: number;
  share: number;
  /** Its share of all keys. */
  weight: number;
}

/** The cursor of a scan that has not begun. */
export const FIRST_CURSOR = '0';

const ENDED = 'e';
/** The cursor on each primary, in their order, so that a scan over several resumes where it stopped. */
const CURSOR = /^(\d{1,20}|e)(:(\d{1,20}|e)){0,999}$/;

const parseCursor = (cursor: string | undefined, nodes: number): string[] => {
  const places = (cursor ?? FIRST_CURSOR).split(':');
  return places.length === nodes ? places : new Array(nodes).fill(FIRST_CURSOR);
};

const MAX_CURSOR = 2n ** 64n - 1n;

/** Whether Redis accepts this as a cursor of SCAN, HSCAN and the like. */
export const isServerCursor = (cursor: string): boolean =>
  /^\d{1,20}$/.test(cursor) && BigInt(cursor) <= MAX_CURSOR;

/** Whether this is a cursor of `scanKeys`. */
export const isScanCursor = (cursor: string): boolean =>
  CURSOR.test(cursor) && cursor.split(':').every((place) => place === ENDED || isServerCursor(place));

/** The result of one call on one node. */
export interface StepResult<T> {
  value: T;
  /**
   * Its value without the keys that are not wanted: in a cluster those that another node yields. `isAgain`: other keys
   * were counted before.
   */
  select(isWanted: (key: Key) => boolean, isAgain: boolean): T;
  /** The server's next cursor, `0` after the last. */
  next: string;
  /** Keys examined, where the step knows: it may be more than COUNT, which is a hint. */
  examined?: number;
  /** The COUNT that it got through, where it may end early. */
  keys?: number;
  /** The server's own time, where it is known, ms. */
  serverMs?: number;
  /** Commands of the step that are not counted elsewhere; 1 by default. */
  commands?: number;
}
/** `isAsking`: keys of slots that the node is just taking over are wanted, too. */
export type ScanStep<T> = (
  redis: Redis,
  cursor: string,
  count: number,
  node: Node,
  isAsking: boolean,
) => Promise<StepResult<T>>;

export const failing = async <T>(handle: ConnectionHandle, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw unavailable(handle.config.id, error);
  }
};

/** Runs one step and measures it, without its time in the queue. */
const timed = async <T>(handle: ConnectionHandle, node: Node, step: () => Promise<StepResult<T>>) => {
  const { value: taken, ...trip } = await timeRoundTrip(() => failing(handle, step));
  node.own.commands += taken.commands ?? 1;
  return { ...taken, ...trip };
};

const readSize = (handle: ConnectionHandle, node: Node): Promise<number> =>
  node.own.track(async () => {
    const redis = await readyClient(handle.config.id, node, CURSORS);
    const size = await failing(handle, () => redis.dbsize());
    node.own.commands += 1;
    return size;
  });

/** Until it ends, a scan never reports the full keyspace, whatever its counts say. */
const MAX_SHARE_UNDER_WAY = 0.999;

/** How far a scan has come on its primaries, which count by their keys. */
class Progress {
  private sizes: number[] | null = null;
  private readonly scanned: number[];
  private readonly isResumed: boolean;
  private readonly handle: ConnectionHandle;
  private readonly nodes: readonly Node[];
  private readonly options: ScanOptions;

  constructor(handle: ConnectionHandle, nodes: readonly Node[], options: ScanOptions) {
    this.handle = handle;
    this.nodes = nodes;
    this.options = options;
    this.scanned = nodes.map(() => 0);
    this.isResumed = options.cursor !== undefined;
  }

  async add(
    index: number,
    scanned: number,
    isEnded: boolean,
    isOver: boolean,
  ): Promise<{ share: number; part: Part }> {
    this.scanned[index]! += scanned;
    // What is over at once needs no sizes.
    const isUnknown = !this.options.withShare || (isOver && !this.sizes);
    if (isUnknown) return { share: 0, part: { index, share: isEnded ? 1 : 0, weight: 0 } };
    this.sizes ??= await Promise.all(this.nodes.map((node) => readSize(this.handle, node)));
    const [sizes, done] = [this.sizes, this.scanned];
    if (isEnded && !this.isResumed) done[index] = sizes[index]!;
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const before = (this.options.shareBefore ?? 0) * total;
    const counted = done.reduce(
      (sum, each, i) => sum + (this.isResumed ? each : Math.min(each, sizes[i]!)),
      0,
    );
    const own = sizes[index]! === 0 ? 1 : Math.min(done[index]! / sizes[index]!, MAX_SHARE_UNDER_WAY);
    return {
      share: total === 0 ? 0 : Math.min((before + counted) / total, MAX_SHARE_UNDER_WAY),
      part: { index, share: isEnded ? 1 : own, weight: total === 0 ? 0 : sizes[index]! / total },
    };
  }
}

interface NodeChunk<T> {
  node: Node;
  done: StepResult<T>;
  count: number;
  scanned: number;
}

/** Scans one primary under its own budget. */
async function* walkNode<T>(
  handle: ConnectionHandle,
  node: Node,
  from: string,
  { signal, times, isFaster, chunk = Infinity, budget, firstCount }: ScanOptions,
  kind: string,
  step: ScanStep<T>,
  isAsking: boolean,
): AsyncGenerator<NodeChunk<T>> {
  const redis = await readyClient(handle.config.id, node, CURSORS);
  const pace = (budget ?? node.budget).pace(kind, { signal, times, isFaster });
  let cursor = from;
  let given = firstCount;
  do {
    signal?.throwIfAborted();
    const count = given ?? Math.min(typeof chunk === 'function' ? chunk() : chunk, pace.keys());
    given = undefined;
    const done = await pace.run(() => {
      signal?.throwIfAborted();
      return node.own.track(() => timed(handle, node, () => step(redis, cursor, count, node, isAsking)));
    }, count);
    cursor = done.next;
    yield { node, done, count, scanned: Math.max(done.keys ?? count, done.examined ?? 0) };
  } while (cursor !== '0');
}

/** A primary that has left the cluster has no keys any more: its slots have moved. */
async function* untilItLeaves<T>(node: Node, walk: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* walk;
  } catch (error) {
    if (!node.isClosed()) throw error;
  }
}

/** How often slots that move are read again. */
const MAX_PASSES = 30;

const keptMoving = ({ config }: ConnectionHandle): Error =>
  unavailable(
    config.id,
    knownFailure('moved', 'its slots kept moving during a scan. Try again when they have arrived'),
  );

/**
 * Scans every primary in chunks, side by side, each under its own budget. In a cluster keys of slots that move meanwhile
 * are read again until no slot moves, and each key is yielded by one node only.
 */
export async function* walkNodes<T>(
  handle: ConnectionHandle,
  options: ScanOptions,
  kind: string,
  step: ScanStep<T>,
): AsyncGenerator<ScanPlace & { value: T }> {
  options.signal?.throwIfAborted();
  const known = await knownPrimaries(handle);
  const moved = handle.topology.kind === 'cluster' ? await MovedSlots.begin(handle) : null;
  const nodes = moved?.primaries() ?? known;
  const places = parseCursor(options.cursor, nodes.length);
  const progress = new Progress(handle, nodes, options);
  const others = { ...options, firstCount: undefined };
  const walkOf = (node: Node, from: string, its: ScanOptions, isAsking = moved?.isTaking(node) ?? false) =>
    untilItLeaves(node, walkNode(handle, node, from, its, kind, step, isAsking));
  const walks = nodes
    .flatMap((node, i) => (places[i] === ENDED ? [] : [{ node, from: places[i]! }]))
    .map(({ node, from }, i) => walkOf(node, from, i === 0 ? options : others));
  /** In a cluster one chunk is held back: which one is the last is known only when no slot has moved. */
  let held: (ScanPlace & { value: T }) | null = null;
  const together = options.isInOrder ? oneByOne(walks) : sideBySide(walks);
  for await (const { node, done, count, scanned } of together) {
    const index = nodes.indexOf(node);
    const isEnded = done.next === '0';
    const before = places.join(':');
    places[index] = isEnded ? ENDED : done.next;
    const isOver = places.every((each) => each === ENDED);
    const place = { ...(await progress.add(index, scanned, isEnded, isOver)), count };
    if (!moved) {
      yield {
        value: done.value,
        ...place,
        isStill: true,
        cursor: isOver ? null : places.join(':'),
        ...(isOver && { share: 1 }),
      };
      continue;
    }
    moved.look();
    if (held) yield held;
    const value = done.select((key) => moved.isFirst(node, key), false);
    held = { value, ...place, isStill: moved.isStill, cursor: isOver ? before : places.join(':') };
  }
  if (!moved || !held) return;
  if (options.isPage && (await moved.haveMoved())) throw cursorExpired();
  for (let pass = 0; ; pass++) {
    const slots = await moved.take(options.signal);
    if (slots.size === 0) break;
    if (pass === MAX_PASSES) throw keptMoving(handle);
    const isMissed = moved.missedIn(slots);
    const again = moved.holders(slots).map((node) => walkOf(node, FIRST_CURSOR, others, true));
    for await (const { done } of sideBySide(again)) {
      moved.look();
      yield held;
      held = { ...held, isStill: false, value: done.select(isMissed, true) };
    }
  }
  yield { ...held, cursor: null, share: 1 };
}
