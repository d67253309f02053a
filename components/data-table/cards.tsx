'use client';

import { ActionIcon, Checkbox } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type ReactNode, useId, useState } from 'react';
import classes from './cards.module.css';
import { cardPlaces } from './columns';
import { InCard } from './in-card';
import { type RowProps, rowAttributes } from './row-props';
import { Gone, valueIn } from './rows';

interface CardListProps {
  label: string;
  placeholder: boolean;
  /** Height of the rows that are not in the DOM, pixels. */
  above: number;
  below: number;
  children: ReactNode;
}

/** The rows near the window as cards. */
export const CardList = ({ label, placeholder, above, below, children }: CardListProps) => (
  <InCard value={true}>
    <ul
      className={classes.cards}
      style={{ paddingTop: above, paddingBottom: below }}
      aria-label={label}
      inert={placeholder}
    >
      {children}
    </ul>
  </InCard>
);

/**
 * A row on a phone: its title, its other values under their labels, and its buttons at full size. With a column beside
 * the title the others are folded away.
 */
export const Card = <Row,>(props: RowProps<Row> & { count: number }) => {
  const { columns, row, selection } = props;
  const { title, head, fact, action } = cardPlaces(columns);
  const folds = head.length > 0;
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const t = useTranslations('dataTable');
  return (
    <li
      className={classes.card}
      aria-posinset={props.index + 1}
      aria-setsize={props.count}
      {...rowAttributes(props)}
    >
      <div className={classes.head}>
        {selection && (
          // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox inside has its own name
          <label className={classes.check}>
            <Checkbox
              size="md"
              aria-label={selection.rowLabel(row)}
              checked={props.selected}
              disabled={!props.selectable}
              onClick={props.onSelect}
              readOnly
            />
          </label>
        )}
        <div className={classes.title} id={`${id}-title`}>
          {props.gone && <Gone />}
          {title.map((column) => (
            <div key={column.id}>{valueIn(column, row)}</div>
          ))}
        </div>
        {head.map((column) => (
          <div key={column.id} className={classes.aside}>
            {valueIn(column, row)}
          </div>
        ))}
        {folds && (
          <ActionIcon
            size={44}
            id={`${id}-more`}
            aria-label={t('details')}
            aria-labelledby={`${id}-more ${id}-title`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? <IconChevronUp size={20} /> : <IconChevronDown size={20} />}
          </ActionIcon>
        )}
      </div>
      {fact.length > 0 && (!folds || isOpen) && (
        <dl className={classes.facts}>
          {fact.map((column) => (
            <div key={column.id}>
              <dt>{column.header}</dt>
              <dd>{valueIn(column, row)}</dd>
            </div>
          ))}
        </dl>
      )}
      {action.length > 0 && (!folds || isOpen) && (
        <div className={classes.actions}>
          {action.map((column) => (
            <div key={column.id}>{valueIn(column, row)}</div>
          ))}
        </div>
      )}
    </li>
  );
};
