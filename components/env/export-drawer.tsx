'use client';

import { Alert, Radio, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { saveFile } from '@/components/patterns/file-bytes';
import { useSecretRead } from '@/components/patterns/use-secret-read';
import type { Result } from '@/lib/contract';
import { envContracts } from '@/lib/env/schema';
import { DownloadSummary } from './download-summary';
import type { DrawerProps } from './edit-drawer';

type Exported = Pick<Result<typeof envContracts.export>, 'variables' | 'skipped'>;

interface ExportDrawerProps extends DrawerProps {
  /** Number of secret variables in the loaded list. */
  secrets: number;
}

const stamp = (): string => new Date().toISOString().slice(0, 16).replaceAll(':', '');

/** Downloads all variables as a .env file, with or without secrets. Audited. */
export const ExportDrawer = ({ secrets, ...drawer }: ExportDrawerProps) => {
  const t = useTranslations('env.export');
  const tEnv = useTranslations('env');
  const { id } = useConnection();
  const [withSecrets, setWithSecrets] = useState(false);
  const [saved, setSaved] = useState<Exported | null>(null);
  const read = useSecretRead(envContracts.export, ({ text, variables, skipped }) => {
    saveFile(`${id}-variables-${stamp()}.env`, 'text/plain;charset=utf-8', text);
    setSaved({ variables, skipped });
  });
  return (
    <ChangeDrawer
      operation="env.export"
      {...drawer}
      width="editor"
      title={tEnv('actions.env-export')}
      verb={t(withSecrets ? 'verbSecrets' : 'verb')}
      destructive={withSecrets}
      pending={read.isPending}
      error={read.error}
      onSubmit={(words) => read.mutate({ secrets: withSecrets, ...words })}
    >
      <Stack gap="sm">
        <Radio.Group
          label={t('what')}
          value={withSecrets ? 'all' : 'open'}
          onChange={(next) => {
            setWithSecrets(next === 'all');
            setSaved(null);
          }}
        >
          <Stack gap={8} mt={6}>
            <Radio value="open" label={t('open')} description={t('openHint', { count: secrets })} />
            <Radio value="all" label={t('all')} description={t('allHint', { count: secrets })} />
          </Stack>
        </Radio.Group>
        {withSecrets && (
          <Alert color="orange" icon={<IconAlertTriangle size={18} />} title={t('warning')}>
            {t('warningText')}
          </Alert>
        )}
        <Dimmed size="xs">{t('recorded')}</Dimmed>
        {saved && <DownloadSummary done={t('done', { count: saved.variables })} skipped={saved.skipped} />}
      </Stack>
    </ChangeDrawer>
  );
};
