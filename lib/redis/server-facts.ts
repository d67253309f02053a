import 'server-only';
import { knownFailure } from './failure';

export type Role = 'primary' | 'replica' | 'unknown';

/** The facts that decide what a connection to a server may be used for. */
export interface ServerFacts {
  role: Role;
  isClusterNode: boolean;
}

/** The role, by the server's word for it. */
export const roleOf = (word: string | undefined): Role => {
  if (word === 'master' || word === 'primary') return 'primary';
  return word === 'slave' || word === 'replica' ? 'replica' : 'unknown';
};

/** By the fields of INFO; null without them. */
export const factsOfInfo = (info: Record<string, string>): ServerFacts | null =>
  info.role === undefined
    ? null
    : {
        role: roleOf(info.role),
        isClusterNode: info.cluster_enabled === '1' || (info.redis_mode ?? info.server_mode) === 'cluster',
      };

/** By the reply of HELLO, which every user may send: alternating names and values. */
export const factsOfHello = (reply: unknown): ServerFacts => {
  const words = Array.isArray(reply) ? reply.map(String) : [];
  const after = (name: string): string | undefined => words[words.indexOf(name) + 1];
  return { role: roleOf(after('role')), isClusterNode: after('mode') === 'cluster' };
};

const ONE_NODE =
  'it is one node of a Redis Cluster and holds only a part of the keys. Write its nodes under "cluster" in the ' +
  'configuration, not as a URL';
const NO_NODE =
  'it is not in cluster mode. Write its address as "url" in the configuration, not under "cluster"';

const NO_STORE =
  'it is a node of a Redis Cluster. The audit log, jobs and sessions are changed together in one step, which a cluster ' +
  'refuses for keys of different slots. Use one server, or one behind Sentinel';

/** What to connect to: a server with all keys, a node of a cluster, or the console's store. */
export type WantedServer = 'server' | 'node' | 'store';

/** Why a server cannot be used for a purpose; null where it can. */
export const unsuitable = ({ isClusterNode }: ServerFacts, wanted: WantedServer): Error | null => {
  if (isClusterNode === (wanted === 'node')) return null;
  if (wanted === 'store') return knownFailure('moved', NO_STORE);
  return knownFailure('moved', wanted === 'node' ? NO_NODE : ONE_NODE);
};
