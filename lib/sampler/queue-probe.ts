import 'server-only';
import { catalogOf } from '@/lib/command/context';
import { fallbackFor } from '@/lib/errors';
import { type Marks, NO_MARKS, readEnds } from '@/lib/queues/ends';
import { type Direction, directionAfter, flowBetween, type Sample } from '@/lib/queues/flow';
import { EVERY_MS, joinSpans, type QueueSpan, recordQueues } from '@/lib/queues/history';
import { takeNoticed } from '@/lib/queues/noticed';
import { queueIdOf } from '@/lib/queues/queue-key';
import { EMPTY_KEPT_MS, readStates, writeStates } from '@/lib/queues/states';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { isNotPermitted, isWrongType } from '@/lib/redis/failure';
import { readPaced } from '@/lib/redis/paced-reads';
import type { Store } from '@/lib/redis/store';
import { roleKeys } from '@/lib/role-keys/role-keys';
import { MINUTE, SECOND } from '@/lib/time';

/** Maximum number of sampled queues: the first ones found, and later ones in place of empty ones. */
export const MAX_QUEUES = 200;
/** About half a millisecond of the server's time: a queue takes 0.05 to 0.12 ms. */
const QUEUES_PER_CALL = 5;
const LISTED_EVERY_MS = MINUTE;
/** The time that rates cover. */
const RECENT_MS = MINUTE;
/** Samples further apart are not compared. */
const MAX_GAP_MS = 45 * SECOND;

interface Before {
  at: number;
  sample: Sample;
  marks: Marks;
}

interface Watched {
  key: Key;
  before: Before | null;
  direction: Direction;
  /** The spans of the last minute. */
  recent: QueueSpan[];
  /** When it last had elements, epoch ms. */
  filledAt: number;
}

/** For a key that has just changed its type, too. */
const UNREADABLE = fallbackFor((error) => isWrongType(error) || isNotPermitted(error), null);
const NOTHING = { length: 0, seconds: 0, pushed: 0, taken: 0, isAtLeast: false };

/** Samples the queues of one connection: their lengths, and how many elements are added and removed. */
export class QueueProbe {
  private watched = new Map<string, Watched>();
  private isLoaded = false;
  private listedAt = 0;
  private sampledAt = 0;

  constructor(
    private readonly handle: ConnectionHandle,
    private readonly store: Store,
  ) {}

  /** Takes one sample in each step of ten seconds, if due. An unreachable server becomes a gap. */
  async tick(clock: () => number = Date.now): Promise<void> {
    const now = clock();
    if (Math.floor(now / EVERY_MS) === Math.floor(this.sampledAt / EVERY_MS)) return;
    this.sampledAt = now;
    await this.findQueues(now);
    const { id } = this.handle.config;
    const spans = new Map<string, QueueSpan>();
    const queues = [...this.watched.values()];
    const sampled = await readPaced(this.handle.topology, queues, QUEUES_PER_CALL, (some) =>
      Promise.all(some.map((queue) => this.sample(queue, now, clock))),
    );
    for (const [i, span] of sampled.entries()) if (span) spans.set(queueIdOf(id, queues[i]!.key), span);
    await recordQueues(this.store, id, spans, now);
    await this.saveStates(now);
  }

  /** Called when another process samples: its samples are read when this one resumes. */
  pause(): void {
    this.watched = new Map();
    this.isLoaded = false;
    this.listedAt = 0;
  }

  private async findQueues(now: number): Promise<void> {
    const catalog = catalogOf(this.handle);
    if (!this.isLoaded) await this.load();
    const keys = takeNoticed(this.handle);
    if (now - this.listedAt >= LISTED_EVERY_MS) {
      const queues = await roleKeys(this.handle, catalog, ['queue']);
      keys.push(...queues.keys.map(({ key }) => key));
      // While the first scan runs, the next sample searches again.
      if (queues.foundAt !== null) this.listedAt = now;
    }
    for (const [name, { key, filledAt }] of this.watched)
      if (now - filledAt > EMPTY_KEPT_MS || catalog.locate(key).family?.role !== 'queue')
        this.watched.delete(name);
    for (const key of keys)
      this.watch(key, { filledAt: now, direction: { pushedAt: null, takenFrom: null } });
  }

  private watch(key: Key, known: Pick<Watched, 'filledAt' | 'direction'>): void {
    const name = key.toString('latin1');
    if (this.watched.has(name)) return;
    if (this.watched.size >= MAX_QUEUES && !this.dropEmpty()) return;
    this.watched.set(name, { key, before: null, recent: [], ...known });
  }

  /** Forgets the queue that has been empty for the longest time; false where none is empty. */
  private dropEmpty(): boolean {
    const [longest] = [...this.watched]
      .filter(([, { recent }]) => recent.at(-1)?.length === 0)
      .sort(([, one], [, other]) => one.filledAt - other.filledAt);
    return longest !== undefined && this.watched.delete(longest[0]);
  }

  private async load(): Promise<void> {
    const { byId } = await readStates(this.store, this.handle.config.id);
    for (const { key, filledAt, pushedAt, takenFrom } of byId.values())
      this.watch(key, { filledAt, direction: { pushedAt, takenFrom } });
    this.isLoaded = true;
  }

  /** Null for a key that is not a queue, or that our user may not read. */
  private async sample(queue: Watched, now: number, clock: () => number): Promise<QueueSpan | null> {
    const { before } = queue;
    queue.before = null;
    const read = await readEnds(this.handle, queue.key, before?.marks ?? NO_MARKS).catch(UNREADABLE);
    if (!read || !isComparable(read.sample)) {
      queue.recent = [];
      return null;
    }
    const { sample } = read;
    const at = clock();
    if (sample.length > 0) queue.filledAt = now;
    queue.before = { at, ...read };
    const gap = before ? at - before.at : Number.POSITIVE_INFINITY;
    const flow = before && gap <= MAX_GAP_MS ? flowBetween(before.sample, sample, queue.direction) : null;
    if (flow) queue.direction = directionAfter(queue.direction, sample, flow);
    const span = {
      ...NOTHING,
      at: now,
      length: sample.length,
      ...(flow && { ...flow, seconds: gap / SECOND }),
    };
    queue.recent = [...queue.recent.filter((earlier) => now - earlier.at < RECENT_MS), span];
    return span;
  }

  private saveStates(now: number): Promise<void> {
    const states = [...this.watched.values()].flatMap(({ key, recent, direction, filledAt }) => {
      if (recent.length === 0) return [];
      const { length, seconds, pushed, taken, isAtLeast } = recent.reduce(joinSpans);
      return [{ key, length, seconds, pushed, taken, isAtLeast, ...direction, filledAt }];
    });
    return writeStates(this.store, this.handle.config.id, states, now);
  }
}

const COMPARABLE = new Set(['none', 'list', 'zset', 'stream']);

const isComparable = ({ type }: Sample): boolean => COMPARABLE.has(type);
