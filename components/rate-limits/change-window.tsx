'use client';

import { Alert, Button, Radio, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useEffect, useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { KeyText } from '@/components/patterns/hostile-text';
import { useCommand } from '@/components/patterns/use-command';
import { type RateWindow, rateLimitContracts } from '@/lib/rate-limits/schema';
import { visibleText } from '@/lib/visible-text';

const CHANGE = { reset: rateLimitContracts.reset, repair: rateLimitContracts.repair };

/** A change to confirm, with the window as it was when the user chose it. */
export interface PlannedChange {
  kind: keyof typeof CHANGE;
  window: RateWindow;
}

interface ChangeWindowProps {
  planned: PlannedChange | null;
  opened: boolean;
  onPlan: (planned: PlannedChange) => void;
  onClose: () => void;
  /** The same window as it is now; null where unknown. */
  current: RateWindow | null;
}

/** Confirms the reset or repair of a window, and shows if it has changed since it was chosen. */
export const ChangeWindow = ({ planned, opened, onPlan, onClose, current }: ChangeWindowProps) => {
  const t = useTranslations('rateLimits');
  const { id } = useConnection();
  const change = useCommand(CHANGE[planned?.kind ?? 'reset'], id);
  const [replace, setReplace] = useState(false);
  useEffect(() => {
    if (opened) setReplace(false);
  }, [opened]);
  if (!planned) return null;
  const { kind, window } = planned;
  const newer = current !== null && current.etag !== window.etag ? current : null;
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
      input={(words) => ({
        fieldId: window.fieldId,
        ...(window.etag !== null && { etag: window.etag }),
        ...(kind === 'repair' && { replace }),
        ...words,
      })}
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
        {newer && (
          <Alert color="orange" role="status" title={t('change.another')}>
            <div>
              {t('change.now')} <KeyText max={200}>{newer.raw}</KeyText>
            </div>
            <Button
              mt="xs"
              size="compact-sm"
              variant="default"
              onClick={() => {
                change.reset();
                onPlan({ kind: newer.state === 'unreadable' ? 'repair' : 'reset', window: newer });
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
