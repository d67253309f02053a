import 'server-only';
import { defineCommand } from '@/lib/command/define';
import { enqueue } from '@/lib/jobs/enqueue';
import { maskSecrets } from '@/lib/keyspace/mask';
import { inferJob } from './infer-job';
import { catalogContracts } from './schema';

/** A prefix may be part of a key with a secret. */
const label = (prefixes: readonly string[] | undefined): string => {
  if (!prefixes) return 'all unclassified keys';
  const [first, ...more] = prefixes;
  const name = maskSecrets(first!, true).slice(0, 60);
  return more.length === 0 ? `keys of ${name}*` : `keys of ${name}* and ${more.length} more prefixes`;
};

/** catalog.infer: proposes families for unclassified keys, as a job. */
export const inferCatalog = defineCommand({
  contract: catalogContracts.infer,
  target: ({ prefixes }) => label(prefixes),
  redact: ({ prefixes }) => ({ prefixes: prefixes?.length ?? null }),
  // It reads and changes nothing.
  isNoOp: async () => true,
  run: async (ctx, { prefixes }) => {
    const jobId = await enqueue(ctx, inferJob, {
      data: { prefixes: prefixes ?? null },
      target: label(prefixes),
    });
    return { result: { jobId }, continues: true };
  },
});
