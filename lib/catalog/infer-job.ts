import 'server-only';
import { z } from 'zod';
import { APP_IDS } from '@/lib/apps';
import type { JobDefinition } from '@/lib/jobs/define';
import { shareProgress } from '@/lib/jobs/share-progress';
import { createLocator } from '@/lib/keyspace/classify';
import { displayUnclassified } from '@/lib/keyspace/display';
import type { Family } from '@/lib/keyspace/family';
import { catalogYaml, inferFamilies, type KeySample, type ProposedFamily } from '@/lib/keyspace/infer';
import type { TtlInFile } from '@/lib/keyspace/own/definition';
import { ownCatalogs } from '@/lib/keyspace/own/load';
import { problemText } from '@/lib/keyspace/own/problems';
import { readCatalogText } from '@/lib/keyspace/own/read';
import { checkTogether } from '@/lib/keyspace/own/together';
import type { Registry } from '@/lib/keyspace/registry';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { catalogContracts, type Inference } from './schema';
import { collectUnclassified } from './unclassified-keys';

const payload = z.strictObject({ prefixes: z.array(z.string()).nullable() });

/** A job's record has its result: more families would make a file that nobody reads. */
const MAX_PROPOSED = 200;
/** A name for the proposed file's application that no other one of the connection has. */
const appFor = ({ config }: ConnectionHandle): string => {
  const taken = new Set<string>([
    'console',
    ...APP_IDS,
    ...ownCatalogs(config.catalogs).map(({ app }) => app),
  ]);
  const words = config.id.split('-').filter((word) => word !== '');
  const name = /^[a-z]/u.test(words[0] ?? '') ? words.join('-').slice(0, 30).replace(/-$/u, '') : 'app';
  for (let i = 1; ; i++) {
    const candidate = i === 1 ? name : `${name}-${i}`;
    if (!taken.has(candidate)) return candidate;
  }
};

/** The families of a proposed file, read as any other catalog file is. Throws where it has problems. */
const loadProposed = (yaml: string): Family[] => {
  const file = readCatalogText('proposed.yaml', yaml);
  checkTogether([file]);
  const [problem] = file.text.problems;
  if (problem) throw new Error(`The proposed catalog does not load: ${problemText(problem)}`);
  return file.families.map(({ family }) => family);
};

const countClassified = (families: readonly Family[], samples: readonly KeySample[]): number => {
  const locate = createLocator(families);
  return samples.reduce((sum, { key }) => sum + (locate(key).family ? 1 : 0), 0);
};

const ttlText = (ttl: TtlInFile): string =>
  typeof ttl === 'object' ? `${ttl.min} – ${ttl.max}` : typeof ttl === 'number' ? `${ttl} s` : ttl;

const toProposal = (family: ProposedFamily, catalog: Registry): Inference['families'][number] => ({
  id: family.id,
  pattern: family.pattern,
  type: family.type,
  ttl: ttlText(family.ttl),
  keys: family.keys,
  examples: family.examples.map((example) => displayUnclassified(Buffer.from(example), catalog)),
});

const run: JobDefinition<typeof payload>['run'] = async (ctx, { prefixes }) => {
  const onShare = shareProgress(ctx);
  await onShare(0);
  const found = await collectUnclassified(ctx.connection, ctx.catalog, {
    prefixes,
    signal: ctx.signal,
    onShare,
  });
  const { samples, keys: unclassified, scanned, complete } = found;
  const families = inferFamilies(samples).families.slice(0, MAX_PROPOSED);
  const yaml = families.length > 0 ? catalogYaml(appFor(ctx.connection), families) : '';
  const classified = yaml ? countClassified(loadProposed(yaml), samples) : 0;
  const result: Inference = {
    families: families.map((family) => toProposal(family, ctx.catalog)),
    coverage: { unclassified, classified, scanned, complete },
    yaml,
  };
  return { result, after: { families: families.length, unclassified, classified } };
};

/** catalog.infer: samples unclassified keys and proposes families for them. Nothing is written to the user's Redis. */
export const inferJob: JobDefinition<typeof payload> = {
  action: catalogContracts.infer.id,
  permission: 'analysis:run',
  unit: 'share',
  payload,
  onReadOnly: true,
  run,
};
