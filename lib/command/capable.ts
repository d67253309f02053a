import 'server-only';
import { Problem } from '@/lib/errors';
import type { Registry } from '@/lib/keyspace/registry';
import { oncePer, processWide } from '@/lib/process-wide';
import {
  askCapabilities,
  type NodeCapabilities,
  type Obstacle,
  readObstacle,
} from '@/lib/redis/capabilities';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { knownPrimaries } from '@/lib/redis/each-primary';
import { readyClient } from '@/lib/redis/topology';
import { MINUTE, SECOND } from '@/lib/time';
import { COMMANDS, FEATURES, type Feature, featureOf, needsOf } from './features';

/** Whether a feature works for our Redis user, and what is missing. */
export interface Judged {
  feature: Feature;
  /** `slower`: with commands instead of scripts, or without some facts. */
  state: 'works' | 'slower' | 'no';
  missing: string[];
  /** ACL SETUSER rules that would allow it; null where none would help. */
  acl: string | null;
  /** Completes "Redis …: "; null where it works. */
  reason: string | null;
}

/** Permissions change rarely, and refusals are queried again. */
const LIFE_MS = 5 * MINUTE;
/** A refusal must be current. */
const FRESH_MS = 2 * SECOND;

/** The minimal interval between queries by open pages. */
const PAGE_MS = 30 * SECOND;

interface Known {
  at: number;
  /** Identifies the processes and patterns of the answer. */
  about: string;
  keys: readonly string[];
  answer: Promise<NodeCapabilities[]>;
}

const known = processWide('capabilities', () => new WeakMap<ConnectionHandle, Known>());

/** The key patterns of the families that features use. Cached, because every request needs them. */
const patternsIn = oncePer((catalog: Registry) => {
  const byFeature: ReadonlyMap<Feature, readonly string[]> = new Map(
    FEATURES.map((feature) => [
      feature,
      (feature.roles ?? []).flatMap((role) => catalog.withRole(role).map((family) => family.match())),
    ]),
  );
  return { all: [...new Set([...byFeature.values()].flat())], of: byFeature };
});

/** What the servers of a connection let our user do: an answer up to this age. Throws a 503 `Problem`. */
export const capabilitiesOf = async (
  handle: ConnectionHandle,
  catalog: Registry,
  maxAgeMs = LIFE_MS,
): Promise<NodeCapabilities[]> => {
  const nodes = await knownPrimaries(handle);
  // A process is known only after a connection.
  for (const node of nodes) if (node.process() === null) await readyClient(handle.config.id, node, 'read');
  const keys = patternsIn(catalog).all;
  const about = nodes.map((node) => node.process()).join(' ');
  const before = known().get(handle);
  if (before?.about === about && before.keys === keys && performance.now() - before.at < maxAgeMs)
    return before.answer;
  const ask = (node: (typeof nodes)[number]) =>
    askCapabilities(handle.config.id, node, { commands: COMMANDS, keys });
  const answer = Promise.all(nodes.map(ask));
  const own = { at: performance.now(), about, keys, answer };
  known().set(handle, own);
  answer.catch(() => {
    if (known().get(handle) === own) known().delete(handle);
  });
  return answer;
};

/** Called when a command was refused that was permitted before. */
export const forgetCapabilities = (handle: ConnectionHandle): void => void known().delete(handle);

const ruleOf = (command: string): string => `+${command.toLowerCase().replace(' ', '|')}`;

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** A sentence with the commands our user may not use, and those the server lacks. */
const reasonOf = (node: NodeCapabilities, missing: readonly string[]): string => {
  const absent = missing.filter((name) => node.commands.get(name) === 'absent');
  const refused = missing.filter((name) => !absent.includes(name));
  return [
    ...(refused.length > 0 ? [`its user may not use ${listed(refused)}`] : []),
    ...(absent.length > 0
      ? [`it does not have the command${absent.length > 1 ? 's' : ''} ${listed(absent)}`]
      : []),
  ].join(', and ');
};

const aclOf = (node: NodeCapabilities, missing: readonly string[], keys: readonly string[]): string | null =>
  missing.some((name) => node.commands.get(name) === 'absent')
    ? null
    : [...missing.map(ruleOf), ...keys.map((pattern) => `~${pattern}`)].join(' ');

const works = (feature: Feature): Judged => ({
  feature,
  state: 'works',
  missing: [],
  acl: null,
  reason: null,
});

const judgeOn = (
  feature: Feature,
  node: NodeCapabilities,
  { needs, patterns }: { needs: readonly string[]; patterns: readonly string[] },
): Judged => {
  const { better = {} } = feature;
  const lacks = (name: string): boolean => (node.commands.get(name) ?? 'yes') !== 'yes';
  const noScripts = better.scripts ? node.noReadScripts : null;
  const missing = [...new Set([...needs, ...(noScripts ? (better.plain ?? []) : [])])].filter(lacks);
  const way = feature.changes ? 'write' : 'read';
  const keys = patterns.filter((pattern) => node.keys.get(pattern)?.[way] === false);
  if (missing.length > 0 || keys.length > 0) {
    const ofKeys = keys.length > 0 ? [`its user may not ${way} ${listed(keys)}`] : [];
    const ofCommands = missing.length > 0 ? [reasonOf(node, missing)] : [];
    const reason = [...ofCommands, ...ofKeys].join(', and ');
    return { feature, state: 'no', missing, acl: aclOf(node, missing, keys), reason };
  }
  const fewer = (better.commands ?? []).filter(lacks);
  const scripts = noScripts ? ['EVALSHA_RO', 'EVAL_RO'].filter(lacks) : [];
  const less = [...scripts, ...fewer];
  const someKeys = feature.anyKey === true && !node.allKeys;
  if (!noScripts && less.length === 0 && !someKeys) return works(feature);
  const reason = [
    ...(someKeys ? ['its user may use only some keys'] : []),
    ...(noScripts ? [noScripts] : []),
    ...(fewer.length > 0 ? [reasonOf(node, fewer)] : []),
  ].join(', and ');
  return {
    feature,
    state: 'slower',
    missing: less,
    acl: aclOf(node, less, someKeys ? ['*'] : []) || null,
    reason,
  };
};

const WORST = { no: 0, slower: 1, works: 2 } as const;

/** Judges a feature by its worst server. Null where the connection's applications have nothing of the kind. */
const judge = (
  feature: Feature,
  nodes: readonly NodeCapabilities[],
  { handle, catalog }: { handle: ConnectionHandle; catalog: Registry },
): Judged | null => {
  const patterns = patternsIn(catalog).of.get(feature) ?? [];
  if (feature.roles && patterns.length === 0) return null;
  const needs = needsOf(feature, { isCluster: handle.topology.kind === 'cluster' });
  const judged = nodes.map((node) => judgeOn(feature, node, { needs, patterns }));
  return judged.toSorted((a, b) => WORST[a.state] - WORST[b.state])[0] ?? null;
};

export interface Permitted {
  /** Null where it cannot be determined now. */
  allowed: boolean | null;
  /** Completes "Redis …: ". */
  why: string | null;
}

/** Whether our user may use a command on each server. */
export const mayUse = async (
  handle: ConnectionHandle,
  catalog: Registry,
  command: string,
): Promise<Permitted> => {
  const nodes = await capabilitiesOf(handle, catalog, PAGE_MS).catch(() => null);
  if (!nodes) return { allowed: null, why: null };
  const refusing = nodes.find(({ commands }) => (commands.get(command) ?? 'yes') !== 'yes');
  return { allowed: !refusing, why: refusing ? reasonOf(refusing, [command]) : null };
};

/** Marks a feature as failing for a reason that no permission would change; a missing permission takes precedence. */
export const obstructed = (judged: Judged, reason: string): Judged =>
  judged.state === 'no' ? judged : { ...judged, state: 'no', missing: [], acl: null, reason };

/** The obstacle on the worst server. */
const obstacleOf = async ({ config, topology }: ConnectionHandle): Promise<Obstacle | null> => {
  let worst: Obstacle | null = null;
  for (const node of topology.primaries()) {
    const obstacle = await readObstacle(config.id, node);
    if (obstacle && !obstacle.isOfGrowth) return obstacle;
    worst ??= obstacle;
  }
  return worst;
};

const prevents = ({ isOfGrowth }: Obstacle, { changes }: Feature): boolean =>
  changes === 'growth' || (changes === 'shrink' && !isOfGrowth);

/** All features that apply to a connection's applications. Throws a 503 `Problem`. */
export const judgeFeatures = async (handle: ConnectionHandle, catalog: Registry): Promise<Judged[]> => {
  const nodes = await capabilitiesOf(handle, catalog, FRESH_MS);
  const obstacle = await obstacleOf(handle);
  const judged = FEATURES.flatMap((feature) => judge(feature, nodes, { handle, catalog }) ?? []);
  if (!obstacle) return judged;
  return judged.map((judgement) =>
    prevents(obstacle, judgement.feature) ? obstructed(judgement, obstacle.text) : judgement,
  );
};

const refusalOf = ({ config }: ConnectionHandle, { missing, acl, reason }: Judged): Problem => {
  const how = acl ? ` It takes the ACL rules ${acl}.` : '';
  return new Problem('not_permitted', `Redis of connection "${config.id}": ${reason}.${how}`, {
    extensions: { connection: config.id, ...(missing[0] && { command: missing[0] }), ...(acl && { acl }) },
  });
};

/**
 * Throws a 503 `Problem` for an operation that cannot work, before anything is tried: our user lacks a command or
 * keys, or the server accepts no changes. Where that cannot be determined, the operation is tried.
 */
export const requireCapable = async (
  operation: string,
  handle: ConnectionHandle,
  catalog: Registry,
): Promise<void> => {
  const feature = featureOf.get(operation);
  if (!feature) return;
  const asked = (maxAgeMs: number) => capabilitiesOf(handle, catalog, maxAgeMs).catch(() => []);
  const nodes = await asked(LIFE_MS);
  if (judge(feature, nodes, { handle, catalog })?.state === 'no') {
    const now = judge(feature, await asked(FRESH_MS), { handle, catalog });
    if (now?.state === 'no') throw refusalOf(handle, now);
  }
  if (!feature.changes || feature.changes === 'noKeys') return;
  const obstacle = await obstacleOf(handle).catch(() => null);
  if (!obstacle || !prevents(obstacle, feature)) return;
  const text = `Redis of connection "${handle.config.id}": ${obstacle.text}.`;
  throw new Problem(obstacle.code, text, { extensions: { connection: handle.config.id } });
};
