import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { readValue } from '@/lib/values/string-value';
import { flagKey } from './names';
import { stateOf } from './state';

/** The stored text of a flag now, as lists show it; null if it does not exist, looks secret or is not text. */
export const currentText = async (ctx: ReadContext, name: string): Promise<string | null> => {
  const key = flagKey(ctx, name);
  const value = key ? await readValue(ctx.reader, key) : null;
  return value ? stateOf(name, value).raw : null;
};
