import type { TtlInFile } from './own/definition';
import type { GrammarInFile } from './own/fields';
import type { FamilyType } from './roles';

export interface KeySample {
  readonly key: Uint8Array;
  /** The reply of TYPE; null where it was not read. */
  readonly type: string | null;
  /** Null: never expires. Undefined: not read. */
  readonly ttlSeconds?: number | null;
  /** Some names of a hash's fields. */
  readonly fields?: readonly string[];
  /** Whether the value, or a member, looks random or like a credential. The value itself is not passed. */
  readonly secretValue?: boolean;
  /**
   * Whether the complete name may be a secret, where an application has bare keys: proposed only if others are
   * similar.
   */
  readonly mayBeSecret?: boolean;
}

/** A family inferred from keys, in the form of a catalog file. */
export interface ProposedFamily {
  readonly id: string;
  readonly pattern: string;
  /** Only for parameters that need a grammar. */
  readonly params: Readonly<Record<string, GrammarInFile>>;
  readonly type: FamilyType;
  readonly otherTypes: readonly FamilyType[];
  readonly ttl: TtlInFile;
  /** Parameters whose values look random, or follow a word such as session. */
  readonly sensitive: readonly string[];
  readonly sensitiveValue: boolean;
  readonly sensitiveFields: readonly string[];
  /** The number of sampled keys that it classifies. */
  readonly keys: number;
  /** Empty where keys contain secrets. */
  readonly examples: readonly string[];
}
