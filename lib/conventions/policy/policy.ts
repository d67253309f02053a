import 'server-only';
import { catalogOf } from '@/lib/command/context';
import type { CatalogProblem } from '@/lib/keyspace/own/problems';
import type { Registry } from '@/lib/keyspace/registry';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { MAX_CLIENT_SHARE } from '@/lib/redis/limits';
import { DAY, HOUR, MINUTE, SECOND } from '@/lib/time';
import { wordsOf } from '../key-name';
import type { Band, KeyFacts, Policy, Use } from '../rule';
import { RULE_TEXTS } from '../rule-texts';
import type { RuleId } from '../schema';
import { DOCUMENT_PREFIXES, documentedUse } from '../use';
import type { PolicyFile } from './definition';
import { type LoadedPolicy, loadedPolicy, loadPolicy, NO_POLICY } from './load';

const between = (min: number, max: number): Band => ({ minSeconds: min / SECOND, maxSeconds: max / SECOND });

const BANDS: Readonly<Record<Use, Band>> = {
  'hot-cache': between(5 * MINUTE, 30 * MINUTE),
  cache: between(HOUR, 24 * HOUR),
  session: between(DAY, 7 * DAY),
  lock: between(10 * SECOND, MINUTE),
  temporary: between(5 * MINUTE, 30 * MINUTE),
  'null-marker': between(0, 5 * MINUTE),
};

const MEBIBYTE = 2 ** 20;

const bandOfFile = ({ min = 0, max }: { min?: number | undefined; max: number }): Band => ({
  minSeconds: min,
  maxSeconds: max,
});

const bandsOf = (file: PolicyFile): Record<Use, Band> => ({
  ...BANDS,
  ...Object.fromEntries(Object.entries(file.bands).map(([use, band]) => [use, bandOfFile(band)])),
});

/** The first words of the names of a catalog's families. */
const catalogPrefixes = (catalog: Registry): string[] =>
  catalog.families.flatMap((family) => (family.app === 'console' ? [] : (wordsOf(family).first ?? [])));

/** A policy from a file's content, for the families of a catalog. */
export const policyFor = (catalog: Registry, file: PolicyFile): Policy => {
  const known = new Set([...DOCUMENT_PREFIXES, ...catalogPrefixes(catalog), ...file.prefixes]);
  const bands = bandsOf(file);
  const ofFamily = (family: string | null) =>
    family !== null && Object.hasOwn(file.families, family) ? file.families[family] : undefined;
  const ofFacts = ({ found }: KeyFacts) => ofFamily(found.family?.id ?? null);
  const settingOf = (rule: RuleId, family: string | null) =>
    ofFamily(family)?.rules?.[rule] ?? file.rules[rule] ?? RULE_TEXTS[rule].severity;
  const purposeOf = (facts: KeyFacts): Use | null => ofFacts(facts)?.use ?? documentedUse(facts);
  const { limits } = file;
  return {
    bands,
    maxNameLength: limits.nameLength ?? 128,
    maxValueBytes: limits.valueBytes ?? MEBIBYTE,
    maxElements: limits.elements ?? 10_000,
    maxExpiringTogether: limits.expiringTogether ?? 0.1,
    prefixes: file.prefixes,
    limits: {
      maxConnectionShare: limits.connections ?? MAX_CLIENT_SHARE,
      idleSeconds: limits.idleSeconds ?? 600,
      maxIdleShare: limits.idle ?? 0.5,
      maxBlockedShare: limits.blocked ?? 0.5,
    },
    isKnownPrefix: (prefix) => known.has(prefix),
    mayPersist: (facts) => {
      const { ttl } = ofFacts(facts) ?? {};
      if (ttl) return ttl === 'optional';
      // `none` and `any` describe what the application does, not that its keys may stay.
      return facts.found.family?.ttl === 'persistent';
    },
    purposeOf,
    isOn: (rule, family) => settingOf(rule, family) !== 'off',
    severityOf: (rule, family) => {
      const setting = settingOf(rule, family);
      return setting === 'off' ? RULE_TEXTS[rule].severity : setting;
    },
    bandOf: (facts) => {
      const band = ofFacts(facts)?.band;
      if (band) return bandOfFile(band);
      const use = purposeOf(facts);
      return use && bands[use];
    },
  };
};

export interface PolicyInForce {
  readonly policy: Policy;
  readonly source: LoadedPolicy;
  /** Problems of the current file, and families that the catalog lacks. */
  readonly problems: readonly CatalogProblem[];
}

/**
 * A family that the catalog lacks is a problem, but does not invalidate the file, because the catalog may change
 * independently.
 */
const unknownFamilies = ({ content, text }: LoadedPolicy, catalog: Registry): CatalogProblem[] => {
  if (!text) return [];
  const expected = "the id of a family of this connection's catalog";
  const named = [
    ...Object.keys(content.families).map((id) => ({ id, path: ['families', id] })),
    ...content.waivers.flatMap(({ family: id }, i) => (id ? [{ id, path: ['waivers', i, 'family'] }] : [])),
  ];
  return named
    .filter(({ id }) => !catalog.get(id))
    .map(({ id, path }) => text.problemAt(path, JSON.stringify(id), expected));
};

const inForce = (source: LoadedPolicy, catalog: Registry): PolicyInForce => ({
  policy: policyFor(catalog, source.content),
  source,
  problems: [...source.problems, ...unknownFamilies(source, catalog)],
});

interface Cached extends PolicyInForce {
  catalog: Registry;
}

const cached = new WeakMap<LoadedPolicy, Cached>();

/** The policy of a connection. Look it up for each piece of work, because its file and catalog may change. */
export const policyOf = (handle: ConnectionHandle): PolicyInForce => {
  const source = loadedPolicy(handle.config.policy ?? null);
  const catalog = catalogOf(handle);
  const last = cached.get(source);
  if (last?.catalog === catalog) return last;
  const next = { ...inForce(source, catalog), catalog };
  cached.set(source, next);
  return next;
};

/** The policy of a file, or the defaults, without a connection's configuration. */
export const policyFromFile = (path: string | null, catalog: Registry): PolicyInForce =>
  inForce(path === null ? NO_POLICY : loadPolicy(path), catalog);
