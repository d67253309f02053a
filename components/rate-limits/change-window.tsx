'use client';

import { Alert, Button, Radio, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { useConnection } from '@/components/patterns/connection';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { KeyText } from '@/components/patterns/hostile-text';
import { useCommand } from '@/components/patterns/use-command';
import { type RateWindow, rateLimitContracts } from '@/lib/rate-limits/schema';
import { visibleText } from '@/lib/visible-text';

const CHANGE = { reset: rateLimitContracts.reset, repair: rateLimitContracts.repair };

/** Resets or repairs a window as it was when the user chose it, and shows if it has changed since. */
export const ChangeWindow = ({ row, current, ...drawer }: RowDrawerProps<RateWindow>) => {
  const t = useTranslations('rateLimits');
  const { id } = useConnection();
  const [newer, setNewer] = useState<RateWindow | null>(null);
  const [replace, setReplace] = useState(false);
  const window = newer ?? row;
  const kind = window?.state === 'unreadable' ? 'repair' : 'reset';
  const change = useCommand(CHANGE[kind], id);
  const hasChanged = window !== null && current !== undefined && current.etag !== window.etag;
  return (
    <FormDrawer
      {...drawer}
      title={t(`${kind}.this`)}
      verb={t(`${kind}.verb`)}
      destructive
      needsConfirmation
      stays="asItIs"
      staysValid={t('change.stays')}
      change={change}
      input={(words) => ({
        fieldId: window?.fieldId ?? '',
        ...(window?.etag && { etag: window.etag }),
        ...(kind === 'repair' && { replace }),
        ...words,
      })}
      done={() => t(`${kind}.done`, { what: visibleText(window?.field ?? '', 40) })}
    >
      {window && (
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
          {hasChanged && (
            <Alert color="orange" role="status" title={t('change.another')}>
              <div>
                {t('change.now')} <KeyText max={200}>{current.raw}</KeyText>
              </div>
              <Button
                mt="xs"
                size="compact-sm"
                variant="default"
                onClick={() => {
                  change.reset();
                  setNewer(current);
                }}
              >
                {t('change.takeNew')}
              </Button>
            </Alert>
          )}
        </Stack>
      )}
    </FormDrawer>
  );
};
