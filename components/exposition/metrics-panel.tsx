'use client';

import { Anchor, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconDownload } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useId, useState } from 'react';
import { useConnections } from '@/components/patterns/connection';
import { Panel } from '@/components/patterns/panel';
import { basePath } from '@/lib/api-client';
import { FigureTable } from './figure-table';
import { scrapeConfig } from './scrape-config';

const ScrapeConfig = () => {
  const t = useTranslations('exposition');
  const tWord = useTranslations('words');
  const text = scrapeConfig(window.location);
  return (
    <div>
      <Group justify="space-between" mb={6}>
        <Text size="sm">{t('config')}</Text>
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button variant="default" size="xs" onClick={copy}>
              {copied ? tWord('copied') : tWord('copy')}
            </Button>
          )}
        </CopyButton>
      </Group>
      {/* Focusable, so that it scrolls by keyboard too. */}
      <Code block tabIndex={0} role="region" aria-label={t('config')}>
        {text}
      </Code>
    </div>
  );
};

/** How Prometheus scrapes the console, the dashboard for Grafana, and the figures they get. Closed at first. */
export const MetricsPanel = () => {
  const t = useTranslations('exposition');
  const [isOpen, setOpen] = useState(false);
  const [first] = useConnections();
  const id = useId();
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <>
      <Button
        variant="subtle"
        mt="md"
        leftSection={<Chevron size={16} aria-hidden />}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {t('title')}
      </Button>
      <div id={id}>
        {isOpen && (
          <Panel>
            <Stack gap="md">
              <Text size="sm">{t('how')}</Text>
              <ScrapeConfig />
              <Group gap="xs">
                <Text size="sm">{t('dashboard')}</Text>
                <Anchor size="sm" href={`${basePath()}/grafana/keyward.json`} download="keyward.json">
                  <IconDownload size={14} aria-hidden /> {t('download')}
                </Anchor>
              </Group>
              {first && <FigureTable connection={first.id} />}
            </Stack>
          </Panel>
        )}
      </div>
    </>
  );
};
