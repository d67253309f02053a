'use client';

import { Badge, Button, Group, TextInput } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type ClipboardEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { AS_TYPED, MONOSPACE } from '@/components/patterns/as-typed';
import { SmallNote } from '@/components/patterns/dimmed';
import { pastedLines } from '@/components/patterns/exact-text';
import { HostileText } from '@/components/patterns/hostile-text';
import type { Suggestion } from '@/lib/command-line/schema';
import classes from './command-line.module.css';

interface LineInputProps {
  line: string;
  onChange: (line: string) => void;
  onRun: (line: string) => void;
  running: boolean;
  suggestions: readonly Suggestion[];
  /** Where in the line a suggestion begins. */
  from: number;
  /** Lines of this visit, newest first: in memory only, as typed. */
  recent: readonly string[];
}

/** The line with its suggestions: a combobox. Up and down choose a suggestion, or recall lines while none is open. */
export const LineInput = ({ line, onChange, onRun, running, suggestions, from, recent }: LineInputProps) => {
  const t = useTranslations('commandLine');
  const tWord = useTranslations('words');
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  /** Which recalled line this is; -1 for one that is being typed. */
  const [recalled, setRecalled] = useState(-1);
  const shows = isOpen && line !== '' && suggestions.length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: new suggestions have none selected
  useEffect(() => setActive(-1), [suggestions]);
  useEffect(() => {
    if (active >= 0) list.current?.children[active]?.scrollIntoView?.({ block: 'nearest' });
  }, [active]);

  const type = (next: string) => {
    onChange(next);
    setRecalled(-1);
    setOpen(true);
  };
  const accept = ({ text }: Suggestion) => {
    type(line.slice(0, from) + text);
    input.current?.focus();
  };
  const recall = (to: number) => {
    if (to < -1 || to >= recent.length) return;
    setRecalled(to);
    setOpen(false);
    onChange(to < 0 ? '' : recent[to]!);
  };
  const submit = () => {
    if (running || line.trim() === '') return;
    setOpen(false);
    setRecalled(-1);
    onRun(line);
  };
  const isChosen = shows && active >= 0;
  /** What a key does; null leaves it to the browser. */
  const actOf = (key: string): (() => void) | null => {
    if (key === 'ArrowDown')
      return () => (shows ? setActive(Math.min(active + 1, suggestions.length - 1)) : recall(recalled - 1));
    if (key === 'ArrowUp') return () => (isChosen ? setActive(active - 1) : recall(recalled + 1));
    if (key === 'Escape' && shows) return () => setOpen(false);
    if ((key === 'Tab' || key === 'Enter') && isChosen) return () => accept(suggestions[active]!);
    return key === 'Enter' ? submit : null;
  };
  // Line breaks become escapes, which quoted arguments allow; the browser would paste spaces instead.
  const paste = (event: ClipboardEvent) => {
    const next = pastedLines(event, line, (lineBreak, at, pasted) =>
      at >= pasted.trimEnd().length ? '' : lineBreak === '\r' ? '\\r' : '\\n',
    );
    if (next !== null) type(next);
  };
  const press = (event: KeyboardEvent) => {
    const act = event.nativeEvent.isComposing || event.shiftKey ? null : actOf(event.key);
    if (!act) return;
    event.preventDefault();
    act();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <div style={{ position: 'relative', flex: 1, minWidth: 0 }}>
          <TextInput
            ref={input}
            label={tWord('command')}
            description={t('hint')}
            leftSection={<IconChevronRight size={16} aria-hidden />}
            value={line}
            onChange={(event) => type(event.currentTarget.value)}
            onKeyDown={press}
            onPaste={paste}
            onBlur={() => setOpen(false)}
            maxLength={16_384}
            role="combobox"
            aria-expanded={shows}
            aria-controls={listId}
            aria-autocomplete="list"
            {...(shows && active >= 0 && { 'aria-activedescendant': `${listId}-${active}` })}
            styles={MONOSPACE}
            {...AS_TYPED}
          />
          <div
            id={listId}
            ref={list}
            role="listbox"
            aria-label={t('suggestions')}
            hidden={!shows}
            className={classes.list}
          >
            {suggestions.map((suggestion, i) => (
              <SuggestionRow
                key={`${suggestion.kind} ${suggestion.label}`}
                id={`${listId}-${i}`}
                suggestion={suggestion}
                isActive={i === active}
                onChoose={() => accept(suggestion)}
              />
            ))}
          </div>
        </div>
        <Button type="submit" loading={running} disabled={line.trim() === ''}>
          {t('plan.run')}
        </Button>
      </Group>
    </form>
  );
};

interface SuggestionRowProps {
  id: string;
  suggestion: Suggestion;
  isActive: boolean;
  onChoose: () => void;
}

const SuggestionRow = ({ id, suggestion, isActive, onChoose }: SuggestionRowProps) => {
  const t = useTranslations('commandLine');
  const { kind, label, summary, refused, needs } = suggestion;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the focus and its keys
    // biome-ignore lint/a11y/useFocusableInteractive: the combobox names the active option
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className={classes.option}
      data-refused={refused || undefined}
      // The focus stays in the line.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      <code>{label}</code>
      {kind === 'family' && <Badge>{t('family')}</Badge>}
      {refused && <Badge color="red">{t('doc.kind.refused')}</Badge>}
      {needs && <Badge color="orange">{needs}</Badge>}
      {summary && (
        <SmallNote>
          <HostileText max={120}>{summary}</HostileText>
        </SmallNote>
      )}
    </div>
  );
};
