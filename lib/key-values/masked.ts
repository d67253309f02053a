import 'server-only';
import { setImmediate } from 'node:timers/promises';
import type { ReadContext } from '@/lib/command/context';
import { badField, Problem } from '@/lib/errors';
import type { KeyIdentity } from './identity';
import { secretSpans, showBytes } from './show-bytes';
import { type ValueAccess, valueAccess } from './value-access';

/** A part of a value, as an answer would show it. */
export interface ValuePart {
  bytes: Buffer;
  /** For a hash or an entry. */
  field?: Buffer;
  /** For a set, a sorted set or a list. */
  isMember?: true;
}

/** Beyond four of them a value is examined slice by slice, with a turn of the event loop in between. */
const SLICE_BYTES = 256 * 1024;

const isMaskedText = async (
  { catalog }: Pick<ReadContext, 'catalog'>,
  { rules, isSingleValue }: ValueAccess,
  bytes: Buffer,
): Promise<boolean> => {
  if (bytes.length <= 4 * SLICE_BYTES) {
    const options = { catalog, rules, isSingleValue, decode: false };
    return (await showBytes({ bytes, length: bytes.length }, options)).masked;
  }
  for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
    if (secretSpans(bytes.subarray(from, from + SLICE_BYTES), rules, false).length > 0) return true;
    await setImmediate();
  }
  return false;
};

/** Whether a part is masked where the key is shown. */
export const isMasked = async (
  ctx: Pick<ReadContext, 'catalog'>,
  access: ValueAccess,
  { bytes, field, isMember }: ValuePart,
): Promise<boolean> => {
  if (isMember && access.secretMembers) return true;
  if (field && access.rules.isSecretField(field.toString('utf8'))) return true;
  return (
    (field !== undefined && (await isMaskedText(ctx, access, field))) || isMaskedText(ctx, access, bytes)
  );
};

const MASKED = 'This is a secret, which is masked: change it on the page of its family, or delete the key.';

/** Throws 400 where a part to be edited is masked, because whoever edits it has not seen it; 403 for a hidden value. */
export const refuseMasked = async (
  ctx: Pick<ReadContext, 'actor' | 'catalog'>,
  identity: KeyIdentity,
  parts: readonly ValuePart[],
): Promise<void> => {
  const access = valueAccess(ctx, identity);
  if (access.hidden === 'permission')
    throw new Problem('forbidden', `This needs the permission ${access.needs}.`);
  const refusal = badField('edit', MASKED);
  if (access.hidden) throw refusal;
  for (const part of parts) if (await isMasked(ctx, access, part)) throw refusal;
};
