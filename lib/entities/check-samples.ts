import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { keyIdOf } from '@/lib/command/key-ids';
import { identify, type KeyIdentity } from '@/lib/key-values/identity';
import { type ValueAccess, valueAccess } from '@/lib/key-values/value-access';
import { cutName, displayBytes } from '@/lib/keyspace/display';
import { MASK } from '@/lib/keyspace/mask';
import type { RawSample } from './check-counts';
import { type CheckResult, MAX_ID_LENGTH } from './schema';
import { showReference } from './show';

type Context = Pick<ReadContext, 'actor' | 'catalog' | 'connection' | 'reader'>;
type Sample = CheckResult['samples'][number];
type RawMember = NonNullable<RawSample['member']>;

const MAX_SHOWN = 100;

const cut = (text: string): string => cutName(displayBytes(Buffer.from(text)), MAX_SHOWN);

const shownMember = async (ctx: Context, member: RawMember, access: ValueAccess): Promise<string> => {
  const shown = await showReference(member, member, { catalog: ctx.catalog, access });
  return shown.value === null ? MASK : cut(shown.value);
};

const shownSample = async (ctx: Context, raw: RawSample, identity: KeyIdentity): Promise<Sample> => {
  const { problem, family, key, member, detail, owner } = raw;
  const entity = owner?.relation.owner;
  // The id is part of the name, which may be masked.
  const isShown = entity && owner && !identity.secret && owner.id.length <= MAX_ID_LENGTH;
  return {
    problem,
    family,
    detail,
    key: identity.shown,
    keyId: keyIdOf(ctx, key),
    member: member && (await shownMember(ctx, member, valueAccess(ctx, identity))),
    entity: isShown ? { kind: entity.kind, app: entity.app, id: owner.id } : null,
  };
};

/** The examples of a check as stored in its result: without secrets, and cut. */
export const shownSamples = async (ctx: Context, samples: readonly RawSample[]): Promise<Sample[]> => {
  const identities = await identify(
    ctx,
    samples.map(({ key }) => key),
  );
  return Promise.all(samples.map((raw, i) => shownSample(ctx, raw, identities[i]!)));
};
