import 'server-only';
import { anonymous } from '@/lib/actor';
import { displayBytes } from '@/lib/catalog/display';
import type { Family } from '@/lib/catalog/family';
import { MASK } from '@/lib/catalog/mask';
import type { Registry } from '@/lib/catalog/registry';
import type { ReadContext } from '@/lib/command/context';
import { type Cut, cutOf } from '@/lib/keys/etag';
import { type DecodingBudget, showBytes } from '@/lib/keys/show-bytes';
import { type ValueAccess, valueAccess } from '@/lib/keys/value-access';
import type { Permission } from '@/lib/permissions';
import type { NamedKey } from './stored-keys';

/** A value as the key inspector would show it, as one text. */
export interface ShownText {
  /** Null when nothing of it is shown. */
  value: string | null;
  masked: boolean;
  truncated: boolean;
}

type Access = Pick<ValueAccess, 'hidden' | 'rules' | 'isSingleValue' | 'secretMembers'>;

interface ShowTextOptions {
  catalog: Registry;
  access: Access;
  decoding?: DecodingBudget;
}

/** For ids that are read from the names of keys which the catalog describes. */
export const NAMED_BY_KEYS: ValueAccess = {
  ...{ hidden: null, needs: null, page: null, isSingleValue: false, secretMembers: false },
  rules: { strict: false, isSecretField: () => false },
};

/** What this caller may see of a key whose family is known, without reading it. */
export const accessOf = (
  ctx: Pick<ReadContext, 'actor' | 'catalog'>,
  { key, family }: NamedKey,
): ValueAccess =>
  valueAccess(ctx, {
    ...{ key, family, state: 'classified', params: family.parse(key) ?? {} },
    // Its name is shown by others.
    ...{ shown: MASK, name: MASK, shownParams: {}, secret: true, guessable: true, sensitive: family.guarded },
  });

const HIDDEN: ShownText = { value: null, masked: true, truncated: false };

const shownText = async (cut: Cut, { catalog, access, decoding }: ShowTextOptions): Promise<ShownText> => {
  const { rules, isSingleValue } = access;
  const shown = await showBytes(cut, {
    catalog,
    rules,
    isSingleValue,
    decode: false,
    ...(decoding && { decoding }),
  });
  const { text, base64, masked, truncated } = shown;
  return { value: text ?? (base64 === null ? null : displayBytes(cut.bytes)), masked, truncated };
};

/** The value of a field, masked where the field is a secret. */
export const showField = (name: string, cut: Cut, options: ShowTextOptions): Promise<ShownText> => {
  const { hidden, rules } = options.access;
  return hidden || rules.isSecretField(name) ? Promise.resolve(HIDDEN) : shownText(cut, options);
};

/** A member of a collection. */
export const showMember = (cut: Cut, options: ShowTextOptions): Promise<ShownText> => {
  const { hidden, secretMembers } = options.access;
  return hidden || secretMembers ? Promise.resolve(HIDDEN) : shownText(cut, options);
};

interface ReferenceFacts {
  isId: boolean;
  /** The field of a record whose value it is; null for a member. */
  field?: string | null;
}

/**
 * A member or a field that should be an id. Where an application has keys named by user name and password, any other text
 * may be such a name.
 */
export const showReference = (
  cut: Cut,
  { isId, field = null }: ReferenceFacts,
  options: ShowTextOptions,
): Promise<ShownText> => {
  if (!isId && options.catalog.locate(cut.bytes).candidate !== null) return Promise.resolve(HIDDEN);
  return field === null ? showMember(cut, options) : showField(field, cut, options);
};

/** A text that the name of a key has, of a family without secrets in its names. */
export const showNamePart = async (catalog: Registry, text: string): Promise<string> =>
  (await showMember(cutOf(Buffer.from(text)), { catalog, access: NAMED_BY_KEYS })).value ?? MASK;

/** Whether this caller may see nothing of the values of a family. */
export const isHiddenFamily = (ctx: Pick<ReadContext, 'actor' | 'catalog'>, family: Family): boolean =>
  accessOf(ctx, { key: Buffer.alloc(0), family }).hidden !== null;

const NOBODY = anonymous();

/** The permission that the values of a family need beyond `keys:view`. */
export const permissionOf = (catalog: Registry, family: Family): Permission | null =>
  accessOf({ actor: NOBODY, catalog }, { key: Buffer.alloc(0), family }).needs;
