'use client';

import { Kbd, Text, TextInput, Title } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { usePathname } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';
import { Drawer } from '@/components/patterns/drawer';
import { useShownLetter } from '@/components/patterns/shortcut';
import glossary from '@/messages/en/glossary.json';
import { useCommandKey } from '../command-key';
import { helpKeyOf, pageOf } from '../pages';
import classes from './help-drawer.module.css';
import { WORDS_OF, type Word } from './words-of-page';

const WORDS = Object.keys(glossary) as Word[];

interface HelpDrawerProps {
  opened: boolean;
  onClose: () => void;
}

/** What this page is for, the product's words, and the keys. */
export const HelpDrawer = ({ opened, onClose }: HelpDrawerProps) => {
  const t = useTranslations('shell');
  return (
    <Drawer opened={opened} onClose={onClose} position="right" width="detail" title={t('help')}>
      <Help />
    </Drawer>
  );
};

const Help = () => {
  const t = useTranslations('help');
  const tGlossary = useTranslations('glossary');
  const label = useTranslations();
  const page = pageOf(usePathname());
  const [text, setText] = useState('');
  const wanted = text.trim().toLocaleLowerCase();
  const here = (page && WORDS_OF[page.id]) ?? [];
  const matches = (word: Word): boolean =>
    `${tGlossary(`${word}.name`)} ${tGlossary(`${word}.text`)}`.toLocaleLowerCase().includes(wanted);
  const others = WORDS.filter((word) => wanted !== '' || !here.includes(word)).filter(matches);
  return (
    <div className={classes.help}>
      {page && wanted === '' && (
        <section>
          <Title order={3}>{label(page.label)}</Title>
          <Text size="sm">{label(helpKeyOf(page))}</Text>
        </section>
      )}
      <TextInput
        type="search"
        aria-label={t('search')}
        placeholder={t('search')}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {wanted === '' && <Words title={t('here')} words={here} />}
      <Words title={t('others')} words={others} />
      {wanted === '' && <Keys />}
      {wanted !== '' && others.length === 0 && <Dimmed>{t('nothing')}</Dimmed>}
    </div>
  );
};

const Words = ({ title, words }: { title: string; words: readonly Word[] }) => {
  const t = useTranslations('glossary');
  if (words.length === 0) return null;
  return (
    <section>
      <Title order={3}>{title}</Title>
      <dl className={classes.words}>
        {words.map((word) => (
          <div key={word}>
            <dt>{t(`${word}.name`)}</dt>
            <dd>{t(`${word}.text`)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
};

const Keys = () => {
  const t = useTranslations('help');
  const command = useCommandKey();
  const letter = useShownLetter('K');
  const keys = [
    ['search', `${command}${letter}`],
    ['help', '?'],
    ['rows', 'j k ↓ ↑'],
    ['open', 'Enter'],
    ['select', 'x'],
    ['filter', '/'],
    ['close', 'Esc'],
  ] as const;
  return (
    <section>
      <Title order={3}>{t('keys')}</Title>
      <dl className={classes.keys}>
        {keys.map(([name, shown]) => (
          <div key={name}>
            <dt>
              {shown.split(' ').map((key) => (
                <Kbd key={key} size="sm">
                  {key}
                </Kbd>
              ))}
            </dt>
            <dd>{t(`key.${name}`)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
};
