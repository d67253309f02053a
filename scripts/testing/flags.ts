import { randomUUID } from 'node:crypto';
import { createUser, type UserRole } from '@/lib/access/users';
import type { Actor } from '@/lib/actor';
import type { Command } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import type { Result } from '@/lib/contract';
import { flagHistory } from '@/lib/flags/history';
import { listFlags } from '@/lib/flags/reads';
import { flagContracts } from '@/lib/flags/schema';
import type { ConnectionHandle } from '@/lib/redis/connections';
import type { TestContext } from './context';

/** A user of the console, as an actor. */
export const user = async (test: TestContext, name: string, role: UserRole = 'product'): Promise<Actor> => {
  const user = { email: `${name}@example.org`, name, role, passwordHash: '-' };
  const created = await createUser(test.ctx.store, user, { now: Date.now() });
  if (!created.ok) throw new Error(created.reason);
  return { kind: 'user', id: created.user.id, email: user.email, name, role };
};

export const keyOf = (name: string): string => `env_vars:${name}`;

/** Reads and changes flags of one connection like the pages do. */
export const flagsOn = (test: TestContext, connection: ConnectionHandle) => {
  const ctxOf = (actor: Actor) => ({ ...test.as({ actor }), connection, reader: connection.reader });
  const list = async (actor: Actor) => flagContracts.list.result.parse(await listFlags(ctxOf(actor)));
  const flagOf = async (actor: Actor, name: string) =>
    (await list(actor)).items.find((flag) => flag.name === name)!;
  return {
    list,
    flagOf,
    etagOf: async (actor: Actor, name: string) => (await flagOf(actor, name)).etag,
    run: <C extends Command['contract']>(
      actor: Actor,
      command: Command<C>,
      raw: object,
    ): Promise<Result<C>> => runCommand(command, { actor, requestId: randomUUID(), connection, raw }),
    history: async (actor: Actor, name: string) =>
      flagContracts.history.result.parse(await flagHistory(ctxOf(actor), { name })).items,
  };
};
