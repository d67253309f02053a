import 'server-only';
import type { Family, Params } from '@/lib/keyspace/family';

/** The parameter that contains a part of a role; null where the part is elsewhere, or not declared. */
export const paramOf = (family: Family, name: string): string | null => {
  const part = family.part(name);
  return part && 'param' in part ? part.param : null;
};

/** A part of a role among the parameters of a key; null where they do not contain it. */
export const partIn = (family: Family, params: Readonly<Params> | null, name: string): string | null =>
  params?.[paramOf(family, name) ?? ''] ?? null;
