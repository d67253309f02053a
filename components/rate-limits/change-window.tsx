'use client';

import { Alert, Button, Radio, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useEffect, useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { KeyText } from '@/components/patterns/hostile-text';
import type { RateWindow } from '@/lib/rate-limits/schema';
import { visibleText } from '@/lib/visible-text';
import { useChangeWindow, type WindowChange } from './queries';

/** What is asked about: the window as it was when somebody decided. */
export interface Asked {
  kind: WindowChange['kind'];
  window: RateWindow;
}

interface ChangeWindowProps {
  asked: Asked | null;
  opened: boolean;
  onAsk: (asked: Asked) => void;
  onClose: () => void;
  /** The same window as it is now; null where it cannot be seen. */
  present: RateWindow | null;
}

/** Which window goes, what the project's next event meets then, and whether it is still the one that was seen. */
export const ChangeWindow = ({ asked, opened, onAsk, onClose, present }: ChangeWindowProps) => {
  const t = useTranslations('limits');
  const { id } = useConnection();
  const change = useChangeWindow(id);
  const [replace, setReplace] = useState(false);
  useEffect(() => {
    if (opened) setReplace(false);
  }, [opened]);
  if (!asked) return null;
  const { kind, window } = asked;
  const other = present !== null && present.etag !== window.etag ? present : null;
  return (
    <FormDrawer
      opened={opened}
      onClose={onClose}
      title={t(`${kind}.title`)}
      verb={t(`${kind}.verb`)}
      destructive
      needsConfirmation
      stays="asItIs"
      staysValid={t(`${kind}.stays`)}
      change={change}
      input={(words) => ({ kind, window, replace, words })}
      done={() => t(`${kind}.done`, { what: visibleText(window.field, 40) })}
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
              onClick={() => {
                change.reset();
                onAsk({ kind: other.state === 'unreadable' ? 'repair' : 'reset', window: other });
              }}
            >
              {t('change.takeNew')}
            </Button>
          </Alert>
        )}
      </Stack>
    </FormDrawer>
  );
};
