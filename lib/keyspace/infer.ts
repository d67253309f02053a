import { isUtf8 } from './bytes';
import { createLocator } from './classify';
import { clusterKeys } from './infer-clusters';
import { proposalOf } from './infer-families';
import { catalogYaml } from './infer-file';
import type { KeySample, ProposedFamily } from './key-sample';
import { readCatalogText } from './own/read';
import { checkTogether } from './own/together';
import { splitPattern } from './pattern';
import type { Registry } from './registry';

export interface Inference {
  /** Most keys first. */
  readonly families: readonly ProposedFamily[];
  /** Keys without a family in the registry. */
  readonly keys: number;
  /** How many of them the proposals classify. */
  readonly covered: number;
}

export { catalogYaml } from './infer-file';
export type { KeySample, ProposedFamily } from './key-sample';

/** Longer names contain data, and lead to no proposal. */
const MAX_NAME = 1024;
const MAX_PROPOSED = 500;
const MAX_ATTEMPTS = 20;
/**
 * Clustering takes some microseconds per key on a busy machine, so of a larger number only every n-th key is
 * clustered.
 */
const MAX_CLUSTERED = 20_000;

/** The loader refuses more patterns with a common beginning, because each costs a pass over a key. */
const MAX_ALIKE = 48;

/** Unique ids, and one proposal per pattern. */
const distinct = (proposals: readonly ProposedFamily[]): ProposedFamily[] => {
  const byPattern = new Map<string, ProposedFamily>();
  // Complete names are distinguished only by their form.
  const shapeOf = ({ pattern, params }: ProposedFamily) =>
    /^\{\w+\}$/u.test(pattern) ? JSON.stringify(params) : pattern.replaceAll(/\{\w+\}/gu, '{}');
  for (const proposal of [...proposals].sort((a, b) => b.keys - a.keys))
    if (!byPattern.has(shapeOf(proposal))) byPattern.set(shapeOf(proposal), proposal);
  const taken = new Set<string>();
  const beginnings = new Map<string, number>();
  const isOneMore = ({ pattern }: ProposedFamily): boolean => {
    const beginning = splitPattern(pattern).literals[0]!;
    const count = (beginnings.get(beginning) ?? 0) + 1;
    beginnings.set(beginning, count);
    return count <= MAX_ALIKE;
  };
  const proposed = [...byPattern.values()].filter(isOneMore);
  return proposed.slice(0, MAX_PROPOSED).map((proposal) => {
    let { id } = proposal;
    for (let i = 2; taken.has(id); i++) id = `${proposal.id}-${i}`;
    taken.add(id);
    return { ...proposal, id };
  });
};

/** Reads the proposals like any other file, and removes those that would be refused because no key distinguishes them. */
const loadable = (proposals: readonly ProposedFamily[]) => {
  let kept = proposals;
  for (let attempt = 0; kept.length > 0; attempt++) {
    const file = readCatalogText('', catalogYaml('inferred', kept));
    checkTogether([file]);
    const { problems } = file.text;
    if (problems.length === 0) return { kept, families: file.families.map(({ family }) => family) };
    const indexes = problems.map(({ path }) => Number(/^families\[(\d+)\]/u.exec(path)?.[1] ?? -1));
    const refused = new Set(indexes);
    kept = attempt < MAX_ATTEMPTS && !refused.has(-1) ? kept.filter((_, i) => !refused.has(i)) : [];
  }
  return { kept, families: [] };
};

/**
 * Proposes families for the keys that `registry` does not classify. Pure: it knows names, types and TTLs only, and
 * never proposes a pattern without a fixed word. A key given twice counts twice.
 */
export const inferFamilies = (samples: Iterable<KeySample>, registry?: Registry): Inference => {
  const unknown = [...samples].filter(({ key }) => !registry?.locate(key).family);
  const step = Math.ceil(unknown.length / MAX_CLUSTERED);
  const texts = unknown.flatMap(({ key }, index) =>
    index % step === 0 && key.length > 0 && key.length <= MAX_NAME && isUtf8(key, 0, key.length)
      ? [[index, Buffer.from(key).toString('utf8')] as const]
      : [],
  );
  const mayBeSecret = (index: number): boolean => unknown[index]!.mayBeSecret === true;
  const clusters = clusterKeys(texts, mayBeSecret, (index) => unknown[index]!.type);
  const proposals = clusters.flatMap((cluster) => proposalOf(cluster, unknown) ?? []);
  const { kept, families } = loadable(distinct(proposals));
  const locate = createLocator(families);
  const counts = new Map<string, number>();
  for (const { key } of unknown) {
    const id = locate(key).family?.id;
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const counted = kept
    .map((proposal, i) => ({ ...proposal, keys: counts.get(families[i]?.id ?? '') ?? 0 }))
    .filter(({ keys }) => keys > 0)
    .sort((a, b) => b.keys - a.keys);
  const covered = counted.reduce((sum, { keys }) => sum + keys, 0);
  return { families: counted, keys: unknown.length, covered };
};
