'use client';

import { Alert, Badge, Skeleton, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { FileProblems } from '@/components/data-table/file-problems';
import { HostileText } from '@/components/patterns/hostile-text';
import { Panel } from '@/components/patterns/panel';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useMay } from '@/components/patterns/viewer';
import type { ConventionsReport, Waiver } from '@/lib/conventions/schema';
import { WaiverList } from './waiver-list';

interface PolicyTabProps {
  report: ConventionsReport | undefined;
  ruleTitle: (rule: Waiver['rule']) => string;
  onUnwaive: (waiver: Waiver) => void;
}

/** The policy in force, the problems of its file, and all waivers. */
export const PolicyTab = ({ report, ruleTitle, onUnwaive }: PolicyTabProps) => {
  const tConventions = useTranslations('conventions');
  const mayWaive = useMay('users:manage');
  if (!report) return <Skeleton height={220} radius="md" />;
  return (
    <Stack gap="md">
      <PolicyFile policy={report.policy} />
      <Panel title={tConventions('drawer.waivers')}>
        <WaiverList
          waivers={report.waivers}
          ruleTitle={ruleTitle}
          onUnwaive={mayWaive ? onUnwaive : undefined}
        />
      </Panel>
    </Stack>
  );
};

const PolicyFile = ({ policy: { file, loadedAt, problems } }: Pick<ConventionsReport, 'policy'>) => {
  const t = useTranslations('conventions.policy');
  const tWord = useTranslations('words');
  if (file === null)
    return (
      <Panel title={tWord('policy')}>
        <Text size="sm">{t('document')}</Text>
      </Panel>
    );
  const color = problems.length === 0 ? 'green' : loadedAt === null ? 'red' : 'orange';
  const state = { green: 'inForce', orange: 'lastGood', red: 'none' } as const;
  return (
    <Panel title={tWord('policy')} note={<Badge color={color}>{t(`state.${state[color]}`)}</Badge>}>
      <Text size="sm" component="div">
        <HostileText max={100}>{file}</HostileText>
        {loadedAt !== null && (
          <>
            {' · '}
            {t.rich('loaded', { when: () => <RelativeTime at={loadedAt} /> })}
          </>
        )}
      </Text>
      {problems.length > 0 && (
        <>
          <Alert color={color} my="sm" role="status">
            {loadedAt === null
              ? t('none')
              : t.rich('lastGood', { when: () => <RelativeTime at={loadedAt} /> })}
          </Alert>
          <FileProblems label={t('problems', { file })} name="policy-problems" problems={problems} />
        </>
      )}
    </Panel>
  );
};
