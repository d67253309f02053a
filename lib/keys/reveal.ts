import 'server-only';
import type { RecordedReadContext } from '@/lib/command/context';
import { defineRecordedRead } from '@/lib/command/define';
import type { Input } from '@/lib/contract';
import { notFound, Problem } from '@/lib/errors';
import { readKeyState } from '@/lib/key-values/key-state';
import { openKey } from '@/lib/key-values/open-key';
import { auditedName } from '@/lib/key-values/secrecy';
import { revealedAccess } from '@/lib/key-values/value-access';
import { targetOf } from './commands/update';
import { readValue } from './get';
import { readFacts } from './rows';
import { keyContracts } from './schema';

const DESCRIBED = 'The catalog calls this value secret. It is never shown here.';
const MOVED = 'This element was changed or removed, or is on another page now. Reload the list.';

const reveal = async (
  ctx: RecordedReadContext,
  { keyId, element, ...page }: Input<typeof keyContracts.reveal>,
) => {
  const identity = await openKey(ctx, keyId);
  const access = revealedAccess(ctx, identity);
  if (!access) throw new Problem('forbidden', DESCRIBED);
  const [facts] = await readFacts(ctx, [identity.key]);
  const state = facts && (await readKeyState(ctx, identity.key));
  if (!facts || !state) throw notFound('This key');
  const { string, elements } = await readValue(ctx, identity, access, [
    state,
    facts,
    { ...page, decode: true },
  ]);
  const shown = element === undefined ? elements : elements.filter(({ id }) => id === element);
  if (element !== undefined && shown.length === 0) throw new Problem('conflict', MOVED);
  const [one] = shown;
  const field = one?.field?.text == null ? null : auditedName(identity.family, Buffer.from(one.field.text));
  const { index = null, entryId = null } = one ?? {};
  return {
    result: { string, elements: shown },
    after: element === undefined ? 'page' : { index, entryId, field },
  };
};

/** keys.reveal: the audit log records who read which key and why, never the value. */
export const revealKey = defineRecordedRead({
  contract: keyContracts.reveal,
  target: targetOf,
  redact: () => ({}),
  run: reveal,
});
