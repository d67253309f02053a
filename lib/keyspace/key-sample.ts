import type { TtlInFile } from './own/definition';
import type { GrammarInFile } from './own/fields';
import type { FamilyType } from './roles';

/** One key of a keyspace and what was read of it. */
export interface KeySample {
  readonly key: Uint8Array;
  /** As TYPE answers; null where it was not read. */
  readonly type: string | null;
  /** Null: it does not expire. Undefined: not read. */
  readonly ttlSeconds?: number | null;
  /** Names of a hash's fields, some of them. */
  readonly fields?: readonly string[];
  /** The value, or a member, looks random or like a credential. The value itself is not passed. */
  readonly secretValue?: boolean;
  /** The complete name may be a secret, where an application has bare ones: it is proposed only if others are like it. */
  readonly mayBeSecret?: boolean;
}

/** A family as a catalog file declares it, inferred from keys. */
export interface ProposedFamily {
  readonly id: string;
  readonly pattern: string;
  /** Only of parameters that need one. */
  readonly params: Readonly<Record<string, GrammarInFile>>;
  readonly type: FamilyType;
  readonly otherTypes: readonly FamilyType[];
  readonly ttl: TtlInFile;
  /** Parameters whose values look random, or stand beside a word such as session. */
  readonly sensitive: readonly string[];
  readonly sensitiveValue: boolean;
  readonly sensitiveFields: readonly string[];
  /** Keys of the samples that it classifies. */
  readonly keys: number;
  /** Empty where keys contain secrets. */
  readonly examples: readonly string[];
}
