'use client';

import { Alert, Button, Code, CopyButton, Group, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Modal } from '@/components/patterns/drawer';

interface ShownOnceProps {
  /** null: closed. */
  secret: string | null;
  onClose: () => void;
  testId: string;
  texts: Record<'title' | 'once' | 'copy' | 'copied' | 'stored', string>;
}

/** Shows a new secret once. Only the button closes it: the secret cannot be shown again. */
export const ShownOnce = ({ secret, onClose, testId, texts }: ShownOnceProps) => (
  <Modal
    opened={secret !== null}
    onClose={onClose}
    title={texts.title}
    closeOnClickOutside={false}
    closeOnEscape={false}
    withCloseButton={false}
  >
    {secret !== null && (
      <Stack gap="md">
        <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
          {texts.once}
        </Alert>
        <Code block data-testid={testId} style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {secret}
        </Code>
        <Group justify="flex-end">
          <CopyButton value={secret}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy} data-autofocus>
                {copied ? texts.copied : texts.copy}
              </Button>
            )}
          </CopyButton>
          <Button onClick={onClose}>{texts.stored}</Button>
        </Group>
      </Stack>
    )}
  </Modal>
);
