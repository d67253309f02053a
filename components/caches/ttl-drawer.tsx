'use client';

import { Alert, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { useFormat } from '@/components/patterns/use-format';
import type { Preview } from '@/lib/caches/schema';
import { DuplicateJobAlert } from './duplicate-job-alert';
import type { TargetDrawerProps } from './invalidation-drawer';
import { PreviewPanel } from './preview-panel';
import { fieldProblems } from './problems';
import { useSetTtl } from './queries';
import { SpanField } from './span-field';
import { TargetFields } from './target-fields';
import { secondsOf } from './ttl-draft';
import { TtlDryRun } from './ttl-dry-run';
import { useDraft } from './use-draft';
import { type DryRunState, useDryRun } from './use-dry-run';
import { usePreview } from './use-preview';

const HOUR = 3600;
const MINUTES_10 = 600;

interface TtlDrawerProps extends Omit<TargetDrawerProps, 'url' | 'setUrl'> {
  url: TargetDrawerProps['url'] & { ttl: string; jitter: string };
  setUrl: (change: Partial<TtlDrawerProps['url']>) => void;
}

const useVerb = () => {
  const t = useTranslations('caches.ttl');
  return ({ jobId, result }: DryRunState): string => {
    if (result) return t('verb', { count: result.added + result.shortened });
    return jobId ? t('counting') : t('count');
  };
};

/** Gives keys a TTL, or shortens theirs. A dry run counts first, so the button can name the number of keys. */
export const TtlDrawer = ({ opened, url, setUrl, families, onClose, onJob }: TtlDrawerProps) => {
  const t = useTranslations('caches');
  const { id } = useConnection();
  const state = useDraft(opened, url, setUrl);
  const family = families.find((each) => each.family === state.draft.family) ?? null;
  const { target, query, counted, branches } = usePreview(opened, state, family);
  const ttlSeconds = secondsOf(url.ttl, 1, HOUR);
  const jitterSeconds = secondsOf(url.jitter, 0, MINUTES_10);
  const change = target && { ...target, ttlSeconds, jitterSeconds };
  const dryRun = useDryRun(JSON.stringify(change));
  const setTtl = useSetTtl(id);
  const verbOf = useVerb();
  const leave = (to: () => void) => {
    setTtl.reset();
    dryRun.reset();
    to();
  };
  const nothing = dryRun.result !== null && dryRun.result.added + dryRun.result.shortened === 0;
  return (
    <ChangeDrawer
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
          {(preview) => <Spread preview={preview} {...{ ttlSeconds, jitterSeconds }} />}
        </PreviewPanel>
        {dryRun.jobId && <TtlDryRun key={dryRun.jobId} jobId={dryRun.jobId} onCounted={dryRun.complete} />}
        <DuplicateJobAlert error={setTtl.error} onJob={(jobId) => leave(() => onJob(jobId))} />
      </Stack>
    </ChangeDrawer>
  );
};

interface SpreadProps {
  preview: Preview;
  ttlSeconds: number;
  jitterSeconds: number;
}

/** How many keys would expire together, how the jitter spreads them, and whether the change can be undone. */
const Spread = ({ preview, ttlSeconds, jitterSeconds }: SpreadProps) => {
  const t = useTranslations('caches.ttl');
  const format = useFormat();
  const ttl = format.duration(ttlSeconds);
  return (
    <>
      {jitterSeconds === 0 ? (
        <Alert color="orange" title={t('together')}>
          <Text size="sm">{t('avalanche', { count: preview.keys, ttl })}</Text>
        </Alert>
      ) : (
        <Text size="sm">
          {t('spread', {
            from: ttl,
            to: format.duration(ttlSeconds + jitterSeconds),
            rate: format.perSecond(preview.keys / jitterSeconds),
          })}
        </Text>
      )}
      <Text size="sm">
        {preview.undo.why === 'keys'
          ? t('final')
          : t('undoable', { hours: format.number(preview.undo.hours) })}
      </Text>
    </>
  );
};
