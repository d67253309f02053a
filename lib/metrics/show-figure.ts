import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { displayBytes, displayName } from '@/lib/keyspace/display';
import type { Family } from '@/lib/keyspace/family';
import { maskSecrets, withoutLastRun } from '@/lib/keyspace/mask';
import { isDescribedSecret } from '@/lib/keyspace/secret-name';
import { may } from '@/lib/permissions';
import type { StoredField } from './fields';
import type { Figure } from './figure';
import type { MetricProblem } from './schema';

export interface Shown {
  value: number | null;
  text: string | null;
  problem: MetricProblem | null;
}

const SECRET: Shown = { value: null, text: null, problem: 'secret' };

type Reader = Pick<ReadContext, 'actor'>;

/** Values of other kinds may be anything, so only those who may look at keys see their beginning. */
const seesText = ({ actor }: Reader): boolean => actor.role !== null && may(actor.role, 'keys:view');

const textOf = (beginning: Buffer, length: number): string => {
  const isCut = beginning.length < length;
  const shown = displayBytes(beginning);
  return isCut ? `${maskSecrets(withoutLastRun(shown), true)}…` : maskSecrets(shown, true);
};

const showFigure = (ctx: Reader, { value, digits, beginning, length, problem }: Figure): Shown => ({
  value,
  text: beginning !== null && seesText(ctx) ? textOf(beginning, length) : digits,
  problem,
});

/** The value of a metric as this caller may see it. */
export const showMetric = (ctx: Reader, family: Family, figure: Figure): Shown =>
  family.sensitiveValue ? SECRET : showFigure(ctx, figure);

/** Whether a field holds a secret: the key inspector masks the same ones. They are neither shown nor sampled. */
export const isSecretField = (family: Family, field: Buffer): boolean => {
  const name = field.toString('utf8');
  return (
    (family.sensitiveValue || family.sensitiveFields?.includes(name) || isDescribedSecret(name)) ?? false
  );
};

/** A field as this caller may see it. */
export const showField = (ctx: Reader, family: Family, stored: StoredField): Shown =>
  isSecretField(family, stored.field) ? SECRET : showFigure(ctx, stored);

const MAX_NAME = 100;

/** The name of a field for display. */
export const shownField = (field: Buffer): string => displayName(field, MAX_NAME);
