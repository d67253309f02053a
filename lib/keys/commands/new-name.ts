import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { badField, badInput, type FieldError } from '@/lib/errors';
import type { BytesInput } from '@/lib/key-values/schema';
import { encodeText } from '@/lib/keyspace/bytes';
import type { Family, Params } from '@/lib/keyspace/family';
import { fitsGrammar } from '@/lib/keyspace/pattern';
import type { Key } from '@/lib/redis/commands';

/** The longest name that can be given here. Redis allows 512 MB. */
const MAX_NAME_BYTES = 64 * 1024;

export interface NameInput {
  family?: string | undefined;
  params?: Params | undefined;
  name?: BytesInput | undefined;
}

/** One error per parameter that is missing, unknown, or outside its grammar. Never repeats a value: it may be a secret. */
const paramErrors = (family: Family, params: Readonly<Params>): FieldError[] => {
  const of = (name: string, message: string): FieldError => ({ path: `params.${name}`, message });
  const unknown = Object.keys(params).filter((name) => !family.paramNames.includes(name));
  return [
    ...unknown.map((name) => of(name.slice(0, 100), 'This family has no such parameter.')),
    ...family.compiled.params.flatMap(({ name, grammar }) => {
      if (!Object.hasOwn(params, name)) return [of(name, 'This parameter is missing.')];
      return fitsGrammar(grammar, encodeText(params[name]!)) ? [] : [of(name, `Not ${grammar.description}.`)];
    }),
  ];
};

const keyOfFamily = (ctx: Pick<ReadContext, 'catalog'>, id: string, params: Readonly<Params>): Key => {
  const family = ctx.catalog.get(id);
  if (!family) throw badField('family', 'This connection has no such family.');
  const errors = paramErrors(family, params);
  if (errors.length > 0) throw badInput(errors);
  let key: Key;
  try {
    key = family.key(params);
  } catch {
    const path = family.paramNames.length === 1 ? `params.${family.paramNames[0]}` : 'params';
    throw badField(path, 'These values together do not make a name of this family.');
  }
  const found = ctx.catalog.locate(key);
  if ((found.candidate ?? found.family) !== family)
    throw badField('params', `A key of this name belongs to ${found.family?.id ?? 'no family'}.`);
  return key;
};

/** The key of a new name. Throws 400 naming the parameter, and for a name that is empty or longer than 64 KiB. */
export const newKeyOf = (ctx: Pick<ReadContext, 'catalog'>, input: NameInput): Key => {
  const { family, params = {}, name } = input;
  if (family !== undefined) return keyOfFamily(ctx, family, params);
  const bytes = 'text' in name! ? Buffer.from(name.text) : Buffer.from(name!.base64, 'base64');
  if (bytes.length === 0) throw badField('name', 'A name is missing.');
  if (bytes.length > MAX_NAME_BYTES) throw badField('name', 'A name has at most 64 KiB.');
  return bytes;
};
