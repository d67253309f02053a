import { APP_IDS } from '@/lib/apps';
import type { BenchRow } from '@/scripts/testing/bench-row';
import { catalogFor } from './apps-of';
import type { Family } from './family';
import type { Grammar } from './grammar';
import type { OwnCatalog } from './own/own-catalog';
import { problemText } from './own/problems';
import { readCatalogText } from './own/read';
import { checkTogether } from './own/together';
import type { Registry } from './registry';

const ROUNDS = 40;
const BATCH = 20_000;

/** A small seeded generator (mulberry32), so that every run measures the same keys. */
const seeded = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
};

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const sample = (grammar: Grammar, random: (below: number) => number): string => {
  const from = (chars: string, length: number) =>
    Array.from({ length }, () => chars[random(chars.length)]).join('');
  const { shape } = grammar;
  switch (shape.kind) {
    case 'words':
      return shape.words[random(shape.words.length)]!;
    case 'jwt':
      return `${from(BASE64URL, 36)}.${from(BASE64URL, 99)}.${from(BASE64URL, 43)}`;
    case 'uuid':
      return [8, 4, 4, 4, 12].map((length) => from('0123456789abcdef', length)).join('-');
    case 'legacy-token':
      return from(BASE64URL.slice(0, 62), 32);
    case 'pairs':
      return `limit=${random(50)}:offset=${random(1000)}:sort=created_at`;
    case 'chars':
      return from(shape.chars, Math.min(grammar.max, Math.max(grammar.min, 1 + random(8))));
    case 'text':
      if (shape.except.includes(' ')) return from('abcdefgh', 8);
      return random(4) === 0 ? `запрос ${random(9999)}` : `text-${from('abcdefgh', 8)}-${random(9999)}`;
  }
};

/**
 * A realistic mix: a third sessions with 180-byte JWTs where the catalog has them, every other family, one key in ten
 * without a family.
 */
const mix = (registry: Registry, families: readonly Family[] = registry.families): Buffer[] => {
  const random = seeded(1);
  const make = (family: Family) =>
    family.key(
      Object.fromEntries(
        Object.entries(family.params).map(([name, grammar]) => [name, sample(grammar, random)]),
      ),
    );
  const session = registry.mustGet('discours.session');
  return Array.from({ length: BATCH }, (_, i) => {
    if (i % 3 === 0) return make(session);
    if (i % 10 === 1)
      return Buffer.from(
        `unknown:${random(1e6)}:${sample(session.params.token!, random).slice(0, random(60))}`,
      );
    return make(families[random(families.length)]!);
  });
};

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/gu, '\\$&');

const regExpOf = (grammar: Grammar): string => {
  const { shape } = grammar;
  if (shape.kind === 'words') return `(?:${shape.words.join('|')})`;
  if (shape.kind === 'jwt') return '[\\w-]+\\.[\\w-]+\\.[\\w-]+';
  if (shape.kind === 'legacy-token') return '(?:eyJ\\w*\\.[\\w-]+\\.[\\w-]+|\\w{16,})';
  if (shape.kind === 'uuid') return '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}';
  if (shape.kind === 'pairs') return '[\\w.-]+=[^:]*(?::[\\w.-]+=[^:]*)*';
  if (shape.kind === 'text') return shape.except.includes(':') ? '[^:]+' : '[^]+';
  return `[${escapeRegExp(shape.chars).replaceAll('-', '\\-')}]+`;
};

/** The obvious implementation: one anchored expression per family, tried one after the other on the decoded key. */
const naive = (registry: Registry): ((key: Buffer) => unknown) => {
  const expressions = registry.families.map((family) => {
    const parts = family.compiled.params.map(({ name, grammar }) => `(?<${name}>${regExpOf(grammar)})`);
    const literal = (i: number) => escapeRegExp(Buffer.from(family.compiled.literals[i]!).toString());
    return {
      family,
      expression: new RegExp(`^${parts.reduce((all, part, i) => all + part + literal(i + 1), literal(0))}$`),
    };
  });
  return (key) => {
    const text = key.toString();
    for (const { family, expression } of expressions) {
      const found = expression.exec(text);
      if (found !== null) return { family, params: { ...found.groups } };
    }
    return null;
  };
};

/** The best of several rounds, keys per second: other work on the machine can only slow a round down. */
const measure = (rounds: number, keys: readonly Buffer[], classify: (key: Buffer) => unknown): number => {
  let best = 0;
  let kept: unknown = null;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    for (const key of keys) kept = classify(key);
    best = Math.max(best, (keys.length / (performance.now() - start)) * 1000);
  }
  if (kept === undefined) throw new Error('the classification answered nothing');
  return Math.round(best);
};

/** Keys a second that classification must reach with every catalog. */
const MIN_PER_SECOND = 1_000_000;
const OWN_FAMILIES = 200;

/** A team's own catalog as teams write them: most families share their first word with others. */
const ownCatalog = (): OwnCatalog[] => {
  const kinds = ['id', 'list', 'count', 'page', 'lock', 'state', 'queue', 'draft'];
  const families = Array.from({ length: OWN_FAMILIES }, (_, i) => {
    const kind = kinds[i % kinds.length]!;
    const pattern = i % 4 === 0 ? `app:item${i >> 3}:{id}:${kind}` : `app:item${i >> 3}:${kind}:{id}`;
    return `  - { id: f${i}, pattern: '${pattern}', type: string, params: { id: ${i % 3 ? 'digits' : 'word'} } }`;
  });
  const file = readCatalogText('bench', `app: bench\nfamilies:\n${families.join('\n')}\n`);
  checkTogether([file]);
  const [problem] = file.text.problems;
  if (problem) throw new Error(problemText(problem));
  return [
    {
      path: 'bench',
      app: 'bench',
      title: 'bench',
      digest: file.digest,
      loadedAt: 0,
      inForce: true,
      problems: [],
      entities: [],
      families: file.families.map(({ family }) => family),
    },
  ];
};

const heldRow = (name: string, registry: Registry, families?: readonly Family[]): BenchRow => {
  const keys = mix(registry, families);
  const perSecond = measure(ROUNDS, keys, registry.classify);
  const baselinePerSecond = measure(1, keys, naive(registry));
  return {
    name,
    perSecond,
    baselineName: 'one anchored RegExp per family',
    baselinePerSecond,
    ratio: perSecond / baselinePerSecond,
    limit: `${MIN_PER_SECOND.toLocaleString('en')}/s`,
    held: perSecond >= MIN_PER_SECOND,
  };
};

/** Classification with decoded parameters on one core, against a loop of regular expressions: same keys, same run. */
export const run = (): BenchRow[] => {
  const own = ownCatalog();
  const withOwn = catalogFor(APP_IDS, undefined, own);
  return [
    heldRow('catalog: classify a key, parameters decoded', catalogFor(['discours', 'hawk'])),
    heldRow('catalog: with all four applications', catalogFor(APP_IDS)),
    heldRow(`catalog: and a team's own catalog of ${OWN_FAMILIES} families`, withOwn),
    heldRow('catalog: the same, keys of the own catalog', withOwn, own[0]!.families),
  ];
};
