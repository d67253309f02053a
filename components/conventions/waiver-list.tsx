'use client';

import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { RelativeTime } from '@/components/patterns/relative-time';
import { Strong } from '@/components/patterns/strong';
import touch from '@/components/patterns/touch.module.css';
import type { Waiver } from '@/lib/conventions/schema';

interface WaiverListProps {
  waivers: readonly Waiver[];
  /** Absent: without the permission. */
  onUnwaive?: ((waiver: Waiver) => void) | undefined;
  /** Names each waiver's rule, if they belong to several. */
  ruleTitle?: (rule: Waiver['rule']) => string;
}

/** Waivers with who recorded them, why and until when. Expired ones stay listed, but waive nothing. */
export const WaiverList = ({ waivers, onUnwaive, ruleTitle }: WaiverListProps) => {
  const t = useTranslations('conventions.waivers');
  if (waivers.length === 0) return <Dimmed>{t('none')}</Dimmed>;
  return (
    <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
      {waivers.map((waiver) => (
        <Group component="li" key={waiver.id} justify="space-between" align="flex-start" gap="xs">
          <div style={{ flex: 1, minWidth: 200 }}>
            <Strong component="div">
              {ruleTitle && `${ruleTitle(waiver.rule)} · `}
              {waiver.family === null ? t('allKeys') : <HostileText max={80}>{waiver.family}</HostileText>}{' '}
              {waiver.expired && <Badge color="orange">{t('expired')}</Badge>}
            </Strong>
            <Text size="sm" component="div">
              <HostileText max={500}>{waiver.why}</HostileText>
            </Text>
            <Dimmed size="xs" component="div">
              <HostileText max={80}>{waiver.who}</HostileText>
              {' · '}
              {t.rich(waiver.expired ? 'expiredAt' : 'until', {
                when: () => <RelativeTime at={waiver.until} />,
              })}
              {' · '}
              {t(`source.${waiver.source}`)}
            </Dimmed>
          </div>
          {onUnwaive && waiver.source === 'console' && (
            <Button variant="default" size="xs" className={touch.thumb} onClick={() => onUnwaive(waiver)}>
              {t('end')}
            </Button>
          )}
        </Group>
      ))}
    </Stack>
  );
};
