import 'server-only';
import type { Redis } from 'ioredis';
import { withoutPermission } from './failure';
import { numberOf, parseInfo, replicasOf } from './info';
import { type Role, roleOf } from './server-facts';

/** What a server reports about its replication. */
export interface Replication {
  role: Role;
  /** Its `master_replid`, which differs for every primary, also when the same process is promoted again. */
  id: string;
  /** End of its replication stream, in bytes. */
  offset: number;
  /** The offset that each attached replica confirmed, in bytes, by the address the replica announces. */
  replicas: ReadonlyMap<string, number>;
}

const fromInfo = (text: string): Replication => {
  const fields = parseInfo(text);
  return {
    role: roleOf(fields.get('role')),
    id: fields.get('master_replid') ?? '',
    offset: numberOf(fields, 'master_repl_offset') ?? 0,
    replicas: new Map(
      replicasOf(fields)
        .filter(({ state }) => state === 'online')
        .map(({ address, offset }) => [address, offset ?? 0]),
    ),
  };
};

export const readReplication = async (redis: Redis): Promise<Replication> =>
  fromInfo(await redis.info('replication'));

/**
 * Waits until this many replicas confirmed the writes of this connection, then reads the replication. `confirmed` is
 * null where the server does not permit WAIT.
 */
export const waitForReplicas = async (
  redis: Redis,
  replicas: number,
  ms: number,
): Promise<{ confirmed: number | null; now: Replication }> => {
  const [confirmed, info] = await Promise.all([
    redis.wait(replicas, ms).catch(withoutPermission(null)),
    redis.info('replication'),
  ]);
  return { confirmed, now: fromInfo(info) };
};
