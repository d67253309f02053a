import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { type IdentifiedKey, identifyKeys } from '@/lib/command/identify-keys';
import { cutName, displayParams, maskedName } from '@/lib/keyspace/display';
import type { Family, Params } from '@/lib/keyspace/family';
import { MASK } from '@/lib/keyspace/mask';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key } from '@/lib/redis/commands';

/** What the catalog says of a key, with its name for display. */
export interface KeyIdentity {
  key: Key;
  /** For display. */
  shown: string;
  /** As `shown`, without its limit of 200 characters. */
  name: string;
  /** The family; of a malformed key the one it resembles. */
  family: Family | null;
  state: 'classified' | 'malformed' | 'unclassified';
  /** As in the key, with its secrets. Empty unless classified. */
  params: Params;
  /** For display. */
  shownParams: Params;
  /** The name contains a secret, or something that looks like one. */
  secret: boolean;
  /**
   * The name may be a secret that people can guess (user name and password): only an id that this console issued opens
   * such a key.
   */
  guessable: boolean;
  /** A session, token, variable or lock, or unknown. */
  sensitive: boolean;
}

const stateOf = ({ family, malformedOf }: IdentifiedKey): KeyIdentity['state'] => {
  if (family) return 'classified';
  return malformedOf ? 'malformed' : 'unclassified';
};

const identityOf = (catalog: Registry, key: Key, identified: IdentifiedKey): KeyIdentity => {
  const { family, malformedOf, isSettled } = identified;
  const named = family ?? malformedOf;
  const name = maskedName(key, catalog, !family && isSettled);
  const params = family?.parse(key) ?? {};
  const secret = name.includes(MASK);
  const { secretOf, candidate } = catalog.locate(key);
  return {
    key,
    shown: cutName(name),
    name,
    family: named,
    state: stateOf(identified),
    params,
    shownParams: family && Object.keys(params).length > 0 ? displayParams(family, params, catalog) : {},
    secret,
    // A marker holds the name of another key, which may be one.
    guessable:
      secret && [named?.sensitive, named?.innerKey, secretOf, candidate].some((each) => each != null),
    sensitive: named?.guarded ?? true,
  };
};

/** Identifies keys, in order. Only keys whose name is ambiguous cost commands. */
export const identify = async (
  { reader, catalog }: Pick<ReadContext, 'reader' | 'catalog'>,
  keys: readonly Key[],
): Promise<KeyIdentity[]> => {
  const identified = await identifyKeys(reader, catalog, keys);
  return keys.map((key, i) => identityOf(catalog, key, identified[i]!));
};
