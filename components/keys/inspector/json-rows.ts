import { isNumber, parseJson as parse } from '@/lib/exact-json';

/** Levels shown below the root, before "show deeper" makes a node the root. */
export const MAX_DEPTH = 40;
/** Maximum number of rows of the tree. */
export const MAX_ROWS = 4000;
/** Children shown per node, before the rest is requested. */
export const CHILDREN_SHOWN = 200;

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

export interface JsonRow {
  kind: 'node';
  /** The indexes of its ancestors and its own, from the root: `/0/3`. */
  id: string;
  depth: number;
  /** Null for the root and the items of an array. */
  name: string | null;
  index: number | null;
  type: JsonKind;
  value: unknown;
  /** Number of children of an object or array. */
  count: number;
  open: boolean;
  /** Whether it is at the maximum depth: it opens as the root. */
  deeper: boolean;
}

export interface MoreRow {
  kind: 'more';
  id: string;
  /** The node with further children. */
  of: string;
  depth: number;
  left: number;
}

export interface TreeState {
  /** Nodes whose state differs from `opensAtFirst`. */
  toggled: ReadonlySet<string>;
  /** How many children of a node are shown, if not `CHILDREN_SHOWN`. */
  shown: ReadonlyMap<string, number>;
}

export const typeOf = (value: unknown): JsonKind => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isNumber(value)) return 'number';
  return typeof value as JsonKind;
};

export const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isNumber(value);

/** The first two levels, unless they are wide. */
const opensAtFirst = (depth: number, count: number): boolean => depth === 0 || (depth === 1 && count <= 20);

interface Step {
  value: unknown;
  id: string;
  depth: number;
  name: string | null;
  index: number | null;
}

const childrenOf = (value: object): [name: string | null, value: unknown][] =>
  Array.isArray(value) ? value.map((item) => [null, item]) : Object.entries(value);

/**
 * The visible rows in reading order. A loop instead of a recursion, because a value may be nested ten thousand levels
 * deep.
 */
export const jsonRows = (
  root: unknown,
  { toggled, shown }: TreeState,
): { rows: (JsonRow | MoreRow)[]; cut: boolean } => {
  const rows: (JsonRow | MoreRow)[] = [];
  const stack: (Step | MoreRow)[] = [{ value: root, id: '', depth: 0, name: null, index: null }];
  while (stack.length > 0) {
    if (rows.length === MAX_ROWS) return { rows, cut: true };
    const step = stack.pop()!;
    if ('kind' in step) {
      rows.push(step);
      continue;
    }
    const { value, id, depth } = step;
    const children = isContainer(value) ? childrenOf(value) : [];
    const deeper = children.length > 0 && depth >= MAX_DEPTH;
    const open = children.length > 0 && !deeper && opensAtFirst(depth, children.length) !== toggled.has(id);
    rows.push({
      kind: 'node',
      id,
      depth,
      value,
      open,
      deeper,
      count: children.length,
      name: step.name,
      index: step.index,
      type: typeOf(value),
    });
    if (!open) continue;
    const limit = shown.get(id) ?? CHILDREN_SHOWN;
    const left = children.length - limit;
    if (left > 0) stack.push({ kind: 'more', id: `${id}/more`, of: id, depth: depth + 1, left });
    const isArray = Array.isArray(value);
    for (let i = Math.min(limit, children.length) - 1; i >= 0; i--)
      stack.push({
        value: children[i]![1],
        id: `${id}/${i}`,
        depth: depth + 1,
        name: children[i]![0],
        index: isArray ? i : null,
      });
  }
  return { rows, cut: false };
};

/** The value of a JSON text; undefined for other text. */
export const parseJson = (text: string): unknown => {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
};

/** Why a text is not JSON, in the engine's words; null if it is JSON. */
export const jsonFault = (text: string): string | null => {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};
