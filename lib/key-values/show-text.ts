import 'server-only';
import { displayBytes } from '@/lib/keyspace/display';
import type { Registry } from '@/lib/keyspace/registry';
import type { Cut } from './etag';
import { type DecodingBudget, showBytes } from './show-bytes';
import type { ValueAccess } from './value-access';

/** A value as the key inspector would show it, as one text. */
export interface ShownText {
  /** Null when nothing of it is shown. */
  value: string | null;
  masked: boolean;
  truncated: boolean;
}

export interface ShowTextOptions {
  catalog: Registry;
  access: Pick<ValueAccess, 'hidden' | 'rules' | 'isSingleValue' | 'secretMembers'>;
  decoding?: DecodingBudget;
}

/** Bytes as text, with secrets masked. Whether the caller may see them is decided before. */
export const showText = async (
  cut: Cut,
  { catalog, access, decoding }: ShowTextOptions,
): Promise<ShownText> => {
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
