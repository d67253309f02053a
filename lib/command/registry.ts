import 'server-only';
import { processWide } from '@/lib/process-wide';
import type { AnyCommand, Command } from './define';

const registry = processWide('commands', () => new Map<string, AnyCommand>());

/** Registers commands under their operationIds. Called by the wiring, because lower ranks must not import the domains. */
export const registerCommands = (commands: readonly AnyCommand[]): void => {
  for (const command of commands) registry().set(command.contract.id, command);
};

/** Flags have a rule of their own, and approvals must not need approval themselves. */
const WITHOUT_RULE = /^(approvals|flags)\./;

/** Whether a rule may require approval of a command: of a change of one Redis. */
export const isApprovable = (command: AnyCommand): command is Command =>
  command.scope === 'connection' && !WITHOUT_RULE.test(command.contract.id);

/** The command of an operation that may need approval. */
export const approvableCommand = (operation: string): Command | undefined => {
  const command = registry().get(operation);
  return command && isApprovable(command) ? command : undefined;
};

/** All operations that may need approval. */
export const approvableOperations = (): string[] =>
  [...registry().keys()].filter((operation) => approvableCommand(operation) !== undefined);
