import 'server-only';
import { wordsBefore } from '@/lib/catalog/words';
import type { PrefixCount } from '@/lib/history/census';

/** Nodes kept at the same time, whatever the names of the keys are. */
const MAX_NODES = 2000;
/** Children of one node: more of them are ids, not words. Applications at the root are many sooner. */
const MAX_CHILDREN = 64;
const MAX_ROOT_CHILDREN = 512;
/** Of a node with too many children, one with a smaller share is joined with its parent at the end. */
const MIN_SHARE = 0.05;
const MIN_KEYS = 3;
const SAMPLES = 3;
const MAX_SAMPLE_LENGTH = 120;
const MAX_PREFIXES = 100;

interface Node {
  keys: number;
  sample: string[];
  children: Map<string, Node>;
  overflowed: boolean;
}

const newNode = (): Node => ({ keys: 0, sample: [], children: new Map(), overflowed: false });

/** A part of a text keeps the whole text in memory. */
const copyOf = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');

const addSample = (node: Node, key: string): void => {
  if (node.sample.length >= SAMPLES) return;
  const isLong = key.length > MAX_SAMPLE_LENGTH;
  node.sample.push(isLong ? `${copyOf(key.slice(0, MAX_SAMPLE_LENGTH))}…` : key);
};

function* leavesOf(node: Node): Generator<{ parent: Node; part: string; leaf: Node }> {
  for (const [part, child] of node.children) {
    if (child.children.size === 0) yield { parent: node, part, leaf: child };
    else yield* leavesOf(child);
  }
}

/**
 * Counts keys by the words they begin with, in a tree of bounded size: where it is full, the smallest branches are
 * joined with their parents. So every key is counted exactly once, large prefixes most precisely.
 */
export class PrefixCounts {
  private readonly root = newNode();
  private nodes = 0;

  /** `displayed` is the key as `displayKey` returns it: masked. */
  add(displayed: string): void {
    let node = this.root;
    node.keys += 1;
    for (const word of wordsBefore(displayed)) {
      node = this.childOf(node, word);
      node.keys += 1;
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

  /** Joins a branch with its parent, which has counted its keys already. */
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

  /** The largest prefixes, most keys first; empty for keys without a common beginning. Ends the count. */
  finish(): PrefixCount[] {
    this.prune(this.root);
    const found: PrefixCount[] = [];
    const visit = (node: Node, prefix: string): void => {
      let own = node.keys;
      for (const [part, child] of node.children) {
        own -= child.keys;
        visit(child, prefix + part);
      }
      if (own > 0) found.push({ prefix, keys: own, sample: node.sample });
    };
    visit(this.root, '');
    return found.sort((a, b) => b.keys - a.keys || (a.prefix < b.prefix ? -1 : 1)).slice(0, MAX_PREFIXES);
  }
}
