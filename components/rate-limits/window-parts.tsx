'use client';

import { Badge } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Dimmed, SmallNote } from '@/components/patterns/dimmed';
import { Count } from '@/components/patterns/figures';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { RateBar } from '@/components/patterns/rate-bar';
import { Tooltip } from '@/components/patterns/tooltip';
import { useFormat } from '@/components/patterns/use-format';
import type { LimitSource, RateWindow, WindowState } from '@/lib/rate-limits/schema';

const COLORS: Record<WindowState, string> = {
  limited: 'red',
  unreadable: 'red',
  near: 'orange',
  ok: 'green',
  expired: 'gray',
  unlimited: 'gray',
};

/** The state, with its meaning on hover. */
export const StateBadge = ({ state }: { state: WindowState }) => {
  const t = useTranslations('rateLimits');
  return (
    <Tooltip label={t(`stateMeans.${state}`)} multiline maw={300}>
      <Badge color={COLORS[state]}>{t(`state.${state}`)}</Badge>
    </Tooltip>
  );
};

export const SourceText = ({ source }: { source: LimitSource }) => {
  const t = useTranslations('rateLimits.source');
  return t(source);
};

/** The level that sets a figure. */
const SetBy = ({ source }: { source: LimitSource }) => (
  <SmallNote display="block" style={{ whiteSpace: 'nowrap' }}>
    <SourceText source={source} />
  </SmallNote>
);

export const LimitFigure = ({ limit, source }: { limit: number; source: LimitSource }) => {
  const t = useTranslations('rateLimits');
  const format = useFormat();
  return (
    <>
      {limit === 0 ? t('state.unlimited') : format.count(limit)}
      <SetBy source={source} />
    </>
  );
};

export const PeriodFigure = ({ seconds, source }: { seconds: number; source: LimitSource }) => {
  const format = useFormat();
  return (
    <>
      {format.duration(seconds)}
      <SetBy source={source} />
    </>
  );
};

/** Events left in the window. */
export const RemainingFigure = ({ window: { state, remaining } }: { window: RateWindow }) => {
  const t = useTranslations('rateLimits');
  return state === 'unlimited' ? t('state.unlimited') : <Count value={remaining} />;
};

const levelOf = (state: WindowState) => (state === 'limited' ? 'bad' : state === 'near' ? 'warn' : 'good');

/** Share of the limit that is used; "unlimited", or the stored text where it is unreadable. */
export const UseCell = ({ window: { state, use, raw } }: { window: RateWindow }) => {
  const t = useTranslations('rateLimits');
  if (state === 'unreadable') return <KeyText max={40}>{raw}</KeyText>;
  if (state === 'unlimited') return <Dimmed span>{t('state.unlimited')}</Dimmed>;
  return <RateBar value={use} level={levelOf(state)} short />;
};

/** The project, with its name, and a mark if it is blocked, unknown to the source of limits, or not a project id. */
export const ProjectCell = ({
  window: { field, projectId, project, names, blocked },
}: {
  window: Pick<RateWindow, 'field' | 'projectId' | 'project' | 'names' | 'blocked'>;
}) => {
  const t = useTranslations('rateLimits');
  return (
    <>
      {names.project && (
        <div>
          <HostileText max={60}>{names.project}</HostileText>
        </div>
      )}
      <KeyText max={60}>{field}</KeyText>
      {blocked === true && (
        <>
          {' '}
          <Tooltip label={t('blockedMeans')} multiline maw={300}>
            <Badge color="red" variant="outline" size="sm">
              {t('blocked')}
            </Badge>
          </Tooltip>
        </>
      )}
      {(projectId === null || project === 'unknown') && (
        <SmallNote display="block">{t(projectId === null ? 'noProject' : 'unknownProject')}</SmallNote>
      )}
    </>
  );
};
