'use client';

import { Alert, Anchor, Button } from '@mantine/core';
import { IconAlertTriangle, IconShieldCheck, IconShieldX } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useFormat } from '@/components/patterns/use-format';
import { useSentences } from '@/components/patterns/use-sentences';
import { type auditContracts, WARN_SHARE } from '@/lib/audit/schema';
import type { Result } from '@/lib/contract';

type Status = Result<typeof auditContracts.status>;

interface LogStatusProps {
  status: Status;
  acknowledging: boolean;
  onAcknowledge: () => void;
}

/** Result of the last verification, an unacknowledged alarm, and a warning if the log is nearly full. */
export const LogStatus = ({ status, acknowledging, onAcknowledge }: LogStatusProps) => {
  const t = useTranslations('audit.status');
  const format = useFormat();
  const translate = useSentences();
  const { alarm, rows, maxRows, verified } = status;
  const when = (at: string) => () => <RelativeTime at={at} />;
  return (
    <>
      {alarm && (
        <Alert role="alert" mb="md" color="red" icon={<IconShieldX size={18} />} title={t('alarm')}>
          {t.rich('alarmText', { problem: translate(alarm.problem), when: when(alarm.since) })}
          <Button
            mt="xs"
            display="block"
            size="xs"
            variant="default"
            loading={acknowledging}
            onClick={onAcknowledge}
          >
            {t('acknowledge')}
          </Button>
        </Alert>
      )}
      {rows >= maxRows * WARN_SHARE && (
        <Alert
          role="status"
          mb="md"
          color={rows > maxRows ? 'red' : 'orange'}
          icon={<IconAlertTriangle size={18} />}
          title={t('size', { rows: format.number(rows), max: format.number(maxRows) })}
        >
          {t('sizeText')}
        </Alert>
      )}
      <StatusLine>
        {verified
          ? t.rich(verified.ok ? 'verified' : 'failed', {
              count: verified.entries,
              problem: translate(verified.problem ?? ''),
              when: when(verified.at),
            })
          : t('never')}
      </StatusLine>
    </>
  );
};

/** Always two lines high on a phone; while the status loads, an empty one reserves its space. */
export const StatusLine = ({ children }: { children?: ReactNode }) => (
  <Dimmed mb="md" mih={{ base: '2lh', sm: '1lh' }}>
    {children}
  </Dimmed>
);

interface VerdictProps {
  verdict: Result<typeof auditContracts.verify>;
  onEntry: (id: string) => void;
  onClose: () => void;
}

/** Result of a verification, with the first bad entry. */
export const Verdict = ({ verdict, onEntry, onClose }: VerdictProps) => {
  const t = useTranslations('audit.verdict');
  const translate = useSentences();
  const { ok, entries, firstBadId, problem } = verdict;
  return (
    <Alert
      role="status"
      mb="md"
      color={ok ? 'green' : 'red'}
      icon={ok ? <IconShieldCheck size={18} /> : <IconShieldX size={18} />}
      title={ok ? t('holds', { count: entries }) : t('broken')}
      withCloseButton
      closeButtonLabel={t('close')}
      onClose={onClose}
    >
      {ok ? (
        t('meaning')
      ) : (
        <>
          {t('problem', { problem: translate(problem ?? ''), count: entries })}{' '}
          {firstBadId && (
            <Anchor component="button" size="sm" onClick={() => onEntry(firstBadId)}>
              {t('firstBad')}
            </Anchor>
          )}
        </>
      )}
    </Alert>
  );
};
