'use client';

import { useTranslations } from 'next-intl';
import { Facts } from '@/components/patterns/facts';
import { HostileText } from '@/components/patterns/hostile-text';
import { useFormat } from '@/components/patterns/use-format';
import { idleSeconds, isState, type SessionFilter } from './session-filter';

/** A filter in words. */
export const FilterFacts = ({ filter }: { filter: SessionFilter }) => {
  const t = useTranslations('sessions');
  const tWord = useTranslations('words');
  const { duration } = useFormat();
  const { name, device, address, idle, state } = filter;
  const seconds = idleSeconds(idle);
  const part = (text: string) =>
    t.rich('filter.contains', { text: () => <HostileText max={80}>{text}</HostileText> });
  return (
    <Facts
      facts={[
        name ? { label: tWord('user'), value: part(name) } : null,
        device ? { label: t('filter.device'), value: part(device) } : null,
        address ? { label: tWord('address'), value: part(address) } : null,
        seconds
          ? { label: t('filter.idle'), value: t('filter.longerThan', { time: duration(seconds) }) }
          : null,
        isState(state) ? { label: tWord('state'), value: t(`state.${state}`) } : null,
      ]}
    />
  );
};
