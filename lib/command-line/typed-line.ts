import 'server-only';
import type { KeyIdentity } from '@/lib/key-values/identity';
import type { ValueAccess } from '@/lib/key-values/value-access';
import type { CommandSpec } from '@/lib/redis/command-table';
import type { ParsedCall } from '@/lib/redis/parsed-call';

/** A key that a line names, with what its caller may see of it. */
export interface NamedKey {
  identity: KeyIdentity;
  access: ValueAccess;
}

/** A line whose caller may run it, as far as commands and keys decide that. */
export interface Line {
  call: ParsedCall & { spec: CommandSpec; keys: readonly number[] };
  kind: 'read' | 'write';
  /** Each key once, in the order of the line. */
  keys: NamedKey[];
  /** For people and the audit log: no value. */
  shown: string;
}
