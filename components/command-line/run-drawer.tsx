'use client';

import { Alert, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { ChangeDrawer, type ChangeWords } from '@/components/patterns/change-drawer';
import { confirmationAsked } from '@/components/patterns/confirmation-asked';
import { HostileText } from '@/components/patterns/hostile-text';
import { KeyFacts, type Ran } from './output-entry';

interface RunDrawerProps {
  /** The answer of the dry run of a write. */
  plan: Ran | null;
  opened: boolean;
  pending: boolean;
  error: Error | null;
  onRun: (words: ChangeWords) => void;
  onClose: () => void;
}

/** What a write will do, before it is run. */
export const RunDrawer = ({ plan, opened, pending, error, onRun, onClose }: RunDrawerProps) => {
  const t = useTranslations('commandLine.plan');
  const isUndoable = plan?.undo === 'possible';
  return (
    <ChangeDrawer
      opened={opened}
      onClose={onClose}
      title={t('title')}
      verb={t(isUndoable ? 'run' : 'runWithoutUndo')}
      destructive={!isUndoable}
      needsConfirmation
      confirm={confirmationAsked(error)}
      pending={pending}
      error={error}
      onSubmit={onRun}
    >
      {plan && (
        <Stack gap="sm">
          <code style={{ overflowWrap: 'anywhere' }}>
            <HostileText max={2000}>{plan.line}</HostileText>
          </code>
          <Text size="sm">{t('keys', { count: plan.keyCount })}</Text>
          {plan.keys.map((key, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: masked names may be equal
            <KeyFacts key={i} of={key} />
          ))}
          <Text size="sm">{t('compared')}</Text>
          {isUndoable ? (
            <Text size="sm">{t('undoable')}</Text>
          ) : (
            <Alert color="orange">{t(plan.undo === 'tooManyKeys' ? 'tooManyKeys' : 'tooLarge')}</Alert>
          )}
        </Stack>
      )}
    </ChangeDrawer>
  );
};
