'use client';

import { Badge, Group } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useWords } from '@/components/contract-list/words';
import { SmallNote } from '@/components/patterns/dimmed';
import { Duration } from '@/components/patterns/figures';
import { NO_STATUS } from '@/components/patterns/filter-bar';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { RelativeTime } from '@/components/patterns/relative-time';
import { Tooltip } from '@/components/patterns/tooltip';
import { useFormat } from '@/components/patterns/use-format';
import { UNKNOWN } from '@/lib/format';
import type { Lock } from '@/lib/locks/schema';
import type { ProcessState, Stage } from '@/lib/processes/schema';

interface MeantBadgesProps {
  /** Where the words are; their meanings are in the namespace of the same name with `Means`. */
  words: string;
  ids: readonly string[];
  colorOf: (id: string) => string;
}

/** Words, each with its meaning on hover. */
export const MeantBadges = ({ words, ids, colorOf }: MeantBadgesProps) => {
  const t = useWords(words);
  const means = useWords(`${words}Means`);
  return ids.map((id) => (
    <Tooltip key={id} label={means(id)} multiline maw={300}>
      <Badge color={colorOf(id)}>{t(id)}</Badge>
    </Tooltip>
  ));
};

/** What is left of a life; "never expires" without an end. */
export const LeftFigure = ({ seconds }: { seconds: number | null }) => {
  const tWord = useTranslations('words');
  return seconds === null ? tWord('neverExpires') : <Duration value={seconds} />;
};

interface ReadFacts {
  foundAt: string | null;
  readAt: string | null;
  isComplete: boolean;
}

/** A list lacks keys that are newer than its scan. */
const MAX_SCAN_AGE_MS = 10_000;

/** When the rows were read, when their keys were found, and whether these are all. */
export const ReadLine = ({ of }: { of: ReadFacts | undefined }) => {
  const t = useTranslations('locks.read');
  const tWord = useTranslations('words');
  if (!of) return NO_STATUS;
  const { foundAt, readAt, isComplete } = of;
  if (foundAt === null || readAt === null) return t('reading');
  return (
    <>
      {t.rich('at', { age: () => <RelativeTime at={readAt} /> })}
      {Date.parse(readAt) - Date.parse(foundAt) > MAX_SCAN_AGE_MS && (
        <> · {tWord.rich('keysFound', { age: () => <RelativeTime at={foundAt} /> })}</>
      )}
      {!isComplete && ` · ${t('notAll')}`}
    </>
  );
};

export const LockProblems = ({ lock: { problems } }: { lock: Lock }) => {
  const t = useTranslations('locks.lock');
  if (problems.length === 0) return <span>{t('noProblem')}</span>;
  const colorOf = (id: string) => (id === 'noTtl' ? 'red' : 'orange');
  return (
    <Group gap={4}>
      <MeantBadges words="locks.lock.problem" ids={problems} colorOf={colorOf} />
    </Group>
  );
};

/** The beginning of the token, and a digest by which owners differ. */
export const OwnerText = ({ lock: { owner, ownerDigest } }: { lock: Lock }) => {
  const t = useTranslations('locks.lock');
  if (owner === null) return <span>{UNKNOWN}</span>;
  return (
    <>
      <KeyText max={40}>{owner}</KeyText>{' '}
      {ownerDigest && <SmallNote title={t('digest')}>{ownerDigest}</SmallNote>}
    </>
  );
};

/** "12 s", or "≥ 12 s" where it may be older. */
export const AgeFigure = ({ lock: { ageSeconds, ageIsAtLeast } }: { lock: Lock }) => {
  const t = useTranslations('locks.lock');
  const age = useFormat().duration(ageSeconds);
  if (ageSeconds === null) return <span>{age}</span>;
  return <span title={t(ageIsAtLeast ? 'ageAtLeast' : 'ageByTtl')}>{ageIsAtLeast ? `≥ ${age}` : age}</span>;
};

const COLORS: Record<Stage, string> = {
  running: 'green',
  waiting: 'gray',
  finished: 'gray',
  failed: 'red',
  unknown: 'gray',
};

/** Stuck or not, with the reasons; what the process itself says beside it. */
export const StageCell = ({ state }: { state: ProcessState }) => {
  const { stage, stuckReasons, status, problem } = state;
  const t = useTranslations('locks.process.stage');
  const isPlain = stuckReasons.length === 0 && !problem;
  const isSame = isPlain && [stage, t(stage).toLowerCase()].includes(status?.toLowerCase() ?? '');
  const saysMore = status !== null && !isSame;
  return (
    <Group gap={4}>
      <MeantBadges words="locks.process.stuck" ids={stuckReasons} colorOf={() => 'red'} />
      <MeantBadges words="locks.process.unreadable" ids={problem ? [problem] : []} colorOf={() => 'orange'} />
      <MeantBadges words="locks.process.stage" ids={isPlain ? [stage] : []} colorOf={() => COLORS[stage]} />
      {saysMore && (
        <SmallNote>
          <HostileText max={40}>{status}</HostileText>
        </SmallNote>
      )}
    </Group>
  );
};
