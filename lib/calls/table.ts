import 'server-only';
import type { CommandTable } from '@/lib/redis/command-table';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { readCommands } from '@/lib/redis/server-reads';
import { sharedAnswer } from '@/lib/redis/shared-answer';
import { HOUR } from '@/lib/time';

const tables = sharedAnswer<CommandTable>('command-tables', HOUR);

/** The commands of a server, read once an hour. */
export const commandTable = (handle: ConnectionHandle): Promise<CommandTable> =>
  tables.of(handle, () => readCommands(handle));
