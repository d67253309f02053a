import 'server-only';
import { parseJsonObject } from '@/lib/exact-json';
import type { Family } from '@/lib/keyspace/family';
import { isDigest, secretKind } from './secret-rules';

/** Fields in which hashes of unknown applications often hold secrets. */
const COMMON_FIELDS = [
  'password',
  'passwd',
  'pwd',
  'secret',
  'token',
  'access_token',
  'refresh_token',
  'accessToken',
  'refreshToken',
  'api_key',
  'apiKey',
  'private_key',
];

/** The fields of a hash that may hold secrets: those the catalog declares, otherwise the common ones. */
export const secretFieldsOf = (family: Family | null): readonly string[] =>
  family?.sensitiveFields ?? COMMON_FIELDS;

export const isClear = (value: string): boolean => value !== '' && !isDigest(value);

export const inField = (field: string): string => `field ${field}`;

/** Secrets in the clear in a string, by place and kind. */
export const secretsIn = (family: Family | null, value: Buffer): string[] => {
  const text = value.toString('utf8');
  if (family?.sensitiveValue && family.role !== 'variable')
    return isClear(text) ? ['value: declared as a secret'] : [];
  const declared = family?.sensitiveFields ?? [];
  const fields = (declared.length > 0 && parseJsonObject(text)) || {};
  const clear = declared.filter((field) => isClear(String(fields[field] ?? ''))).map(inField);
  const kind = secretKind(text, family?.role !== 'variable');
  return kind ? [...clear, `value: ${kind}`] : clear;
};

/** Like `secretsIn`, for the elements of a collection. */
export const secretsAmong = (family: Family | null, elements: readonly Buffer[]): string[] => {
  const byEntropy = family?.role !== 'variable';
  const kinds = elements.map((element) => secretKind(element.toString('utf8'), byEntropy));
  const kind = kinds.find((found) => found !== null);
  return kind ? [`element: ${kind}`] : [];
};
