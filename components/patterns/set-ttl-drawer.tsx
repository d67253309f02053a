'use client';

import { Alert, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import type { Result, WireInput } from '@/lib/contract';
import type { familyContracts, InvalidationTarget, Preview, TtlResult } from '@/lib/families/schema';
import { JobChangeDrawer } from './job-change-drawer';
import { PreviewPanel } from './preview-panel';
import { SpanField } from './span-field';
import { TtlSpread } from './ttl-spread';
import type { Command } from './use-command';
import { useFormat } from './use-format';
import { withFields } from './with-fields';

type SetTtl = (typeof familyContracts)['setTtl'];

export const DEFAULT_TTL_SECONDS = 3600;
export const DEFAULT_JITTER_SECONDS = 600;

interface Spans {
  ttlSeconds: number;
  jitterSeconds: number;
}

interface SetTtlDrawerProps {
  opened: boolean;
  onClose: () => void;
  onClosed?: () => void;
  /** The job started, or was already running. */
  onJob: (jobId: string) => void;
  change: Command<Result<SetTtl>, WireInput<SetTtl>>;
  /** Null while it is incomplete. */
  target: InvalidationTarget | null;
  query: UseQueryResult<Preview>;
  spans: Spans;
  onSpans: (part: Partial<Spans>) => void;
  title: string;
  /** What is expected of the keys, if that is known. */
  ttlHint?: string;
  /** The fields of the target. */
  children?: ReactNode;
}

/** Gives keys a TTL, or shortens theirs, in a job. A dry run counts first, so the button can name the number of keys. */
export const SetTtlDrawer = (props: SetTtlDrawerProps) => {
  const { target, query, spans, onSpans, ttlHint, children, ...drawer } = props;
  const t = useTranslations('families.ttl');
  const tWord = useTranslations('words');
  const changed = ({ added, shortened }: TtlResult) => added + shortened;
  return (
    <JobChangeDrawer
      {...drawer}
      input={target && { ...target, ...spans }}
      dryRun={{
        resultOf: (result) =>
          withFields<TtlResult>(result, 'matched', 'added', 'shortened', 'shorter', 'guarded'),
        running: t('counting'),
        verb: (counted) => t('verb', { count: changed(counted) }),
        count: changed,
        children: (counted) => <Found result={counted} />,
      }}
      width="detail"
      verb={t('count')}
      destructive
      stays="asItIs"
      staysValid={t('stays')}
      blocked={target === null || !query.data || query.data.keys === 0}
    >
      {children}
      {drawer.opened && (
        <>
          <SpanField
            label={tWord('ttl')}
            description={ttlHint ?? t('ttlHint')}
            seconds={spans.ttlSeconds}
            least={1}
            onChange={(ttlSeconds) => onSpans({ ttlSeconds })}
          />
          <SpanField
            label={tWord('jitter')}
            description={t('jitterHint')}
            seconds={spans.jitterSeconds}
            least={0}
            onChange={(jitterSeconds) => onSpans({ jitterSeconds })}
          />
        </>
      )}
      <PreviewPanel query={query} idle={target === null}>
        {(preview) => <TtlSpread preview={preview} {...spans} />}
      </PreviewPanel>
    </JobChangeDrawer>
  );
};

const Found = ({ result }: { result: TtlResult }) => {
  const t = useTranslations('families.ttl');
  const format = useFormat();
  const textOf = (what: 'matched' | 'added' | 'shortened' | 'shorter' | 'guarded') =>
    t(`found.${what}`, { count: result[what], shown: format.count(result[what]) });
  return (
    <Alert color="gray" title={textOf('matched')} role="status" data-testid="dry-run">
      <Text size="sm" component="ul" m={0} ps="md">
        <li>{textOf('added')}</li>
        <li>{textOf('shortened')}</li>
        <li>{textOf('shorter')}</li>
        {result.guarded > 0 && <li>{textOf('guarded')}</li>}
      </Text>
    </Alert>
  );
};
