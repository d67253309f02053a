'use client';

import { Alert, Button, Code, CopyButton, Group, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { Modal } from '@/components/patterns/drawer';

/** Shows a new token once. Only the button closes it: the token cannot be shown again. */
export const CreatedToken = ({ token, onClose }: { token: string | null; onClose: () => void }) => {
  const t = useTranslations('users.token');
  return (
    <Modal
      opened={token !== null}
      onClose={onClose}
      title={t('created')}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {token !== null && (
        <Stack gap="md">
          <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
            {t('once')}
          </Alert>
          <Code block data-testid="api-token" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
            {token}
          </Code>
          <Group justify="flex-end">
            <CopyButton value={token}>
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
