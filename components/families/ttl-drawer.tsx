'use client';

import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import {
  DEFAULT_JITTER_SECONDS,
  DEFAULT_TTL_SECONDS,
  SetTtlDrawer,
} from '@/components/patterns/set-ttl-drawer';
import { secondsOf } from '@/components/patterns/span-units';
import { useCommand } from '@/components/patterns/use-command';
import { familyContracts } from '@/lib/families/schema';
import type { DraftFields } from './draft';
import { type TargetDrawerProps, useTarget } from './use-target';

/** Sets the TTL of a family, an entity's keys, a pattern or exact keys. */
export const TargetTtlDrawer = (props: TargetDrawerProps<DraftFields & { ttl: string; jitter: string }>) => {
  const { opened, url, setUrl, onClose, onJob } = props;
  const t = useTranslations('families.ttl');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const change = useCommand(familyContracts.setTtl, id);
  const { family, fields, ...counted } = useTarget({ ...props, onChange: change.reset });
  return (
    <SetTtlDrawer
      {...{ opened, onClose, onJob, change }}
      {...counted}
      title={family ? t('titleOf', { family: family.title }) : t('title')}
      spans={{
        ttlSeconds: secondsOf(url.ttl, 1, DEFAULT_TTL_SECONDS),
        jitterSeconds: secondsOf(url.jitter, 0, DEFAULT_JITTER_SECONDS),
      }}
      onSpans={({ ttlSeconds, jitterSeconds }) =>
        setUrl({
          ...(ttlSeconds !== undefined && { ttl: String(ttlSeconds) }),
          ...(jitterSeconds !== undefined && { jitter: String(jitterSeconds) }),
        })
      }
      {...(family && { ttlHint: tWord('catalogTtl', { ttl: family.ttl }) })}
    >
      {fields}
    </SetTtlDrawer>
  );
};
