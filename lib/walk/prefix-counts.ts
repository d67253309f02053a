import 'server-only';
import { z } from 'zod';
import type { PrefixCount } from '@/lib/history/census';
import { wordsBefore } from '@/lib/keyspace/words';

/** The maximum number of nodes, whatever the names of the keys are. */
const MAX_NODES = 2000;
/** Children of one node: if there are more, they are ids, not words. At the root they may be applications. */
const MAX_CHILDREN = 64;
const MAX_ROOT_CHILDREN = 512;
/** If a node has too many children, those with a smaller share are joined with their parent at the end. */
const MIN_SHARE = 0.05;
const MIN_KEYS = 3;
const SAMPLES = 3;
const MAX_SAMPLE_LENGTH = 120;
const MAX_PREFIXES = 100;

interface Node {
  keys: number;
  /** Memory of its measured keys. */
  bytes: number;
  sample: string[];
  children: Map<string, Node>;
  overflowed: boolean;
}

const newNode = (): Node => ({ keys: 0, bytes: 0, sample: [], children: new Map(), overflowed: false });

/** A copy, because a part of a string retains the complete string. */
const copyOf = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');

const addSample = (node: Node, key: string): void => {
  if (node.sample.length >= SAMPLES) return;
  const isLong = key.length > MAX_SAMPLE_LENGTH;
  node.sample.push(isLong ? `${copyOf(key.slice(0, MAX_SAMPLE_LENGTH))}…` : key);
};

/** A node as it is stored: keys, bytes, sample, whether it overflowed, children. */
type StoredNode = [number, number, string[], boolean, [string, StoredNode][]];
const storedNode: z.ZodType<StoredNode> = z.lazy(() =>
  z.tuple([
    z.number(),
    z.number(),
    z.array(z.string()),
    z.boolean(),
    z.array(z.tuple([z.string(), storedNode])),
  ]),
);

/** A count stored half-way. */
export const storedPrefixes = storedNode;

const toStored = ({ keys, bytes, sample, overflowed, children }: Node): StoredNode => [
  keys,
  bytes,
  sample,
  overflowed,
  [...children].map(([part, child]): [string, StoredNode] => [part, toStored(child)]),
];

const fromStored = ([keys, bytes, sample, overflowed, children]: StoredNode): Node => ({
  keys,
  bytes,
  sample,
  overflowed,
  children: new Map(children.map(([part, child]) => [part, fromStored(child)])),
});

const sizeOf = (node: Node): number =>
  [...node.children.values()].reduce((sum, child) => sum + 1 + sizeOf(child), 0);

/** A prefix with the memory of its keys: 0 where none was measured. */
export interface PrefixRow extends PrefixCount {
  memoryBytes: number;
}

function* leavesOf(node: Node): Generator<{ parent: Node; part: string; leaf: Node }> {
  for (const [part, child] of node.children) {
    if (child.children.size === 0) yield { parent: node, part, leaf: child };
    else yield* leavesOf(child);
  }
}

/**
 * Counts keys by their leading words, in a tree of bounded size: when it is full, the smallest branches are joined
 * with their parents. So every key is counted exactly once, large prefixes most precisely.
 */
export class PrefixCounts {
  private readonly root: Node;
  private nodes: number;

  /** `stored`: a count to continue. */
  constructor(stored?: StoredNode) {
    this.root = stored ? fromStored(stored) : newNode();
    this.nodes = sizeOf(this.root);
  }

  /** `displayed`: the key as `displayKey` returns it, masked. */
  add(displayed: string, bytes = 0): void {
    let node = this.root;
    node.keys += 1;
    node.bytes += bytes;
    for (const word of wordsBefore(displayed)) {
      node = this.childOf(node, word);
      node.keys += 1;
      node.bytes += bytes;
    }
    addSample(node, displayed);
  }

  private childOf(node: Node, word: string): Node {
    const known = node.children.get(word);
    if (known) return known;
    if (node.children.size >= (node === this.root ? MAX_ROOT_CHILDREN : MAX_CHILDREN)) this.joinHalf(node);
    if (this.nodes >= MAX_NODES) this.shrink();
    const child = newNode();
    node.children.set(copyOf(word), child);
    this.nodes += 1;
    return child;
  }

  /** Joins a branch with its parent, which already counts its keys. */
  private join(node: Node, part: string): void {
    const child = node.children.get(part)!;
    for (const inner of [...child.children.keys()]) this.join(child, inner);
    for (const key of child.sample) addSample(node, key);
    node.children.delete(part);
    this.nodes -= 1;
  }

  private joinHalf(node: Node): void {
    node.overflowed = true;
    const smallest = [...node.children].sort(([, a], [, b]) => a.keys - b.keys);
    for (const [part] of smallest.slice(0, Math.ceil(smallest.length / 2))) this.join(node, part);
  }

  private shrink(): void {
    const leaves = [...leavesOf(this.root)].sort((a, b) => a.leaf.keys - b.leaf.keys);
    for (const { parent, part } of leaves.slice(0, Math.ceil(leaves.length / 2))) {
      parent.overflowed = true;
      this.join(parent, part);
    }
  }

  private prune(node: Node): void {
    for (const [part, child] of [...node.children]) {
      const isSmall = node.overflowed && child.keys < node.keys * MIN_SHARE && node !== this.root;
      if (isSmall || child.keys < MIN_KEYS) this.join(node, part);
      else this.prune(child);
    }
  }

  /** The current count, for storage. */
  stored(): StoredNode {
    return toStored(this.root);
  }

  /** All prefixes, most keys first; an empty prefix for keys without a common one. Ends the count. */
  rows(): PrefixRow[] {
    this.prune(this.root);
    const rows: PrefixRow[] = [];
    const visit = (node: Node, prefix: string): void => {
      let { keys, bytes: memoryBytes } = node;
      for (const [part, child] of node.children) {
        keys -= child.keys;
        memoryBytes -= child.bytes;
        visit(child, prefix + part);
      }
      if (keys > 0) rows.push({ prefix, keys, memoryBytes, sample: node.sample });
    };
    visit(this.root, '');
    return rows.sort((a, b) => b.keys - a.keys || (a.prefix < b.prefix ? -1 : 1));
  }

  /** The largest prefixes. Ends the count. */
  finish(): PrefixCount[] {
    return this.rows()
      .slice(0, MAX_PREFIXES)
      .map(({ prefix, keys, sample }) => ({ prefix, keys, sample }));
  }
}
