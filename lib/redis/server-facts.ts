import 'server-only';

export type Role = 'primary' | 'replica' | 'unknown';

/** What of a server decides what may be done through a connection to it. */
export interface ServerFacts {
  role: Role;
  isClusterNode: boolean;
}

const roleOf = (word: string | undefined): Role => {
  if (word === 'master' || word === 'primary') return 'primary';
  return word === 'slave' || word === 'replica' ? 'replica' : 'unknown';
};

/** From the fields of INFO; null without them. */
export const factsOfInfo = (info: Record<string, string>): ServerFacts | null =>
  info.role === undefined
    ? null
    : {
        role: roleOf(info.role),
        isClusterNode: info.cluster_enabled === '1' || info.redis_mode === 'cluster',
      };

/** From the reply of HELLO, which every user may send: names and values in turn. */
export const factsOfHello = (reply: unknown): ServerFacts => {
  const words = Array.isArray(reply) ? reply.map(String) : [];
  const after = (name: string): string | undefined => words[words.indexOf(name) + 1];
  return { role: roleOf(after('role')), isClusterNode: after('mode') === 'cluster' };
};

const ONE_NODE =
  'it is one node of a Redis Cluster and holds only a part of the keys. Clusters are not supported yet: ' +
  'give the URL of a server without cluster mode';

/** Why a server cannot be used, whoever asks; null where it can. `describeFailure` tells its words as they are. */
export const unsuitable = ({ isClusterNode }: ServerFacts): Error | null =>
  isClusterNode ? Object.assign(new Error(ONE_NODE), { code: 'UNSUITABLE' }) : null;
