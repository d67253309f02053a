import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { type Cut, cutOf } from '@/lib/key-values/etag';
import { type DecodingBudget, wholeCharacters } from '@/lib/key-values/show-bytes';
import type { ValueAccess } from '@/lib/key-values/value-access';
import type { EntityDefinition } from '@/lib/keyspace/entities';
import { canonicalId } from '@/lib/keyspace/entity-ids';
import { MASK } from '@/lib/keyspace/mask';
import { textOf } from '@/lib/values/string-value';
import { readRefs } from './references';
import { type EntityRef, MAX_ID_LENGTH } from './schema';
import { NAMED_BY_KEYS, showReference } from './show';

type Context = Pick<ReadContext, 'actor' | 'catalog' | 'reader'>;

/** An element of a relation, as stored. */
export interface Element {
  cut: Cut;
  /** For a sorted set, in Redis' notation. */
  score: string | null;
}

interface Owner {
  entity: EntityDefinition;
  id: string;
}

const MAX_DECODED_BYTES = 2 ** 20;
const MAX_DECODING_MS = 100;

/** Limits for decoding the elements of an answer. */
export const decodingBudget = (): DecodingBudget => ({
  bytesLeft: MAX_DECODED_BYTES,
  msLeft: MAX_DECODING_MS,
});

/** The id in an element; null where it cannot be one, undefined where it is cut and may be one. */
export const idOf = (target: EntityDefinition | null, { bytes, length }: Cut): string | null | undefined => {
  const isCut = bytes.length < length;
  const text = textOf(isCut ? wholeCharacters(bytes) : bytes);
  const id = target && text !== null ? canonicalId(target, text) : null;
  return isCut && id !== null ? undefined : id;
};

const isSame = (a: EntityDefinition | null, b: EntityDefinition): boolean =>
  a !== null && a.app === b.app && a.kind === b.kind;

/** Elements for an answer, in order, with whether their text is hidden. */
export const refsWithMasks = async (
  ctx: Context,
  target: EntityDefinition | null,
  elements: readonly Element[],
  { access, owner }: { access: ValueAccess; owner: Owner | null },
): Promise<{ ref: EntityRef; masked: boolean }[]> => {
  // Hidden elements are not looked up either.
  const ids = elements.map(({ cut }) => (access.hidden ? undefined : idOf(target, cut)));
  const known = ids.filter((id) => typeof id === 'string');
  const references = target ? (await readRefs(ctx, target, known)).values() : [].values();
  const options = { catalog: ctx.catalog, access, decoding: decodingBudget() };
  const refs: { ref: EntityRef; masked: boolean }[] = [];
  for (const [i, { cut, score }] of elements.entries()) {
    const id = ids[i];
    const { value, masked } = await showReference(cut, { isId: !target || id !== null }, options);
    const unknown = { exists: target && id === null ? false : null, title: null };
    const { exists, title } = typeof id === 'string' ? references.next().value! : unknown;
    const ref: EntityRef = {
      kind: target?.kind ?? null,
      app: target?.app ?? null,
      id: value ?? MASK,
      title: masked ? null : title,
      exists,
      score,
      linkable: typeof id === 'string' && !masked && id.length <= MAX_ID_LENGTH,
      self: owner !== null && id === owner.id && isSame(target, owner.entity),
    };
    refs.push({ ref, masked });
  }
  return refs;
};

/** Elements for an answer, in order: their ids masked like any value, their titles, and whether they are stored. */
export const refsOf = async (...asked: Parameters<typeof refsWithMasks>): Promise<EntityRef[]> =>
  (await refsWithMasks(...asked)).map(({ ref }) => ref);

/** As `refsOf`, for ids that names of keys contain. */
export const refsOfIds = (
  ctx: Context,
  target: EntityDefinition | null,
  ids: readonly string[],
  owner: Owner | null = null,
): Promise<EntityRef[]> => {
  const elements = ids.map((id) => ({ cut: cutOf(Buffer.from(id)), score: null }));
  return refsOf(ctx, target, elements, { access: NAMED_BY_KEYS, owner });
};
