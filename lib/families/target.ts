import 'server-only';
import type { Family } from '@/lib/keyspace/family';
import type { Key } from '@/lib/redis/commands';

/** A search of the keyspace: the keys that fit `match` and that `accepts` accepts. */
export interface Search {
  match: string | Buffer;
  accepts(key: Key): boolean;
  /** A family whose bare keys can only be identified by their fields. */
  confirmedFamily?: Family;
}

/** A part of a target. An entity has several, every other target one. */
export interface Branch {
  id: string;
  title: string;
  keys: Key[];
  search: Search | null;
  included: boolean;
  wider: boolean;
  known: boolean;
  /** The family that its named bare keys must belong to by their fields. */
  confirmedFamily?: Family;
}

/** The keys of an invalidation, resolved against the catalog. */
export interface Target {
  kind: 'keys' | 'family' | 'pattern' | 'entity';
  /** One line for the audit log and the jobs page, with secrets in key names masked. */
  label: string;
  branches: Branch[];
  /** Set when the target is a family. */
  family: Family | null;
}

/** The branches that the caller included. */
export const includedIn = ({ branches }: Target): Branch[] => branches.filter(({ included }) => included);

/** The target's name on charts. Viewers read charts, so it contains no names of keys. */
export const chartName = ({ family, kind, label }: Target): string =>
  family?.title ?? (kind === 'keys' ? 'Keys' : label);
