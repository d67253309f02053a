import 'server-only';
import { knownFailure } from './failure';

export type Role = 'primary' | 'replica' | 'unknown';

/** The facts that decide what a connection to a server may be used for. */
export interface ServerFacts {
  role: Role;
  isClusterNode: boolean;
}

/** From the word of the server. */
export const roleOf = (word: string | undefined): Role => {
  if (word === 'master' || word === 'primary') return 'primary';
  return word === 'slave' || word === 'replica' ? 'replica' : 'unknown';
};

/** From the fields of INFO; null without them. */
export const factsOfInfo = (info: Record<string, string>): ServerFacts | null =>
  info.role === undefined
    ? null
    : {
        role: roleOf(info.role),
        isClusterNode: info.cluster_enabled === '1' || (info.redis_mode ?? info.server_mode) === 'cluster',
      };

/** From the reply of HELLO, which every user may send: alternating names and values. */
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

/** Why a server cannot be used by anyone; null where it can. `ofCluster`: the connection is to a cluster. */
export const unsuitable = ({ isClusterNode }: ServerFacts, ofCluster: boolean): Error | null => {
  if (isClusterNode === ofCluster) return null;
  return knownFailure('moved', ofCluster ? NO_NODE : ONE_NODE);
};
