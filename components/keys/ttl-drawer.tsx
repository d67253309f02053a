'use client';

import { useTranslations } from 'next-intl';
import { useState } from 'react';
import {
  DEFAULT_JITTER_SECONDS,
  DEFAULT_TTL_SECONDS,
  SetTtlDrawer,
} from '@/components/patterns/set-ttl-drawer';
import { useCommand } from '@/components/patterns/use-command';
import { familyContracts } from '@/lib/families/schema';
import { type SelectedKeysProps, SelectedRefusal, useSelectedKeys } from './selected-keys';

const DEFAULT_SPANS = { ttlSeconds: DEFAULT_TTL_SECONDS, jitterSeconds: DEFAULT_JITTER_SECONDS };

/** Adds a TTL to the selected keys, or shortens theirs. */
export const TtlDrawer = ({ keyIds, ...drawer }: SelectedKeysProps) => {
  const t = useTranslations('families.ttl');
  const change = useCommand(familyContracts.setTtl);
  const selected = useSelectedKeys(keyIds, drawer.opened);
  const [spans, setSpans] = useState(DEFAULT_SPANS);
  return (
    <SetTtlDrawer
      {...drawer}
      {...selected}
      change={change}
      title={t('title')}
      spans={spans}
      onSpans={(part) => setSpans((now) => ({ ...now, ...part }))}
      onClosed={() => setSpans(DEFAULT_SPANS)}
    >
      <SelectedRefusal error={selected.query.error} />
    </SetTtlDrawer>
  );
};
