import 'server-only';
import { displayBytes } from '@/lib/catalog/display';
import { MASK } from '@/lib/catalog/mask';
import type { ReadContext } from '@/lib/command/context';
import { keyIdOf } from '@/lib/command/key-ids';
import { identify, type KeyIdentity } from '@/lib/keys/identity';
import { type ValueAccess, valueAccess } from '@/lib/keys/value-access';
import type { RawSample } from './check-counts';
import { type CheckResult, MAX_ID_LENGTH } from './schema';
import { showField, showMember } from './show';

type Context = Pick<ReadContext, 'actor' | 'catalog' | 'connection' | 'reader'>;
type Sample = CheckResult['samples'][number];
type RawMember = NonNullable<RawSample['member']>;

const MAX_SHOWN = 100;

const cut = (text: string): string => displayBytes(Buffer.from(text), MAX_SHOWN);

/** What is no id may be anything: a user name and a password, where the application has keys of that name. */
const mayBeKey = ({ catalog }: Context, { bytes, isId }: RawMember): boolean =>
  !isId && catalog.locate(bytes).candidate !== null;

const shownMember = async (ctx: Context, member: RawMember, access: ValueAccess): Promise<string> => {
  if (mayBeKey(ctx, member)) return MASK;
  const options = { catalog: ctx.catalog, access };
  const shown = await (member.field === null
    ? showMember(member, options)
    : showField(member.field, member, options));
  return shown.value === null ? MASK : cut(shown.value);
};

const shownSample = async (ctx: Context, raw: RawSample, identity: KeyIdentity): Promise<Sample> => {
  const { problem, family, key, member, detail, owner } = raw;
  const entity = owner?.relation.owner;
  // The id is part of the name, which may be masked.
  const isShown = entity && owner && !identity.secret && owner.id.length <= MAX_ID_LENGTH;
  return {
    ...{ problem, family, detail, key: identity.shown, keyId: keyIdOf(ctx, key) },
    member: member && (await shownMember(ctx, member, valueAccess(ctx, identity))),
    entity: isShown ? { kind: entity.kind, app: entity.app, id: owner.id } : null,
  };
};

/** The examples of a check as its result stores them: without secrets, and cut. */
export const shownSamples = async (ctx: Context, samples: readonly RawSample[]): Promise<Sample[]> => {
  const identities = await identify(
    ctx,
    samples.map(({ key }) => key),
  );
  return Promise.all(samples.map((raw, i) => shownSample(ctx, raw, identities[i]!)));
};
