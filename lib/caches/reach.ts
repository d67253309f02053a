import 'server-only';
import type { Family } from '@/lib/catalog/family';
import type { Key } from '@/lib/redis/commands';

/** Keys that are found by going through the keyspace: `accepts` says of each that fits `match` whether it is meant. */
export interface Search {
  match: string | Buffer;
  accepts(key: Key): boolean;
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

/** What is meant to go: keys that are named, each once, and searches for the others. */
export const reachOf = ({ branches }: Target): { keys: Key[]; searches: Search[] } => {
  const included = branches.filter((branch) => branch.included);
  const keys = new Map(included.flatMap((branch) => branch.keys.map((key) => [key.toString('latin1'), key])));
  const searches = included.flatMap(({ search }) => (search ? [search] : []));
  return { keys: [...keys.values()], searches };
};
