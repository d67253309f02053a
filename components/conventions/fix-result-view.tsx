'use client';

import { Alert, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { Strong } from '@/components/patterns/strong';
import { useFormat } from '@/components/patterns/use-format';
import { withFields } from '@/components/patterns/with-fields';
import type { FixResult } from '@/lib/conventions/schema';
import { SampleKey } from './sample-key';

/** What a repair of violations counted; null for the results of other jobs. */
export const fixResultOf = (result: unknown) =>
  withFields<FixResult>(result, 'rule', 'fixed', 'remaining', 'sample');

/** What a repair did, or would do: counts, why keys were skipped, and sample keys with what changes. */
export const FixResultView = ({ result }: { result: FixResult }) => {
  const t = useTranslations('conventions.fix');
  const tWord = useTranslations('words');
  const format = useFormat();
  const { matched, fixed, conflicts, vanished, remaining, dryRun, sample, skippedBecause } = result;
  const line = (outcome: 'fixed' | 'wouldFix' | 'conflicts' | 'vanished' | 'remaining', count: number) => (
    <li>{t(`found.${outcome}`, { count, shown: format.count(count) })}</li>
  );
  return (
    <Stack gap="sm">
      <Alert
        color="gray"
        title={t('found.matched', { count: matched, shown: format.count(matched) })}
        role="status"
        data-testid="fix-result"
      >
        <Text size="sm" component="ul" m={0} ps="md">
          {line(dryRun ? 'wouldFix' : 'fixed', fixed)}
          {conflicts > 0 && line('conflicts', conflicts)}
          {skippedBecause.map(({ reason, keys }) => (
            <li key={reason}>
              {t('found.skipped', { count: keys, shown: format.count(keys) })}{' '}
              <HostileText max={200}>{reason}</HostileText>
            </li>
          ))}
          {vanished > 0 && line('vanished', vanished)}
          {remaining !== null && line('remaining', remaining)}
        </Text>
      </Alert>
      {sample.length > 0 && (
        <section aria-label={tWord('samples')}>
          <Strong mb={4}>{tWord('samples')}</Strong>
          <Stack component="ul" gap={6} m={0} p={0} style={{ listStyle: 'none' }}>
            {sample.map((change) => (
              <li key={change.keyId ?? change.key}>
                <SampleKey of={change} />
                <Dimmed size="xs" component="div">
                  <HostileText max={300}>{change.detail}</HostileText>
                </Dimmed>
              </li>
            ))}
          </Stack>
        </section>
      )}
    </Stack>
  );
};
