import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Impact } from '@/lib/command/define';
import { readKeyState } from '@/lib/key-values/key-state';
import { openKey } from '@/lib/key-values/open-key';

/** One key, with its type and length. Throws 404 where it does not exist. */
export const impactOnKey = async (ctx: ReadContext, { keyId }: { keyId: string }): Promise<Impact> => {
  const { key } = await openKey(ctx, keyId);
  const state = await readKeyState(ctx, key);
  return { count: 1, facts: { type: state?.type ?? null, length: state?.length ?? null } };
};
