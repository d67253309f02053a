'use client';

import { Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { DuplicateJobAlert } from '@/components/patterns/duplicate-job-alert';
import { PreviewPanel } from '@/components/patterns/preview-panel';
import { SpanField } from '@/components/patterns/span-field';
import { secondsOf } from '@/components/patterns/span-units';
import { fieldProblems } from '@/components/patterns/target-problems';
import { TtlDryRun } from '@/components/patterns/ttl-dry-run';
import { TtlSpread } from '@/components/patterns/ttl-spread';
import { useCommand } from '@/components/patterns/use-command';
import { useDryRun } from '@/components/patterns/use-dry-run';
import { useTtlVerb } from '@/components/patterns/use-ttl-verb';
import { familyContracts } from '@/lib/families/schema';
import type { TargetDrawerProps } from './invalidation-drawer';
import { TargetFields } from './target-fields';
import { useDraft } from './use-draft';
import { usePreview } from './use-preview';

const HOUR = 3600;
const MINUTES_10 = 600;

interface TtlDrawerProps extends Omit<TargetDrawerProps, 'url' | 'setUrl'> {
  url: TargetDrawerProps['url'] & { ttl: string; jitter: string };
  setUrl: (change: Partial<TtlDrawerProps['url']>) => void;
}

/** Gives keys a TTL, or shortens theirs. A dry run counts first, so the button can name the number of keys. */
export const TtlDrawer = ({ opened, url, setUrl, families, onClose, onJob }: TtlDrawerProps) => {
  const t = useTranslations('families');
  const { id } = useConnection();
  const state = useDraft(opened, url, setUrl);
  const family = families.find((each) => each.family === state.draft.family) ?? null;
  const { target, query, counted, branches } = usePreview(opened, state, family);
  const ttlSeconds = secondsOf(url.ttl, 1, HOUR);
  const jitterSeconds = secondsOf(url.jitter, 0, MINUTES_10);
  const change = target && { ...target, ttlSeconds, jitterSeconds };
  const dryRun = useDryRun(JSON.stringify(change));
  const setTtl = useCommand(familyContracts.setTtl, id);
  const verbOf = useTtlVerb();
  const leave = (to: () => void) => {
    setTtl.reset();
    dryRun.reset();
    to();
  };
  const nothing = dryRun.result !== null && dryRun.result.added + dryRun.result.shortened === 0;
  return (
    <ChangeDrawer
      operation="families.setTtl"
      opened={opened}
      onClose={() => leave(onClose)}
      title={t(state.draft.by === 'family' && family ? 'ttl.titleOf' : 'ttl.title', {
        family: family?.title ?? '',
      })}
      size={480}
      verb={verbOf(dryRun)}
      destructive={dryRun.result !== null}
      needsConfirmation={dryRun.result !== null}
      stays="asItIs"
      staysValid={t('ttl.stays')}
      blocked={!counted || counted.keys === 0 || nothing || (dryRun.jobId !== null && dryRun.result === null)}
      pending={setTtl.isPending}
      error={setTtl.error}
      onSubmit={(words) => {
        if (!change) return;
        const isDryRun = dryRun.result === null;
        setTtl.mutate(
          { ...change, ...words, dryRun: isDryRun },
          { onSuccess: ({ jobId }) => (isDryRun ? dryRun.start(jobId) : leave(() => onJob(jobId))) },
        );
      }}
    >
      <Stack gap="md">
        <TargetFields
          draft={state.draft}
          onChange={(part) => {
            setTtl.reset();
            state.change(part);
          }}
          families={families}
          problems={fieldProblems(query.error)}
          branches={branches}
        />
        {opened && (
          <>
            <SpanField
              label={t('ttl.ttl')}
              description={family ? t('ttl.ttlOf', { ttl: family.ttl }) : t('ttl.ttlHint')}
              seconds={ttlSeconds}
              least={1}
              onChange={(seconds) => setUrl({ ttl: String(seconds) })}
            />
            <SpanField
              label={t('ttl.jitter')}
              description={t('ttl.jitterHint')}
              seconds={jitterSeconds}
              least={0}
              onChange={(seconds) => setUrl({ jitter: String(seconds) })}
            />
          </>
        )}
        <PreviewPanel query={query} idle={target === null}>
          {(preview) => <TtlSpread preview={preview} {...{ ttlSeconds, jitterSeconds }} />}
        </PreviewPanel>
        {dryRun.jobId && <TtlDryRun key={dryRun.jobId} jobId={dryRun.jobId} onCounted={dryRun.complete} />}
        <DuplicateJobAlert error={setTtl.error} onJob={(jobId) => leave(() => onJob(jobId))} />
      </Stack>
    </ChangeDrawer>
  );
};
