'use client';

import { Anchor, Badge } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useCallback } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { KeyText } from '@/components/patterns/hostile-text';
import { Link } from '@/components/patterns/link';
import { visibleText } from '@/lib/visible-text';
import type { Held } from './compare-flags';

/** What a connection holds of a flag, as text, also for exports. */
export const useHeldText = (): ((held: Held) => string) => {
  const t = useTranslations('flags');
  return useCallback(
    (held) => {
      if (held === 'loading') return '…';
      if (typeof held === 'string') return t(`compare.${held}`);
      if (held.enabled !== null) return t(held.enabled ? 'on' : 'off');
      return held.raw ?? (held.type === 'string' ? t('compare.hidden') : held.type);
    },
    [t],
  );
};

interface HeldValueProps {
  held: Held;
  /** The connection that holds it. */
  of: { id: string; name: string };
}

/** A flag's value on a connection; on another one than this page's it links to the flag there. */
export const HeldValue = ({ held, of }: HeldValueProps) => {
  const t = useTranslations('flags.compare');
  const { id } = useConnection();
  const textOf = useHeldText();
  const text = textOf(held);
  if (typeof held === 'string') return <Dimmed>{text}</Dimmed>;
  const value =
    held.enabled === null ? (
      <KeyText max={40}>{text}</KeyText>
    ) : (
      <Badge color={held.enabled ? 'green' : 'gray'}>{text}</Badge>
    );
  if (of.id === id) return value;
  const name = visibleText(held.name, 80);
  return (
    <Anchor
      component={Link}
      href={`/${of.id}/flags?q=${encodeURIComponent(held.name)}`}
      aria-label={t('open', { name, connection: visibleText(of.name, 40), value: visibleText(text, 40) })}
    >
      {value}
    </Anchor>
  );
};
