'use client';

import { Badge, Group, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { useNow } from '@/components/patterns/now';
import { RelativeTime } from '@/components/patterns/relative-time';
import { Strong } from '@/components/patterns/strong';
import { TextLink } from '@/components/patterns/text-link';
import { Tooltip } from '@/components/patterns/tooltip';
import { useFormat } from '@/components/patterns/use-format';
import { useMay } from '@/components/patterns/viewer';
import type { Flag } from '@/lib/flags/schema';
import { epochOf, UNKNOWN } from '@/lib/format';
import { DAY, MINUTE, SECOND } from '@/lib/time';
import { visibleText } from '@/lib/visible-text';
import { Description } from './description';

/** A flag unchanged for 30 days: perhaps it can be removed from the code. */
const StaleBadge = ({ since }: { since: string | null }) => {
  const t = useTranslations('flags');
  const now = useNow();
  const days = Math.floor(((now ?? 0) - (epochOf(since) ?? 0)) / DAY);
  return (
    <Tooltip label={t('staleHint')} multiline maw={280}>
      <Badge color="gray">{now === null ? t('stale') : t('unchangedDays', { days })}</Badge>
    </Tooltip>
  );
};

/** The other tags are in a tooltip, so that a row stays low. */
const TAGS_SHOWN = 3;

/** Kind, owner and tags. */
const Noted = ({ flag: { kind, owner, tags } }: { flag: Flag }) => {
  const t = useTranslations('flags');
  if (kind === null && owner === null && tags.length === 0) return null;
  const others = tags.slice(TAGS_SHOWN);
  return (
    <Group gap={6}>
      {kind && (
        <Badge color="gray" variant="outline">
          {t(`kind.${kind}`)}
        </Badge>
      )}
      {owner && (
        <Text span size="xs">
          <HostileText max={60}>{owner}</HostileText>
        </Text>
      )}
      {tags.slice(0, TAGS_SHOWN).map((tag) => (
        <Badge key={tag} color="gray">
          <HostileText max={40}>{tag}</HostileText>
        </Badge>
      ))}
      {others.length > 0 && (
        <Tooltip label={others.map((tag) => visibleText(tag, 40)).join(', ')} multiline maw={280}>
          <Text span size="xs">
            {t('schedule.more', { count: others.length })}
          </Text>
        </Tooltip>
      )}
    </Group>
  );
};

export const NameCell = ({ flag, onDescribe }: { flag: Flag; onDescribe: (flag: Flag) => void }) => {
  const t = useTranslations('flags');
  const { duration } = useFormat();
  return (
    <>
      <Group gap={6}>
        <Strong span>
          <HostileText max={80}>{flag.name}</HostileText>
        </Strong>
        {flag.stale && <StaleBadge since={flag.unchangedSince} />}
        {flag.ttlSeconds !== null && (
          <Tooltip label={t('expiresHint')}>
            <Badge color="orange">{t('expires', { life: duration(flag.ttlSeconds) })}</Badge>
          </Tooltip>
        )}
      </Group>
      <Noted flag={flag} />
      <Description flag={flag} onDescribe={onDescribe} />
    </>
  );
};

/** Link to the environment page, where values that are not booleans are edited. */
const EditElsewhere = ({ name }: { name: string }) => {
  const t = useTranslations('flags');
  const { id } = useConnection();
  const seesVariables = useMay('env:view');
  if (!seesVariables) return t('adminEdits');
  return (
    <TextLink href={`/${id}/env?q=${encodeURIComponent(name)}`} size="xs" underline="always">
      {t('editAsVariable')}
    </TextLink>
  );
};

/** The stored text. A value that is not a boolean says why it cannot be switched, and where to edit it. */
export const ValueCell = ({ flag }: { flag: Flag }) => {
  const t = useTranslations('flags');
  const { space } = useFormat();
  const shown = flag.raw !== null && <KeyText max={60}>{flag.raw}</KeyText>;
  if (flag.enabled !== null) return shown;
  const why = flag.type !== 'string' ? 'otherType' : flag.raw === null ? 'hidden' : 'notBooleanHint';
  return (
    <>
      {shown}
      <Dimmed size="xs" component="div">
        {t(why, { type: flag.type })}
        {space}
        <EditElsewhere name={flag.name} />
      </Dimmed>
    </>
  );
};

/** In full minutes, so that the text does not tick. */
const FirstSeen = ({ since }: { since: string }) => {
  const t = useTranslations('flags');
  const now = useNow();
  const { duration } = useFormat();
  if (now === null) return null;
  const ms = now - (epochOf(since) ?? now);
  return (
    <Text size="xs">
      {ms < MINUTE ? t('justSeen') : t('firstSeen', { time: duration((ms - (ms % MINUTE)) / SECOND) })}
    </Text>
  );
};

export const ChangeCell = ({ flag }: { flag: Flag }) => {
  const t = useTranslations('flags');
  if (!flag.updatedAt)
    return (
      <Dimmed component="div">
        {flag.changedOutside === null ? UNKNOWN : t(flag.changedOutside ? 'changedOutside' : 'notChanged')}
        {flag.unchangedSince && !flag.stale && <FirstSeen since={flag.unchangedSince} />}
      </Dimmed>
    );
  return (
    <>
      <Text size="sm" component="div">
        <RelativeTime at={flag.updatedAt} /> · <HostileText max={120}>{flag.updatedBy}</HostileText>
      </Text>
      {flag.reason && (
        <Dimmed size="xs" component="div">
          <HostileText max={120}>{flag.reason}</HostileText>
        </Dimmed>
      )}
    </>
  );
};
