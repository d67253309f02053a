'use client';

import { Alert, Badge, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { Facts } from '@/components/patterns/facts';
import { HostileText } from '@/components/patterns/hostile-text';
import { onDemand } from '@/components/patterns/on-demand';
import { Panel } from '@/components/patterns/panel';
import { RelativeTime } from '@/components/patterns/relative-time';
import { Unanswered } from '@/components/patterns/unanswered';
import { useFormat } from '@/components/patterns/use-format';
import { useSentences } from '@/components/patterns/use-sentences';
import type { SamplingState } from '@/lib/hit-rates/schema';
import { Flags } from './flags';
import { obstaclesOf } from './obstacles';
import { hitRateQueries } from './queries';

const SampleDrawer = onDemand(async () => (await import('./sample-drawer')).SampleDrawer);
const SamplingDrawer = onDemand(async () => (await import('./sampling-drawer')).SamplingDrawer);

type Opened = 'on' | 'off' | 'sample' | null;

/** The live sample: its state, what the server permits, and what it changes there. */
export const SamplingPanel = ({ onJob }: { onJob: (jobId: string) => void }) => {
  const t = useTranslations('hitRates.sampling');
  const { id } = useConnection();
  const query = useQuery(hitRateQueries.sampling(id, true));
  const { data: state, error } = query;
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  return (
    <Panel title={t('title')} note={t('note')}>
      {(!state || error) && <Unanswered query={query} height={160} radius="md" />}
      {state && (
        <Stack gap="md">
          <Present state={state} />
          <Obstacles state={state} />
          <Actions state={state} onOpen={setOpened} />
          <SamplingDrawer
            state={state}
            on={opened !== 'off'}
            opened={opened === 'on' || opened === 'off'}
            onClose={close}
          />
          <SampleDrawer
            state={state}
            opened={opened === 'sample'}
            onClose={close}
            onJob={(jobId) => {
              close();
              onJob(jobId);
            }}
          />
        </Stack>
      )}
    </Panel>
  );
};

const Actions = ({ state, onOpen }: { state: SamplingState; onOpen: (what: Opened) => void }) => {
  const t = useTranslations('hitRates.sampling');
  const { readOnly } = useConnection();
  const impossible = obstaclesOf(state, readOnly).length > 0;
  return (
    <Group gap="sm">
      <Button disabled={impossible} onClick={() => onOpen('sample')}>
        {t('sampleNow')}
      </Button>
      <Button variant="default" disabled={impossible} onClick={() => onOpen('on')}>
        {t(state.on ? 'change' : 'turnOn')}
      </Button>
      {state.on && (
        <Button variant="default" onClick={() => onOpen('off')}>
          {t('turnOff')}
        </Button>
      )}
    </Group>
  );
};

/** Why windows are impossible on this server, and which figures there are instead. */
const Obstacles = ({ state }: { state: SamplingState }) => {
  const t = useTranslations('hitRates.sampling');
  const { readOnly } = useConnection();
  const obstacles = obstaclesOf(state, readOnly);
  if (obstacles.length === 0) return null;
  return (
    <Alert color="orange" title={t('impossible')}>
      {obstacles.map(({ what, why }) => (
        <Text key={what} size="sm">
          {t(`obstacle.${what}`)} {why && <HostileText max={200}>{why}</HostileText>}
        </Text>
      ))}
      <Text size="sm" mt={4}>
        {t('fallback')}
      </Text>
    </Alert>
  );
};

const Present = ({ state }: { state: SamplingState }) => {
  const t = useTranslations('hitRates.sampling');
  const translate = useSentences();
  const tWord = useTranslations('words');
  const format = useFormat();
  const { lastWindow, consent } = state;
  const status = !state.on ? 'off' : state.stoppedBecause !== null ? 'stopped' : 'on';
  const cycle = t('cycle', {
    seconds: format.number(state.forSeconds, 2),
    every: format.duration(state.everySeconds),
    share: format.ratio(state.dutyCycle),
  });
  return (
    <>
      {state.on && state.stoppedBecause !== null && (
        <Alert color="orange" title={t('stopped')}>
          <HostileText max={300}>{state.stoppedBecause}</HostileText>
        </Alert>
      )}
      {state.toRestore.map(({ node, before, during, since }) => (
        <Alert key={node} color="gray">
          {t.rich('toRestore', {
            node,
            code: (text) => <Code>{text}</Code>,
            before: JSON.stringify(before),
            during: JSON.stringify(during),
            since: () => <RelativeTime at={since} />,
          })}
        </Alert>
      ))}
      <Facts
        facts={[
          {
            label: tWord('state'),
            value: (
              <Group gap="xs">
                <Badge color={status === 'on' ? 'green' : status === 'off' ? 'gray' : 'orange'}>
                  {t(`state.${status}`)}
                </Badge>
                {state.running && t('open')}
              </Group>
            ),
          },
          state.on ? { label: t('fact.cycle'), value: `${cycle} · ${t(`origin.${state.origin}`)}` } : null,
          { label: t('fact.flags'), value: <Flags nodes={state.nodes} /> },
          {
            label: t('fact.consent'),
            value: consent
              ? t.rich('consent', {
                  by: translate(consent.by),
                  before: JSON.stringify(consent.present),
                  during: JSON.stringify(consent.proposed),
                  code: (text) => <Code>{text}</Code>,
                  at: () => <RelativeTime at={consent.at} />,
                })
              : t(state.needsConsent ? 'noConsent' : 'noConsentNeeded'),
          },
          lastWindow && {
            label: t('fact.last'),
            value: (
              <>
                <RelativeTime at={lastWindow.at} /> ·{' '}
                {t(lastWindow.cutShort === null ? 'last' : 'lastShort', {
                  seconds: format.number(lastWindow.seconds, 2),
                  asked: format.number(lastWindow.askedSeconds, 2),
                  why: lastWindow.cutShort ?? '',
                  coverage: format.ratio(lastWindow.coverage),
                })}
              </>
            ),
          },
        ]}
      />
    </>
  );
};
