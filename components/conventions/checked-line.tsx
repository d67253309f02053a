'use client';

import { useTranslations } from 'next-intl';
import { HostileText } from '@/components/patterns/hostile-text';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useFormat } from '@/components/patterns/use-format';
import type { ConventionsReport } from '@/lib/conventions/schema';
import classes from './conventions.module.css';

/** When it was checked, what the walk cost, and by which policy. Its space is reserved until that is known. */
export const CheckedLine = ({ report }: { report: ConventionsReport | undefined }) => {
  const t = useTranslations('conventions.checked');
  return (
    <div className={classes.note}>
      {report && (
        <>
          {report.at === null ? t('never') : t.rich('at', { when: () => <RelativeTime at={report.at} /> })}
          {report.walk && <Cost walk={report.walk} />}
          {' · '}
          {report.policy.file === null ? (
            t('document')
          ) : (
            <>
              {t('policy')} <HostileText max={80}>{report.policy.file}</HostileText>
            </>
          )}
          {report.policy.problems.length > 0 &&
            ` · ${t('problems', { count: report.policy.problems.length })}`}
        </>
      )}
    </div>
  );
};

const Cost = ({ walk }: { walk: NonNullable<ConventionsReport['walk']> }) => {
  const t = useTranslations('conventions.checked');
  const format = useFormat();
  const { startedAt, finishedAt, keys, serverMs, byScript, reason } = walk;
  return (
    <>
      {format.colon}
      {t('cost', {
        count: keys,
        keys: format.count(keys),
        took: format.ms(Date.parse(finishedAt) - Date.parse(startedAt)),
        server: format.ms(serverMs),
      })}
      {!byScript && (
        <>
          {' · '}
          {t('byCommands')} {reason && <HostileText max={120}>{reason}</HostileText>}
        </>
      )}
    </>
  );
};
