'use client';

import { Progress, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { Dimmed } from '@/components/patterns/dimmed';
import { fromBase64, saveFile } from '@/components/patterns/file-bytes';
import { useSecretRead } from '@/components/patterns/use-secret-read';
import type { Result } from '@/lib/contract';
import { envContracts } from '@/lib/env/schema';
import { DownloadSummary } from './download-summary';
import type { DrawerProps } from './edit-drawer';
import { PassphraseField } from './passphrase-field';
import { MIN_PASSPHRASE, type Strength, strengthOf } from './strength';

const METER: Record<Strength, { value: number; color: string }> = {
  short: { value: 12, color: 'red' },
  weak: { value: 35, color: 'orange' },
  fair: { value: 65, color: 'gray' },
  strong: { value: 100, color: 'green' },
};

type BackupResult = Pick<Result<typeof envContracts.backup>, 'fileName' | 'variables' | 'skipped'>;

/** Downloads all variables as a file encrypted with a passphrase. */
export const BackupDrawer = (drawer: DrawerProps) => {
  const t = useTranslations('env.backup');
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const [saved, setSaved] = useState<BackupResult | null>(null);
  const read = useSecretRead(envContracts.backup, ({ fileName, file, variables, skipped }) => {
    saveFile(fileName, 'application/octet-stream', fromBase64(file));
    setSaved({ fileName, variables, skipped });
  });
  const strength = strengthOf(passphrase);
  const differs = again !== '' && again !== passphrase;
  return (
    <ChangeDrawer
      operation="env.backup"
      {...drawer}
      width="editor"
      title={t('title')}
      verb={t('verb')}
      blocked={strength === 'short' || again !== passphrase}
      pending={read.isPending}
      error={read.error}
      onSubmit={(words) => read.mutate({ passphrase, ...words })}
    >
      <Stack gap="sm">
        <Text size="sm">{t('explain')}</Text>
        <div>
          <PassphraseField
            label={t('passphrase')}
            description={t('hint', { count: MIN_PASSPHRASE })}
            fresh
            onChange={setPassphrase}
          />
          {passphrase !== '' && (
            <div aria-live="polite">
              <Progress {...METER[strength]} size={5} mt={8} aria-label={t('meter')} />
              <Dimmed size="xs" mt={4}>
                {t(`strength.${strength}`)}
              </Dimmed>
            </div>
          )}
        </div>
        <PassphraseField label={t('again')} error={differs ? t('differs') : null} fresh onChange={setAgain} />
        {saved && (
          <DownloadSummary
            done={t('done', { file: saved.fileName, count: saved.variables })}
            skipped={saved.skipped}
          />
        )}
      </Stack>
    </ChangeDrawer>
  );
};
