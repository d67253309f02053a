'use client';

import { Alert, Button, Code, CopyButton, Group, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { Modal } from '@/components/patterns/drawer';

/** Shows the signing key of a webhook once. Only the button closes it: the key cannot be shown again. */
export const CreatedSecret = ({ secret, onClose }: { secret: string | null; onClose: () => void }) => {
  const t = useTranslations('alerts.secret');
  return (
    <Modal
      opened={secret !== null}
      onClose={onClose}
      title={t('title')}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {secret !== null && (
        <Stack gap="md">
          <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
            {t('once')}
          </Alert>
          <Code block data-testid="signing-key" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
            {secret}
          </Code>
          <Group justify="flex-end">
            <CopyButton value={secret}>
              {({ copied, copy }) => (
                <Button variant="default" onClick={copy} data-autofocus>
                  {copied ? t('copied') : t('copy')}
                </Button>
              )}
            </CopyButton>
            <Button onClick={onClose}>{t('stored')}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
};
