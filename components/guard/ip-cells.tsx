'use client';

import { Badge, Button, Group, Text } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { Dimmed } from '@/components/patterns/dimmed';
import { PerSecond } from '@/components/patterns/figures';
import { KeyText } from '@/components/patterns/hostile-text';
import { RateBar } from '@/components/patterns/rate-bar';
import { useFormat } from '@/components/patterns/use-format';
import { useSentences } from '@/components/patterns/use-sentences';
import { UNKNOWN } from '@/lib/format';
import type { TrafficIp } from '@/lib/guard/traffic/schema';
import type { IpMap } from './traffic-queries';

export const AddressCell = ({ ip }: { ip: TrafficIp }) => {
  const t = useTranslations('guard.traffic');
  const tGuard = useTranslations('guard');
  return (
    <>
      <Group gap={6}>
        <KeyText max={100}>{ip.ip}</KeyText>
        {ip.kind !== 'address' && <Badge color="gray">{t(`kind.${ip.kind}`)}</Badge>}
        {ip.new && <Badge color="gray">{t('new')}</Badge>}
        {ip.own && <Badge color="red">{tGuard('own.mark')}</Badge>}
      </Group>
      {ip.kind === 'chain' && ip.firstAddress && (
        <Dimmed size="xs">{t('says', { address: ip.firstAddress })}</Dimmed>
      )}
    </>
  );
};

/** Over the threshold, and banned: two independent facts. */
export const FactsCell = ({ ip, map }: { ip: TrafficIp; map: IpMap }) => {
  const t = useTranslations('guard.traffic.fact');
  const translate = useSentences();
  const isOver = map === 'currentPeriod' && ip.overThreshold;
  return (
    <>
      <Group gap={4}>
        {isOver && (
          <Badge color="orange" flex="none">
            {t('over')}
          </Badge>
        )}
        <Badge flex="none" color={ip.blacklisted ? 'green' : 'gray'}>
          {t(ip.blacklisted === null ? 'unknown' : ip.blacklisted ? 'banned' : 'notBanned')}
        </Badge>
      </Group>
      {!ip.blacklisted && ip.notBannable && <Dimmed size="xs">{translate(ip.notBannable)}</Dimmed>}
    </>
  );
};

export const Projection = ({ ip }: { ip: TrafficIp }) => {
  const t = useTranslations('guard.traffic');
  const format = useFormat();
  if (ip.crossesInSeconds === null) return UNKNOWN;
  return t('crosses', { time: format.duration(ip.crossesInSeconds) });
};

const NO_BREAK_SPACE = '\u00a0';

export const RateCell = ({ ip }: { ip: TrafficIp }) => (
  <>
    <PerSecond value={ip.ratePerSecond} />
    {/* Always one line: a row that grows moves the rows below it under the pointer. */}
    <Text size="xs" c="var(--kw-warn-text)" style={{ whiteSpace: 'nowrap' }}>
      {ip.crossesInSeconds === null ? NO_BREAK_SPACE : <Projection ip={ip} />}
    </Text>
  </>
);

interface BanButtonProps {
  ip: TrafficIp;
  map: IpMap;
  onBan: (address: string) => void;
}

export const BanButton = ({ ip, map, onBan }: BanButtonProps) => {
  const t = useTranslations('guard.traffic');
  const { banText } = ip;
  if (banText === null || ip.blacklisted !== false) return null;
  const isUrgent = map === 'currentPeriod' && ip.overThreshold;
  return (
    <Button
      size="compact-xs"
      color={isUrgent ? 'red' : 'gray'}
      variant={isUrgent ? 'light' : 'subtle'}
      leftSection={<IconBan size={14} aria-hidden />}
      aria-label={t('banOf', { address: banText })}
      onClick={() => onBan(banText)}
    >
      {t('ban')}
    </Button>
  );
};

interface ThresholdBarProps {
  requests: number;
  threshold: number;
}

const levelOf = (part: number) => {
  if (part >= 1) return 'bad';
  return part >= 0.8 ? 'warn' : 'plain';
};

/** Share of the threshold that is used; full means over it. */
export const ThresholdBar = ({ requests, threshold }: ThresholdBarProps) => {
  const part = threshold > 0 ? requests / threshold : 1;
  return <RateBar value={part} level={levelOf(part)} short />;
};
