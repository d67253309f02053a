import 'server-only';
import type { AnyCommand } from '@/lib/command/define';
import { processWide } from '@/lib/process-wide';

const registry = processWide('undoable-commands', () => new Map<string, AnyCommand>());

/** Registers commands that have an undo. Called by the wiring, because lib/undo must not import the domains. */
export const registerUndoable = (commands: readonly AnyCommand[]): void => {
  for (const command of commands) {
    if (!command.undo) throw new Error(`${command.contract.id} has no undo`);
    registry().set(command.contract.id, command);
  }
};

export const undoableCommand = (action: string): AnyCommand | undefined => registry().get(action);
