import 'server-only';
import type { Family } from '@/lib/catalog/family';
import type { Key } from '@/lib/redis/commands';

/** Keys that are found by going through the keyspace: `accepts` says of each that fits `match` whether it is meant. */
export interface Search {
  match: string | Buffer;
  accepts(key: Key): boolean;
  /** The family whose keys only their fields tell, where these are meant. */
  confirmedFamily?: Family;
}

/** A part of what is reached; an entity has several, everything else one. */
export interface Branch {
  id: string;
  title: string;
  keys: Key[];
  search: Search | null;
  included: boolean;
  wider: boolean;
  known: boolean;
}

/** What an invalidation reaches, resolved against the catalog. */
export interface Target {
  kind: 'keys' | 'family' | 'pattern' | 'entity';
  /** In one line for the audit log and the jobs page: secrets inside key names are masked. */
  label: string;
  branches: Branch[];
  /** The family, where the target is one. */
  family: Family | null;
}

/** The branches that the caller included. */
export const includedIn = ({ branches }: Target): Branch[] => branches.filter(({ included }) => included);

/** The target as charts name it. Viewers read charts, so the names of keys are left out. */
export const chartName = ({ family, kind, label }: Target): string =>
  family?.title ?? (kind === 'keys' ? 'Keys' : label);
