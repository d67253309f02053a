'use client';

import { ActionIcon, CopyButton, Group, RingProgress } from '@mantine/core';
import { IconCheck, IconCopy, IconEyeOff } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { Dimmed } from './dimmed';
import { useNow } from './now';
import classes from './reveal-foot.module.css';
import { Tooltip } from './tooltip';
import touch from './touch.module.css';
import { SHOWN_MS } from './use-reveal';

interface RevealFootProps {
  until: number;
  /** The text that *Copy* copies; without it there is no such button. */
  copied?: string;
  onHide: () => void;
}

/** Beneath a plaintext value: the countdown until it is hidden. */
export const RevealFoot = ({ until, copied: text, onHide }: RevealFootProps) => {
  const t = useTranslations('patterns.reveal');
  const tWord = useTranslations('words');
  const now = useNow('second') ?? 0;
  const left = Math.min(SHOWN_MS, until - now);
  return (
    <Group gap={6} wrap="nowrap" className={`${classes.foot} ${touch.thumbs}`}>
      <RingProgress
        size={18}
        thickness={3}
        aria-hidden
        sections={[{ value: (left / SHOWN_MS) * 100, color: 'orange' }]}
      />
      <Dimmed size="xs" role="timer">
        {t('left', { seconds: Math.ceil(left / 1000) })}
      </Dimmed>
      <Dimmed size="xs" visibleFrom="sm">
        {t('recorded')}
      </Dimmed>
      <Group gap={2} ml="auto" wrap="nowrap">
        {text !== undefined && (
          <CopyButton value={text}>
            {({ copied, copy }) => (
              <Tooltip label={copied ? tWord('copied') : t('copy')}>
                <ActionIcon size="sm" aria-label={t('copy')} onClick={copy}>
                  {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
                </ActionIcon>
              </Tooltip>
            )}
          </CopyButton>
        )}
        <Tooltip label={t('hide')}>
          <ActionIcon size="sm" aria-label={t('hide')} onClick={onHide}>
            <IconEyeOff size={15} />
          </ActionIcon>
        </Tooltip>
      </Group>
    </Group>
  );
};
