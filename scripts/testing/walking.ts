import { type ConnectionHandle, openConnection } from '@/lib/redis/connections';
import type { Collector, WalkedKeys, Wanted } from '@/lib/walk/collector';
import { joinWalk, type Participant } from '@/lib/walk/shared-walk';
import { aclRules } from '@/scripts/testing/this-redis';
import type { TestContext } from './context';

interface Row {
  type: string;
  ttl: number;
  memory: number | null;
  length: number | null;
  encoding: string | null;
  idle: number | null;
  family: string | null;
}

/** Stores the chunks of a walk. */
export class Rows implements Collector {
  readonly wants: Wanted;
  readonly rows = new Map<string, Row>();
  /** Keys of each chunk, including repeated ones. */
  readonly chunks: number[] = [];

  constructor(wants: Wanted = {}) {
    this.wants = wants;
  }

  get given(): number {
    return this.chunks.reduce((sum, keys) => sum + keys, 0);
  }

  add({ keys, types, ttls, memory, lengths, encodings, idle, found }: WalkedKeys): void {
    this.chunks.push(keys.length);
    for (const [i, key] of keys.entries())
      this.rows.set(key.toString(), {
        type: types[i]!,
        ttl: ttls[i]!,
        memory: memory[i]!,
        length: lengths[i]!,
        encoding: encodings[i]!,
        idle: idle[i]!,
        family: found[i]!.family?.id ?? null,
      });
  }
}

const NEVER = new AbortController().signal;

export const takingPart = (rows: Rows, more: Partial<Participant> = {}): Participant => ({
  part: 'analysis',
  begin: () => rows,
  signal: NEVER,
  ...more,
});

export const walkFor = async (handle: ConnectionHandle, wants: Wanted, more: Partial<Participant> = {}) => {
  const rows = new Rows(wants);
  const cost = await joinWalk(handle, takingPart(rows, more));
  return { rows: rows.rows, given: rows.given, chunks: rows.chunks, cost };
};

/** Connections to one Redis by users with other permissions. */
export class OtherUsers {
  private readonly opened: ConnectionHandle[] = [];
  private readonly test: TestContext;

  constructor(test: TestContext) {
    this.test = test;
  }

  async with(...rules: string[]): Promise<ConnectionHandle> {
    const { handle, redis } = this.test;
    const name = `user${this.opened.length}`;
    await redis.call('ACL', 'SETUSER', name, 'on', '>secret', '~*', '&*', '+@all', ...aclRules(...rules));
    const url = handle.config.url!.replace('//', `//${name}:secret@`);
    const opened = openConnection({ ...handle.config, url });
    this.opened.push(opened);
    return opened;
  }

  close(): void {
    for (const { topology } of this.opened.splice(0)) topology.close();
  }
}
