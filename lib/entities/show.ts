import 'server-only';
import { anonymous } from '@/lib/actor';
import type { ReadContext } from '@/lib/command/context';
import { type Cut, cutOf } from '@/lib/key-values/etag';
import { type ShownText, type ShowTextOptions, showText } from '@/lib/key-values/show-text';
import { accessOf, type ValueAccess } from '@/lib/key-values/value-access';
import type { Family } from '@/lib/keyspace/family';
import { MASK } from '@/lib/keyspace/mask';
import type { Registry } from '@/lib/keyspace/registry';
import type { Permission } from '@/lib/permissions';

/** For ids in the names of keys that the catalog describes. */
export const NAMED_BY_KEYS: ValueAccess = {
  hidden: null,
  needs: null,
  page: null,
  isSingleValue: false,
  secretMembers: false,
  rules: { strict: false, isSecretField: () => false },
};

const HIDDEN: ShownText = { value: null, masked: true, truncated: false };

/** The value of a field, masked if the field is secret. */
export const showField = (name: string, cut: Cut, options: ShowTextOptions): Promise<ShownText> => {
  const { hidden, rules } = options.access;
  return hidden || rules.isSecretField(name) ? Promise.resolve(HIDDEN) : showText(cut, options);
};

export const showMember = (cut: Cut, options: ShowTextOptions): Promise<ShownText> => {
  const { hidden, secretMembers } = options.access;
  return hidden || secretMembers ? Promise.resolve(HIDDEN) : showText(cut, options);
};

interface ReferenceFacts {
  isId: boolean;
  /** The record's field with this value; null for a member. */
  field?: string | null;
}

/**
 * A member or a field that should be an id. Where an application has keys containing user name and password, any other
 * text may be such a name.
 */
export const showReference = (
  cut: Cut,
  { isId, field = null }: ReferenceFacts,
  options: ShowTextOptions,
): Promise<ShownText> => {
  if (!isId && options.catalog.locate(cut.bytes).candidate !== null) return Promise.resolve(HIDDEN);
  return field === null ? showMember(cut, options) : showField(field, cut, options);
};

/** Text in the name of a key, for a family without secrets in its names. */
export const showNamePart = async (catalog: Registry, text: string): Promise<string> =>
  (await showMember(cutOf(Buffer.from(text)), { catalog, access: NAMED_BY_KEYS })).value ?? MASK;

/** Whether this caller may see nothing of a family's values. */
export const isHiddenFamily = (ctx: Pick<ReadContext, 'actor' | 'catalog'>, family: Family): boolean =>
  accessOf(ctx, { key: Buffer.alloc(0), family }).hidden !== null;

const NOBODY = anonymous();

/** The permission for the values of a family, in addition to `keys:view`. */
export const permissionOf = (catalog: Registry, family: Family): Permission | null =>
  accessOf({ actor: NOBODY, catalog }, { key: Buffer.alloc(0), family }).needs;
