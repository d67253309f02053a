'use client';

import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { DuplicateJobAlert } from '@/components/patterns/duplicate-job-alert';
import { previewQuery } from '@/components/patterns/invalidation-queries';
import { SpanField } from '@/components/patterns/span-field';
import { TtlDryRun } from '@/components/patterns/ttl-dry-run';
import { TtlSpread } from '@/components/patterns/ttl-spread';
import { useCommand } from '@/components/patterns/use-command';
import { useDryRun } from '@/components/patterns/use-dry-run';
import { useTtlVerb } from '@/components/patterns/use-ttl-verb';
import { familyContracts } from '@/lib/families/schema';
import type { SelectedKeysProps } from './selected-keys';
import { SelectedPreview } from './selected-preview';

const HOUR = 3600;
const MINUTES_10 = 600;

/** Adds a TTL to the selected keys, or shortens theirs, in a job after a dry run. */
export const TtlDrawer = ({ keyIds, opened, onClose, onJob }: SelectedKeysProps) => {
  const t = useTranslations('families');
  const { id } = useConnection();
  const [ttlSeconds, setTtl] = useState(HOUR);
  const [jitterSeconds, setJitter] = useState(MINUTES_10);
  const query = useQuery(previewQuery(id, opened ? { keyIds } : null));
  const target = { keyIds, ttlSeconds, jitterSeconds };
  const dryRun = useDryRun(JSON.stringify(target));
  const change = useCommand(familyContracts.setTtl, id);
  const verbOf = useTtlVerb();
  const isDryRun = dryRun.result === null;
  const nothing = dryRun.result !== null && dryRun.result.added + dryRun.result.shortened === 0;
  const leave = (to: () => void) => {
    change.reset();
    dryRun.reset();
    setTtl(HOUR);
    setJitter(MINUTES_10);
    to();
  };
  return (
    <ChangeDrawer
      operation="families.setTtl"
      opened={opened}
      onClose={() => leave(onClose)}
      size={480}
      title={t('ttl.title')}
      verb={verbOf(dryRun)}
      destructive={!isDryRun}
      needsConfirmation={!isDryRun}
      stays="asItIs"
      staysValid={t('ttl.stays')}
      blocked={!query.data || query.data.keys === 0 || nothing || (isDryRun && dryRun.jobId !== null)}
      pending={change.isPending}
      error={change.error}
      onSubmit={(words) =>
        change.mutate(
          { ...target, ...words, dryRun: isDryRun },
          { onSuccess: ({ jobId }) => (isDryRun ? dryRun.start(jobId) : leave(() => onJob(jobId))) },
        )
      }
    >
      <Stack gap="md">
        {opened && (
          <>
            <SpanField
              label={t('ttl.ttl')}
              description={t('ttl.ttlHint')}
              seconds={ttlSeconds}
              least={1}
              onChange={setTtl}
            />
            <SpanField
              label={t('ttl.jitter')}
              description={t('ttl.jitterHint')}
              seconds={jitterSeconds}
              least={0}
              onChange={setJitter}
            />
          </>
        )}
        <SelectedPreview query={query} opened={opened}>
          {(preview) => <TtlSpread {...{ preview, ttlSeconds, jitterSeconds }} />}
        </SelectedPreview>
        {dryRun.jobId && <TtlDryRun key={dryRun.jobId} jobId={dryRun.jobId} onCounted={dryRun.complete} />}
        <DuplicateJobAlert error={change.error} onJob={(jobId) => leave(() => onJob(jobId))} />
      </Stack>
    </ChangeDrawer>
  );
};
