import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { KeyIdentity } from '@/lib/key-values/identity';
import { readAttributes } from '@/lib/key-values/raw-elements';
import { showBytes } from '@/lib/key-values/show-bytes';
import type { ValueAccess } from '@/lib/key-values/value-access';
import type { Key } from '@/lib/redis/commands';
import { withoutPermission } from '@/lib/redis/failure';
import { bytesOfName } from '@/lib/visible-text';
import { readElements, VECTOR_SET } from './elements';
import type { KeyDetails } from './schema';

type Context = Pick<ReadContext, 'connection' | 'catalog' | 'reader' | 'signal'>;
type VectorSet = NonNullable<KeyDetails['vectorSet']>;

/** Names and values, alternating: a newer server may add some. */
const factsOf = (flat: readonly unknown[]): VectorSet['facts'] =>
  Array.from({ length: Math.floor(flat.length / 2) }, (_, i) => ({
    name: String(flat[2 * i]),
    value: String(flat[2 * i + 1]),
  }));

/** A vector in an answer; the largest that servers take has 65 536 dimensions. */
const MAX_DIMENSIONS = 4096;
/** Elements at random, so that there are names to begin with. */
const SAMPLE_SIZE = 50;

const readElement = async (
  ctx: Context,
  key: Key,
  { rules }: Pick<ValueAccess, 'rules'>,
  name: string,
): Promise<VectorSet['element']> => {
  const element = Buffer.from(bytesOfName(name));
  const vector = await ctx.reader.read(['VEMB', key, element]);
  if (!vector) return null;
  const attributes = await readAttributes(ctx, key, element).catch(withoutPermission(null));
  return {
    vector: vector.slice(0, MAX_DIMENSIONS).map(Number),
    dimensions: vector.length,
    attributes: attributes && (await showBytes(attributes, { catalog: ctx.catalog, rules, decode: false })),
  };
};

/**
 * What the server says of a vector set (Redis ≥ 8), and some of its elements, or the vector of the one with this name;
 * null where our user may not ask.
 */
export const readVectorSet = async (
  ctx: Context,
  identity: KeyIdentity,
  access: ValueAccess,
  name: string | undefined,
): Promise<(Pick<KeyDetails, 'elements'> & { length: number; vectorSet: VectorSet }) | null> => {
  const { key } = identity;
  try {
    const length = await ctx.reader.read(['VCARD', key]);
    const facts = factsOf((await ctx.reader.read(['VINFO', key])) ?? []);
    if (name !== undefined) {
      // Whether an element exists would say which secrets do.
      const element = access.secretMembers ? null : await readElement(ctx, key, access, name);
      return { length, elements: [], vectorSet: { facts, element } };
    }
    const type = VECTOR_SET;
    const page = {
      cursor: undefined,
      match: undefined,
      limit: SAMPLE_SIZE,
      memoryBytes: null,
      decode: false,
    };
    const { elements } = await readElements(ctx, { identity, type, length, access, ...page }).catch(
      withoutPermission({ elements: [] }),
    );
    return { length, elements, vectorSet: { facts, element: null } };
  } catch (error) {
    return withoutPermission(null)(error);
  }
};
