'use client';

import { Alert, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { saveFile } from '@/components/patterns/file-bytes';
import { KeyText } from '@/components/patterns/hostile-text';
import { useCommand } from '@/components/patterns/use-command';
import { useFormat } from '@/components/patterns/use-format';
import type { Result } from '@/lib/contract';
import { keyContracts } from '@/lib/keys/schema';
import type { SelectedKeysProps } from './selected-keys';

const MAX_SKIPPED = 100;

const stamp = (): string => new Date().toISOString().slice(0, 16).replaceAll(':', '');

/** Downloads the selected keys as a file of DUMPs, and lists omitted ones with the reason. */
export const ExportDrawer = ({ keyIds, opened, onClose }: SelectedKeysProps) => {
  const t = useTranslations('keys.export');
  const tKeys = useTranslations('keys');
  const { id } = useConnection();
  const exported = useCommand(keyContracts.export);
  return (
    <ChangeDrawer
      operation="keys.export"
      opened={opened}
      onClose={() => {
        exported.reset();
        onClose();
      }}
      width="detail"
      title={tKeys('actions.keys-export')}
      verb={t('verb', { count: keyIds.length })}
      onReadOnly
      pending={exported.isPending}
      error={exported.error}
      onSubmit={(words) =>
        exported.mutate(
          { keyIds, ...words },
          { onSuccess: ({ file }) => saveFile(`${id}-keys-${stamp()}.jsonl`, 'application/jsonl', file) },
        )
      }
    >
      <Stack gap="sm">
        <Text size="sm">{t('explain', { count: keyIds.length })}</Text>
        <Dimmed size="xs">{t('recorded')}</Dimmed>
        {exported.data && <Exported result={exported.data} />}
      </Stack>
    </ChangeDrawer>
  );
};

const Exported = ({ result }: { result: Result<typeof keyContracts.export> }) => {
  const t = useTranslations('keys.export');
  const format = useFormat();
  const { keys, bytes, skipped } = result;
  return (
    <>
      <Alert color="green" role="status">
        {t('done', { count: keys, size: format.bytes(bytes) })}
      </Alert>
      {skipped.length > 0 && (
        <Alert color="orange" title={t('skipped', { count: skipped.length })}>
          <Text size="sm" component="ul" m={0} ps="md">
            {skipped.slice(0, MAX_SKIPPED).map(({ key, why }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: masked names can be equal
              <li key={i}>
                <KeyText>{key}</KeyText> {t(`why.${why}`)}
              </li>
            ))}
          </Text>
          {skipped.length > MAX_SKIPPED && (
            <Text size="sm">{t('more', { count: skipped.length - MAX_SKIPPED })}</Text>
          )}
        </Alert>
      )}
    </>
  );
};
