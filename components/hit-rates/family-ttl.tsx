'use client';

import { Alert, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { BarChart } from '@/components/charts/bar-chart';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { Facts } from '@/components/patterns/facts';
import { Bytes, Count, Duration } from '@/components/patterns/figures';
import { RelativeTime } from '@/components/patterns/relative-time';
import { Strong } from '@/components/patterns/strong';
import { Unanswered } from '@/components/patterns/unanswered';
import { useFormat } from '@/components/patterns/use-format';
import { hitRateQueries } from './queries';
import { expiryBars, type FamilyTtlFigures, remainingBars } from './ttl-bars';

/** The TTLs and ages of a family's keys, and which expire together. `family` is a family id. */
export const FamilyTtl = ({ family }: { family: string }) => {
  const t = useTranslations('hitRates.ttl');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const query = useQuery(hitRateQueries.familyTtl(id, family));
  const { data, error } = query;
  if (error || !data) return <Unanswered query={query} height={200} radius="md" />;
  if (data.countedAt === null) return <Dimmed>{t('notCounted')}</Dimmed>;
  return (
    <Stack gap="md" data-testid="family-ttl">
      <Facts
        facts={[
          { label: t('averageTtl'), value: <Duration value={data.averageTtlSeconds} /> },
          { label: t('averageAge'), value: <Duration value={data.averageAgeSeconds} /> },
          { label: tWord('withoutTtl'), value: <Count value={data.withoutTtl} /> },
          { label: tWord('memory'), value: <Bytes value={data.memoryBytes} /> },
          { label: tWord('memoryPerKey'), value: <Bytes value={data.averageKeyBytes} /> },
          { label: t('counted'), value: <RelativeTime at={data.countedAt} /> },
        ]}
      />
      {data.withTtl === 0 ? <Dimmed>{t('none')}</Dimmed> : <Histograms figures={data} />}
    </Stack>
  );
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Tick = ReturnType<typeof useFormat>['tick'];

/** A unique name for each bar: the time of day alone would repeat in more than a day. */
const barName = (at: number, widthMs: number, spanMs: number, tick: Tick): string => {
  const date = tick(at, 3 * DAY_MS);
  if (widthMs >= DAY_MS) return date;
  const time = tick(at, Math.min(spanMs, DAY_MS));
  return spanMs > DAY_MS - HOUR_MS ? `${date}, ${time}` : time;
};

/** A larger share of the keys in one bin is worth a warning. */
const NOTABLE_SHARE = 0.1;

const Histograms = ({ figures }: { figures: FamilyTtlFigures }) => {
  const t = useTranslations('hitRates.ttl');
  const tWord = useTranslations('words');
  const format = useFormat();
  const { together, title } = figures;
  const bars = expiryBars(figures);
  const span = bars.length > 0 ? bars.at(-1)!.at - bars[0]!.at : 0;
  const nameOf = (from: number, to: number | null) =>
    to === null ? t('longer', { from: format.duration(from) }) : t('upTo', { to: format.duration(to) });
  return (
    <>
      {together && together.share >= NOTABLE_SHARE && (
        <Alert color="orange" title={t('together')}>
          {t('togetherNote', {
            count: together.keys,
            share: format.ratio(together.share),
            seconds: format.duration(together.seconds),
            at: format.absolute(Date.parse(together.at)),
          })}
        </Alert>
      )}
      <div>
        <Strong>{t('remaining')}</Strong>
        <BarChart
          label={t('remainingLabel', { family: title })}
          name={`${figures.family}-ttl`}
          headers={{ name: t('ttl'), value: tWord('keys') }}
          bars={remainingBars(figures, nameOf)}
          format={format.count}
          height={160}
        />
      </div>
      {bars.length > 0 && (
        <div>
          <Strong>{t('expiries', { step: format.duration(bars[0]!.width / 1000) })}</Strong>
          <BarChart
            label={t('expiriesLabel', { family: title })}
            name={`${figures.family}-expiry`}
            headers={{ name: tWord('expires'), value: tWord('keys') }}
            bars={bars.map(({ at, keys }) => ({
              name: barName(at, bars[0]!.width, span, format.tick),
              value: keys,
            }))}
            format={format.count}
            height={160}
            dense
          />
        </div>
      )}
    </>
  );
};
