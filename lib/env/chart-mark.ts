import 'server-only';
import type { MarkedChange } from '@/lib/command/define';

/** The mark of a change of variables on the charts. Viewers read it, and may not see variables: it names none. */
export const variableMark =
  (what: string) =>
  ({ undone }: MarkedChange) => ({
    kind: 'variable' as const,
    text: undone ? `${what}: undone` : what,
  });
