import 'server-only';
import { settingsIdOf } from '@/lib/actor';
import type { ReadContext } from '@/lib/command/context';
import { defineCommand } from '@/lib/command/define';
import { keyOfId, MAX_KEY_BYTES } from '@/lib/command/key-ids';
import { badField, notFound, Problem } from '@/lib/errors';
import { sealSame } from '@/lib/keyring';
import { displayKey } from '@/lib/keyspace/display';
import { MASK } from '@/lib/keyspace/mask';
import { type MetricKey, seriesIdOf } from './metric-keys';
import { shownPin } from './pinned';
import { deletePin, type Pin, readPin, writePin } from './pins';
import { readShared } from './readings';
import { fieldIn, findMetric } from './reads';
import { MAX_PINS, metricContracts } from './schema';
import { shownField } from './show-figure';

/** The name of a field, as it is stored now. */
const storedField = async (ctx: ReadContext, metric: MetricKey, fieldId: string): Promise<Buffer> => {
  const [reading] = await readShared(ctx.connection, [metric]);
  const found = fieldIn(reading!, fieldId);
  if (!found) throw notFound('This field');
  if (!found.isWhole) throw badField('fieldId', 'The name of this field is too long.');
  return found.field;
};

const labelOf = ({ catalog }: ReadContext, { key }: MetricKey, field: Buffer | null): string =>
  displayKey(key, catalog) + (field === null ? '' : `: ${shownField(field)}`);

/** metrics.pin: a setting of a user, in the console's store. A read-only connection takes it too. */
export const pinMetric = defineCommand({
  contract: metricContracts.pin,
  target: async ({ keyId }, ctx) => {
    const key = keyOfId(ctx, keyId);
    return key ? displayKey(key, ctx.catalog) : MASK;
  },
  redact: () => ({}),
  isNoOp: async () => true,
  run: async (ctx, { keyId, fieldId = null }) => {
    const metric = await findMetric(ctx, { keyId, ...(fieldId !== null && { fieldId }) });
    if (metric.key.length > MAX_KEY_BYTES)
      throw badField('keyId', `A name above ${MAX_KEY_BYTES} bytes cannot be pinned.`);
    const field = fieldId === null ? null : await storedField(ctx, metric, fieldId);
    const { id: connection } = ctx.connection.config;
    const sealed = field && sealSame('key-id', field, connection).toString('base64url');
    const pin: Pin = { id: seriesIdOf(metric.key, fieldId), keyId, fieldId, field: sealed, at: ctx.now() };
    const written = await writePin(ctx.store, connection, settingsIdOf(ctx.actor), pin);
    if (written === 'full')
      throw new Problem('conflict', `You have ${MAX_PINS} pins on this connection: remove one first.`);
    return { result: { id: pin.id }, after: { pinned: labelOf(ctx, metric, field) } };
  },
});

/** metrics.unpin */
export const unpinMetric = defineCommand({
  contract: metricContracts.unpin,
  target: async ({ id }, ctx) => {
    const pin = await readPin(ctx.store, ctx.connection.config.id, settingsIdOf(ctx.actor), id);
    return pin ? shownPin(ctx, { id, ...pin }) : 'a pin';
  },
  redact: () => ({}),
  isNoOp: async () => true,
  run: async (ctx, { id }) => {
    const { id: connection } = ctx.connection.config;
    const pin = await readPin(ctx.store, connection, settingsIdOf(ctx.actor), id);
    if (!pin || !(await deletePin(ctx.store, connection, settingsIdOf(ctx.actor), id)))
      throw notFound('This pin');
    return { result: { id }, before: { pinned: shownPin(ctx, { id, ...pin }) } };
  },
});
