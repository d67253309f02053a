'use client';

import { Button, Group, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type ReactNode, useState } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';
import { Drawer } from '@/components/patterns/drawer';
import { Facts } from '@/components/patterns/facts';
import { Bytes, Count, Duration } from '@/components/patterns/figures';
import { AbsoluteTime } from '@/components/patterns/relative-time';
import { RevealButton } from '@/components/patterns/reveal-button';
import { Strong } from '@/components/patterns/strong';
import { useReveal } from '@/components/patterns/use-reveal';
import type { ShownBytes } from '@/lib/key-values/schema';
import { keyContracts } from '@/lib/keys/schema';
import { visibleText } from '@/lib/visible-text';
import { ElementLink, EntryFields, elementName } from './element-columns';
import type { ElementDrawerProps } from './element-drawers';
import { viewOf } from './forms';
import { PAGE_ELEMENTS } from './queries';
import { Forms } from './string-value';
import { entryTime } from './unix-time';
import type { ElementRow } from './use-elements';

const partsOf = ({ field, member, value, fields }: ElementRow): ShownBytes[] =>
  [field, member, value, ...(fields ?? []).flatMap((pair) => [pair.field, pair.value])].filter(
    (part) => part !== undefined,
  );

/** One element: its parts in every suitable form. */
export const ElementDrawer = ({ row: given, details, opened, onClose, onClosed }: ElementDrawerProps) => {
  const t = useTranslations('keys.inspector.element');
  const tWord = useTranslations('words');
  const reveal = useReveal(keyContracts.reveal);
  const row = { ...given, ...reveal.shown?.answer.elements[0] };
  const { page, match } = given;
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={onClosed}
      width="wide"
      title={visibleText(elementName(row), 80)}
    >
      <Stack gap="md">
        <Facts
          facts={[
            row.index === undefined ? null : { label: t('index'), value: <Count value={row.index} /> },
            row.score === undefined ? null : { label: tWord('score'), value: row.score },
            row.entryId === undefined ? null : { label: tWord('entry'), value: <code>{row.entryId}</code> },
            row.entryId === undefined
              ? null
              : { label: t('time'), value: <AbsoluteTime at={entryTime(row.entryId)} /> },
            typeof row.ttlSeconds === 'number'
              ? { label: tWord('ttl'), value: <Duration value={row.ttlSeconds} /> }
              : null,
            row.link === undefined ? null : { label: tWord('key'), value: <ElementLink row={row} /> },
          ]}
        />
        {row.field && <Part label={tWord('field')} of={row.field} />}
        {row.member && <Part label={tWord('member')} of={row.member} />}
        {row.value && <Part label={tWord('value')} of={row.value} />}
        {row.fields && <EntryFields row={row} />}
        {(reveal.shown || partsOf(row).some(({ masked }) => masked)) && (
          <RevealButton
            reveal={reveal}
            revealable={details.revealable}
            input={{
              keyId: details.keyId,
              element: given.id,
              limit: PAGE_ELEMENTS,
              ...(page && { cursor: page }),
              ...(match && { match }),
            }}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {tWord('close')}
          </Button>
        </Group>
      </Stack>
    </Drawer>
  );
};

const Part = ({ label, of }: { label: string; of: ShownBytes }) => {
  const t = useTranslations('keys.inspector.element');
  const [form, setForm] = useState('');
  const note: ReactNode = of.masked ? null : (
    <Dimmed size="xs">
      <Bytes value={of.bytes} />
      {of.truncated && ` · ${t('truncated')}`}
    </Dimmed>
  );
  return (
    <section aria-label={label}>
      <Group justify="space-between" mb={4}>
        <Strong>{label}</Strong>
        {note}
      </Group>
      <Forms view={viewOf(of)} chosen={form} onChoose={setForm} onWhole={null} />
    </section>
  );
};
