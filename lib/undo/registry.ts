import 'server-only';
import type { AnyCommand } from '@/lib/command/define';
import { processWide } from '@/lib/process-wide';

const registry = processWide('undoable-commands', () => new Map<string, AnyCommand>());

/** Wiring registers the commands that can be taken back: nothing below knows all domains. */
export const registerUndoable = (commands: readonly AnyCommand[]): void => {
  for (const command of commands) {
    if (!command.undo) throw new Error(`${command.contract.id} cannot be taken back`);
    registry().set(command.contract.id, command);
  }
};

export const undoableCommand = (action: string): AnyCommand | undefined => registry().get(action);
