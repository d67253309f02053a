import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Key } from './commands';
import type { ConnectionHandle } from './connections';
import { digestPair } from './distinct';
import { knownFailure, unavailable } from './failure';
import { sendAll } from './send-all';
import { type Node, readyClient } from './topology';
import { type OwnSlots, readOwnSlots, SLOTS, slotOf } from './topology/slots';

/** The interval during a walk. A slot that leaves and returns between two polls is still noticed, by its node's epoch. */
const POLL_MS = 500;
/** How long to wait until slots have arrived before reading them again: each repetition costs complete scans. */
const MAX_ARRIVAL_MS = 10_000;
/** How long a slot may lack a primary that claims it. */
const MAX_WAIT_MS = 3000;
const RETRY_MS = 50;

/** Slots being moved, with the nodes on both sides and the number of keys on each. */
type OpenSlots = Map<number, { nodes: Node[]; count: string }>;

/**
 * Which slots of a cluster move during a walk, and which keys the walk has yielded. Each key is yielded once: first by
 * the node that served its slot at the beginning; keys of moved slots are read again, without those yielded before. A
 * slot that was open at the beginning (its keys are on two nodes, perhaps for ever after an aborted move) is read on
 * both, and counts as moved only if keys moved. Yielded keys take 8 bytes each.
 */
export class MovedSlots {
  private views = new Map<Node, OwnSlots>();
  private readonly owners: (Node | undefined)[] = new Array(SLOTS);
  /** Slots that were open when the walk began, and their yielded keys. */
  private open: OpenSlots = new Map();
  private readonly yieldedOpen = new Set<number>();
  /** Whether no slot has moved so far. */
  isStill = true;
  private noted = new Set<number>();
  /** How often a slot was recorded as moved. */
  private moves = 0;
  private counted: OpenSlots = new Map();
  private readonly yielded: number[] = [];
  private polledAt = 0;
  private polling: Promise<void> | null = null;
  private failure: unknown = null;

  private constructor(private readonly handle: ConnectionHandle) {}

  /** Throws a 503 `Problem` where a primary does not report its slots. */
  static async begin(handle: ConnectionHandle): Promise<MovedSlots> {
    const moved = new MovedSlots(handle);
    moved.views = await moved.read();
    for (const [node, { owned }] of moved.views) for (const slot of owned) moved.owners[slot] = node;
    moved.open = moved.counted = await moved.countOpen();
    moved.isStill = moved.open.size === 0;
    return moved;
  }

  /** The primaries with slots, in the order of the topology, and the nodes with keys of open slots. */
  primaries(): Node[] {
    return [...this.views]
      .filter(([node, { owned }]) => owned.size > 0 || this.isTaking(node))
      .map(([node]) => node);
  }

  /** Whether a slot is being moved to or from a node. */
  isTaking(node: Node): boolean {
    return (this.views.get(node)?.moving.length ?? 0) > 0;
  }

  /** Whether a node's walk yields a key. If so, records it. */
  isFirst(node: Node, key: Key): boolean {
    const slot = slotOf(key);
    const open = this.open.get(slot);
    if (this.owners[slot] !== node && !open?.nodes.includes(node)) return false;
    const mark = markOf(slot, key);
    // After an aborted move a key may be on both nodes.
    if (open && this.yieldedOpen.has(mark)) return false;
    if (open) this.yieldedOpen.add(mark);
    this.yielded.push(mark);
    return true;
  }

  /** Whether keys have moved since the walk began or `take` was called. */
  async haveMoved(): Promise<boolean> {
    // A poll under way may have asked before the last chunk was read.
    await this.polling;
    await this.pollNow();
    return this.noted.size > 0;
  }

  /** For the walk that reads these slots again: whether it yields a key. If so, records it. */
  missedIn(slots: ReadonlySet<number>): (key: Key) => boolean {
    const known = new Set<number>();
    for (const mark of this.yielded) if (slots.has(Math.floor(mark / HASHES))) known.add(mark);
    return (key) => {
      const slot = slotOf(key);
      if (!slots.has(slot)) return false;
      const mark = markOf(slot, key);
      if (known.has(mark)) return false;
      known.add(mark);
      this.yielded.push(mark);
      return true;
    };
  }

  /** Called between two chunks: polls for moved slots, if due. */
  look(): void {
    if (this.polling || performance.now() - this.polledAt < POLL_MS) return;
    void this.poll();
  }

  /**
   * The slots that moved, or whose keys moved, since the last call. If there are none, the walk is complete. Otherwise
   * waits until none moves for a moment, at most ten seconds. Throws a 503 `Problem` where a primary does not answer,
   * and after an abort.
   */
  async take(signal?: AbortSignal): Promise<ReadonlySet<number>> {
    if (await this.haveMoved()) await this.untilTheyRest(signal);
    const due = this.noted;
    this.noted = new Set();
    return due;
  }

  private async untilTheyRest(signal: AbortSignal | undefined): Promise<void> {
    const until = performance.now() + MAX_ARRIVAL_MS;
    for (let before = -1; before !== this.moves && performance.now() < until; ) {
      before = this.moves;
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
      signal?.throwIfAborted();
      await this.pollNow();
    }
  }

  /** The primaries with keys of these slots. */
  holders(slots: ReadonlySet<number>): Node[] {
    const has = ({ owned, moving }: OwnSlots) =>
      moving.some((slot) => slots.has(slot)) || [...slots].some((slot) => owned.has(slot));
    return [...this.views].filter(([, view]) => has(view)).map(([node]) => node);
  }

  private async pollNow(): Promise<void> {
    await this.poll();
    if (this.failure) throw this.failure;
  }

  private poll(): Promise<void> {
    this.polling ??= this.compare()
      .then(
        () => {
          this.failure = null;
        },
        (error) => {
          this.failure = error;
        },
      )
      .finally(() => {
        this.polledAt = performance.now();
        this.polling = null;
      });
    return this.polling;
  }

  /** What each primary reports about itself. Every slot must have a primary: a node may just have received it. */
  private async read(): Promise<Map<Node, OwnSlots>> {
    const { topology, config } = this.handle;
    const until = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const views = await this.readAll();
      const served = new Set([...views.values()].flatMap(({ owned }) => [...owned])).size;
      if (served === SLOTS) return views;
      if (performance.now() > until) throw unavailable(config.id, unserved(SLOTS - served));
      await sleep(RETRY_MS);
      await topology.redirected(null);
    }
  }

  private async readAll(): Promise<Map<Node, OwnSlots>> {
    const { topology, config } = this.handle;
    const read = async (node: Node): Promise<[Node, OwnSlots]> => {
      const redis = await readyClient(config.id, node, 'read');
      const slots = await readOwnSlots(redis).catch((error) => {
        throw unavailable(config.id, error);
      });
      node.own.commands += 1;
      return [node, slots];
    };
    const views = new Map(await Promise.all(topology.primaries().map(read)));
    // A new node that is receiving its first slot.
    for (const place of [...views.values()].flatMap(({ partners }) => partners)) {
      const node = await topology.redirected(place);
      if (node && !views.has(node)) views.set(...(await read(node)));
    }
    return views;
  }

  private async compare(): Promise<void> {
    const before = this.views;
    this.views = await this.read();
    for (const node of new Set([...before.keys(), ...this.views.keys()]))
      this.compareNode(before.get(node), this.views.get(node));
    const counted = this.counted;
    this.counted = await this.countOpen();
    for (const slot of new Set([...counted.keys(), ...this.counted.keys()]))
      if (counted.get(slot)?.count !== this.counted.get(slot)?.count) this.record(slot);
  }

  private compareNode(before: OwnSlots | undefined, now: OwnSlots | undefined): void {
    const [had, has] = [before?.owned ?? new Set<number>(), now?.owned ?? new Set<number>()];
    const gained = [...has].filter((slot) => !had.has(slot));
    for (const slot of gained) this.record(slot);
    for (const slot of had) if (!has.has(slot)) this.record(slot);
    // The node claimed a slot, perhaps one that left and returned in between.
    if (before && now && now.epoch > before.epoch) for (const slot of has) this.record(slot);
  }

  private async countOpen(): Promise<OpenSlots> {
    const open: OpenSlots = new Map();
    for (const [node, { moving }] of this.views) {
      const counts = moving.length > 0 ? await this.countIn(node, moving) : [];
      for (const [i, slot] of moving.entries()) {
        const { nodes, count } = open.get(slot) ?? { nodes: [], count: '' };
        open.set(slot, { nodes: [...nodes, node], count: `${count} ${counts[i]}` });
      }
    }
    return open;
  }

  private record(slot: number): void {
    this.noted.add(slot);
    this.moves += 1;
    this.isStill = false;
  }

  private async countIn(node: Node, slots: readonly number[]): Promise<unknown[]> {
    const { id } = this.handle.config;
    const redis = await readyClient(id, node, 'read');
    node.own.commands += slots.length;
    const replies = await sendAll(
      redis,
      slots.map((slot) => ['CLUSTER', 'COUNTKEYSINSLOT', String(slot)] as const),
    );
    const refused = replies.find(([error]) => error);
    if (refused) throw unavailable(id, refused[0]);
    return replies.map(([, count]) => count);
  }
}

const unserved = (slots: number): Error =>
  knownFailure('unreachable', `${slots} of its ${SLOTS} slots have no primary, so their keys are missing`);

/** Together with the 14 bits of a slot they fit into a double. */
const HASHES = 2 ** 39;

const markOf = (slot: number, key: Key): number => {
  const [first, second] = digestPair(key);
  return slot * HASHES + (first % 2 ** 7) * 2 ** 32 + second;
};
