'use client';

import { useTranslations } from 'next-intl';
import { Count } from '@/components/patterns/figures';
import { RelativeTime } from '@/components/patterns/relative-time';
import type { Diagnostics } from '@/lib/diagnostics/schema';
import { FamilyTable } from './family-table';
import { SectionPanel } from './section-panel';

const MAX_FAMILIES = 12;

/** Keys per family, with those that never expire. */
export const KeysSection = ({ keys }: { keys: Diagnostics['keys'] }) => {
  const t = useTranslations('diagnostics');
  const tWord = useTranslations('words');
  const { figures } = keys;
  return (
    <SectionPanel
      name="keys"
      section={keys}
      findings={keys.findings.map((finding) => t(`finding.keys.${finding}`))}
      links={[
        { path: '/families', label: tWord('families') },
        { path: '/catalog', label: t('link.catalog') },
      ]}
      facts={[
        { label: tWord('keys'), value: <Count value={figures?.keys} /> },
        { label: t('keys.withoutTtl'), value: <Count value={figures?.withoutTtl} /> },
        { label: t('key.noFamily'), value: <Count value={figures?.unclassified} /> },
        { label: t('keys.malformed'), value: <Count value={figures?.malformed} /> },
        { label: t('counted'), value: <RelativeTime at={figures?.countedAt ?? null} /> },
      ]}
    >
      <FamilyTable
        label={t('keys.families')}
        name="diagnostics-keys"
        rows={figures?.families.slice(0, MAX_FAMILIES) ?? []}
      />
    </SectionPanel>
  );
};
