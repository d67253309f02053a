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
  /** Limits COUNT below the budget's chunk; a function is called before each chunk. */
  chunk?: number | (() => number);
  /** Keys of the first call, as a multiple of the budget's chunk, for work that costs little per key. */
  times?: number;
  /** Whether a user asked for the faster pace. */
  isFaster?: () => boolean;
  /** By default the connection's budget, which all its scans share. */
  budget?: ScanBudget;
  signal?: AbortSignal;
  /** Whether chunks report their share of the keyspace, which costs a DBSIZE. */
  withShare?: boolean;
  /** Scans one primary after the other, so that a cursor repeats the call before it. */
  isInOrder?: boolean;
  /** For a page: throws 410 where keys moved during the read, instead of waiting for them. */
  isPage?: boolean;
  /** The COUNT of the first call, so that a repeated one returns the same keys. */
  firstCount?: number | undefined;
}

/** A scan of the complete keyspace. */
export type WholeScanOptions = Pick<ScanOptions, 'times' | 'budget' | 'signal' | 'isFaster'>;

/** How far a scan has come. */
export interface ScanPlace {
  /** The cursor of the next chunk; null after the last. */
  cursor: string | null;
  /** The share of the keyspace scanned, 0–1: approximate, because COUNT is; 1 after the last. */
  share: number;
  /** Whether no slot has moved so far. Otherwise the cursor is only good enough for an interactive page. */
  isStill: boolean;
  /** The index of this chunk's primary, and the share of its keys that was scanned. */
  part: Part;
  /** The COUNT of its call. */
  count: number;
}

export interface Part {
  index: number;
  share: number;
  /** The primary's share of all keys. */
  weight: number;
}

export const FIRST_CURSOR = '0';

const ENDED = 'e';
/** The cursor of each primary, in order, so that a scan over several resumes where it stopped. */
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
   * The value without unwanted keys: in a cluster, those that another node yields. `isAgain`: other keys were counted
   * before.
   */
  select(isWanted: (key: Key) => boolean, isAgain: boolean): T;
  /** The server's next cursor, `0` after the last. */
  next: string;
  /** Keys examined, if the step knows: possibly more than COUNT, which is a hint. */
  examined?: number;
  /** How much of COUNT was processed, where the step may end early. */
  keys?: number;
  /** The server's own time, where it is known, ms. */
  serverMs?: number;
  /** Commands of the step that are not counted otherwise; 1 by default. */
  commands?: number;
}
/** `isAsking`: keys of slots that the node is receiving are wanted, too. */
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

/** Runs one step and measures it, excluding its time in the queue. */
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

/** The maximum until the scan ends, whatever its counts are. */
const MAX_SHARE_UNDER_WAY = 0.999;

/** How far a scan has come, each primary weighted by its keys. */
class Progress {
  private sizes: number[] | null = null;
  private readonly scanned: number[];
  private readonly isResumed: boolean;

  constructor(
    private readonly handle: ConnectionHandle,
    private readonly nodes: readonly Node[],
    private readonly options: ScanOptions,
  ) {
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
    // A scan that ends with its first chunk needs no sizes.
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

/** A primary that has left the cluster has no keys: its slots have moved. */
async function* untilItLeaves<T>(node: Node, walk: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* walk;
  } catch (error) {
    if (!node.isClosed()) throw error;
  }
}

/** How often moving slots are read again. */
const MAX_PASSES = 30;

const keptMoving = ({ config }: ConnectionHandle): Error =>
  unavailable(
    config.id,
    knownFailure('moved', 'its slots kept moving during a scan. Try again when they have arrived'),
  );

/**
 * Scans all primaries in chunks, in parallel, each under its own budget. In a cluster, keys of slots that move
 * meanwhile are read again until no slot moves, and each key is yielded by one node only.
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
  /** In a cluster one chunk is held back: it is the last one only if no slot has moved. */
  let held: (ScanPlace & { value: T }) | null = null;
  const together = options.isInOrder ? oneByOne(walks) : sideBySide(walks);
  for await (const { node, done, count, scanned } of together) {
    const index = nodes.indexOf(node);
    const isEnded = done.next === '0';
    const before = places.join(':');
    places[index] = isEnded ? ENDED : done.next;
    const isOver = places.every((place) => place === ENDED);
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
