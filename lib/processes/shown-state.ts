import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Cut } from '@/lib/key-values/etag';
import { rulesForFields } from '@/lib/key-values/secret-spans';
import { showText } from '@/lib/key-values/show-text';
import { accessOf, type ValueAccess } from '@/lib/key-values/value-access';
import { displayBytes } from '@/lib/keyspace/display';
import { maxTtlOf } from '@/lib/keyspace/family';
import { MASK } from '@/lib/keyspace/mask';
import { isoOrNull, SECOND } from '@/lib/time';
import { readTime } from '@/lib/values/read-time';
import { firstOf, plainName, STATUS_NAMES } from './named-values';
import type { ProcessState, StateField } from './schema';
import type { KnownState } from './shared-states';
import type { StoredState } from './stored-state';
import { judgeState } from './stuck';

/** Maximum bytes of a value shown. */
const MAX_SHOWN_BYTES = 1024;
/** Limits for decoding the fields of a state, to find secrets in them. */
const MAX_DECODED_BYTES = 256 * 1024;
const MAX_DECODING_MS = 20;

const shorter = ({ bytes, length }: Cut): Cut => ({ bytes: bytes.subarray(0, MAX_SHOWN_BYTES), length });

/** A plain number is a time only if its field's name suggests one. */
const TIME_NAME = /(?:at|time|date|seen|timestamp|created|updated|started|heartbeat|activity)$/;

const timeOf = (name: string, value: string | null): string | null =>
  value === null || (/^[\d.]+$/.test(value) && !TIME_NAME.test(plainName(name)))
    ? null
    : isoOrNull(readTime(value));

const showFields = async (
  { catalog }: ReadContext,
  access: ValueAccess,
  { fields }: StoredState,
): Promise<StateField[]> => {
  const decoding = { bytesLeft: MAX_DECODED_BYTES, msLeft: MAX_DECODING_MS };
  const options = { catalog, access, decoding };
  const shown: StateField[] = [];
  const rules = rulesForFields(
    access.rules,
    fields.map(({ name, value }) => [name, value]),
  );
  // Sequentially, because decoders need memory.
  for (const { name, value } of fields) {
    const title = await showText(shorter(name), options);
    const isSecret = rules.isSecretField(name.bytes.toString('utf8'));
    const text = isSecret
      ? { value: null, masked: true, truncated: false }
      : await showText(shorter(value), options);
    shown.push({
      name: title.value ?? MASK,
      ...text,
      time: text.masked ? null : timeOf(displayBytes(name.bytes), text.value),
    });
  }
  return shown;
};

const MAX_STATUS_BYTES = 80;

/** The status is masked like its field. */
const statusOf = async (
  { catalog }: ReadContext,
  access: ValueAccess,
  { values }: StoredState,
): Promise<string | null> => {
  const status = firstOf(values, STATUS_NAMES);
  if (status === null) return null;
  const bytes = Buffer.from(status).subarray(0, MAX_STATUS_BYTES);
  return (await showText({ bytes, length: bytes.length }, { catalog, access })).value ?? MASK;
};

/** A state for the answer at `now`, epoch ms: judged by its values, secrets masked. */
export const showState = async (
  ctx: ReadContext,
  { known, stored, now }: { known: KnownState; stored: StoredState; now: number },
): Promise<ProcessState> => {
  const { keyId, family, shown } = known;
  const { type, expiresAt, values, problem, fieldsTotal } = stored;
  const access = accessOf(ctx, known);
  const judgement = judgeState({ values, ttl: family.ttl, hasTtl: expiresAt !== null, now });
  return {
    keyId,
    ...shown,
    type,
    status: access.hidden ? null : await statusOf(ctx, access, stored),
    ...judgement,
    fields: access.hidden ? [] : await showFields(ctx, access, stored),
    fieldsTotal,
    ttlSeconds: expiresAt === null ? null : Math.max(0, Math.ceil((expiresAt - now) / SECOND)),
    maxTtlSeconds: maxTtlOf(family.ttl),
    stuck: judgement.stuckReasons.length > 0,
    problem,
    family: family.id,
    app: family.app,
  };
};
