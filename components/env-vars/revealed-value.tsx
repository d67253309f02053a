'use client';

import { ActionIcon, CopyButton, Group, RingProgress, Text } from '@mantine/core';
import { IconCheck, IconCopy, IconEyeOff } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { fromBase64, hexOf } from '@/components/patterns/file-bytes';
import { MultilineText } from '@/components/patterns/multiline-text';
import { useNow } from '@/components/patterns/now';
import { Tooltip } from '@/components/patterns/tooltip';
import classes from './env-vars.module.css';
import { type Revealed, SHOWN_MS } from './use-reveal';

/** A plaintext value with a countdown until it is hidden. */
export const RevealedValue = ({ shown, onHide }: { shown: Revealed; onHide: () => void }) => {
  const t = useTranslations('env.reveal');
  const now = useNow('second') ?? 0;
  const left = Math.min(SHOWN_MS, shown.until - now);
  // After sleep, timers run late: hide by the clock.
  if (left <= 0) return null;
  const { value, valueBase64 } = shown;
  return (
    <section className={classes.revealed} aria-label={t('of')}>
      <div className={classes.clear} data-testid="revealed">
        {value === null ? (
          <code>{hexOf(fromBase64(valueBase64 ?? ''), 512)}</code>
        ) : (
          <MultilineText maxLines={60} max={20_000}>
            {value}
          </MultilineText>
        )}
      </div>
      <Group gap={6} wrap="nowrap" className={classes.revealedFoot}>
        <RingProgress
          size={18}
          thickness={3}
          aria-hidden
          sections={[{ value: (left / SHOWN_MS) * 100, color: 'orange' }]}
        />
        <Text size="xs" c="dimmed" className={classes.figures} role="timer">
          {t('left', { seconds: Math.ceil(left / 1000) })}
        </Text>
        <Text size="xs" c="dimmed" visibleFrom="sm">
          {t('recorded')}
        </Text>
        <Group gap={2} ml="auto" wrap="nowrap">
          <CopyButton value={value ?? valueBase64 ?? ''}>
            {({ copied, copy }) => (
              <Tooltip label={copied ? t('copied') : t('copy')}>
                <ActionIcon variant="subtle" color="gray" size="sm" aria-label={t('copy')} onClick={copy}>
                  {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
                </ActionIcon>
              </Tooltip>
            )}
          </CopyButton>
          <Tooltip label={t('hide')}>
            <ActionIcon variant="subtle" color="gray" size="sm" aria-label={t('hide')} onClick={onHide}>
              <IconEyeOff size={15} />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
    </section>
  );
};
