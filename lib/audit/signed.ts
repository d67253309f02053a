import 'server-only';
import type { z } from 'zod';
import { digest, sameDigest } from '@/lib/keyring';
import { parseStored } from '@/lib/stored-json';

const MAC_LENGTH = 43;

const macOf = (kind: string, text: string): string => digest('audit-chain', `${kind}\n${text}`, MAC_LENGTH);

/** Serialises a value with a MAC, so that only a console can have written it. */
export const signed = (kind: string, value: unknown): string => {
  const text = JSON.stringify(value);
  return `${macOf(kind, text)}${text}`;
};

/** Null where there is no value, its MAC is invalid, or it does not match the schema. */
export const readSigned = <S extends z.ZodType>(
  kind: string,
  schema: S,
  stored: string | null | undefined,
): z.output<S> | null => {
  const mac = stored?.slice(0, MAC_LENGTH) ?? '';
  const text = stored?.slice(MAC_LENGTH) ?? '';
  return sameDigest(mac, macOf(kind, text)) ? parseStored(schema, text) : null;
};
