'use client';

import { Alert, Button, Radio, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useEffect, useState } from 'react';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { KeyText } from '@/components/patterns/hostile-text';
import type { RateWindow } from '@/lib/rate-limits/schema';
import type { WindowChanges } from './use-window-changes';

interface ChangeWindowProps {
  changes: WindowChanges;
  /** The same window as it is now; null where it cannot be seen. */
  present: RateWindow | null;
}

/** Which window goes, what the project's next event meets then, and whether it is still the one that was seen. */
export const ChangeWindow = ({ changes, present }: ChangeWindowProps) => {
  const t = useTranslations('limits');
  const { asked, opened } = changes;
  const [replace, setReplace] = useState(false);
  useEffect(() => {
    if (opened) setReplace(false);
  }, [opened]);
  if (!asked) return null;
  const { kind, window } = asked;
  const other = present !== null && present.etag !== window.etag ? present : null;
  return (
    <ChangeDrawer
      opened={opened}
      onClose={changes.close}
      title={t(`${kind}.title`)}
      verb={t(`${kind}.verb`)}
      destructive
      needsConfirmation
      stays="asItIs"
      staysValid={t(`${kind}.stays`)}
      pending={changes.pending}
      error={changes.error}
      onSubmit={(words) => changes.submit(replace, words)}
    >
      <Stack gap="sm">
        <div>
          <KeyText max={60}>{window.field}</KeyText>
        </div>
        <div>
          {t('change.holds')} <KeyText max={200}>{window.raw}</KeyText>
        </div>
        <span>{t(`${kind}.consequence`)}</span>
        {kind === 'repair' && (
          <Radio.Group
            label={t('repair.how')}
            value={replace ? 'replace' : 'remove'}
            onChange={(value) => setReplace(value === 'replace')}
          >
            <Stack gap={6} mt={6}>
              <Radio value="remove" label={t('repair.remove')} description={t('repair.removeMeans')} />
              <Radio value="replace" label={t('repair.replace')} description={t('repair.replaceMeans')} />
            </Stack>
          </Radio.Group>
        )}
        {other && (
          <Alert color="orange" role="status" title={t('change.another')}>
            <div>
              {t('change.now')} <KeyText max={200}>{other.raw}</KeyText>
            </div>
            <Button
              mt="xs"
              size="compact-sm"
              variant="default"
              onClick={() => changes.ask(other.state === 'unreadable' ? 'repair' : 'reset', other)}
            >
              {t('change.takeNew')}
            </Button>
          </Alert>
        )}
      </Stack>
    </ChangeDrawer>
  );
};
