'use client';

import { Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { KeyLink } from '@/components/patterns/key-link';
import type { ReplyNode, ReplyType } from '@/lib/command-line/schema';
import classes from './command-line.module.css';
import { MaskedMark } from './masked-mark';

const MAX_CHARS = 20_000;
/** The maximum number of rows drawn; an answer has up to 10 000. */
const MAX_ROWS = 1000;

const NodeText = ({ node }: { node: ReplyNode }) => {
  const t = useTranslations('commandLine.reply');
  const tWord = useTranslations('words');
  const { type, text, keyId, masked, length } = node;
  if (type === 'nil') return <Text span c="dimmed">{`(${t('nil')})`}</Text>;
  if (type === 'array')
    return (
      <Text span c="dimmed">
        {tWord('elements', { count: length ?? 0 })}
      </Text>
    );
  if (text === null) return <MaskedMark />;
  if (keyId) return <KeyLink keyId={keyId}>{text}</KeyLink>;
  return (
    <>
      <code>
        <HostileText max={MAX_CHARS}>{text}</HostileText>
      </code>
      {masked && <MaskedMark />}
      {length !== undefined && <Text span c="dimmed">{` ${t('cut', { bytes: length })}`}</Text>}
    </>
  );
};

interface ReplyViewProps {
  type: ReplyType;
  reply: readonly ReplyNode[];
  label: string;
}

/** A reply by its type: pairs as a table, lists numbered, everything else as it is nested. */
export const ReplyView = ({ type, reply, label }: ReplyViewProps) => {
  const t = useTranslations('commandLine.reply');
  const tWord = useTranslations('words');
  const shown = reply.slice(0, MAX_ROWS);
  const isTable = type === 'fields' || type === 'scores';
  const isScan =
    reply[0]?.depth === 0 && reply.length > 0 && reply[0].type === 'string' && reply[1]?.depth === 1;
  const rows = isScan ? shown.slice(1) : shown;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long reply scrolls, by keyboard too
    <section className={classes.reply} tabIndex={0} aria-label={label}>
      {isScan && <Dimmed>{t('cursor', { cursor: reply[0]!.text ?? '' })}</Dimmed>}
      {reply.length === 0 && <Text size="sm">{t('empty')}</Text>}
      {isTable && rows.length > 0 ? (
        <table>
          <thead>
            <tr>
              <th scope="col">{tWord(type === 'fields' ? 'field' : 'member')}</th>
              <th scope="col">{tWord(type === 'fields' ? 'value' : 'score')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((node, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a reply never changes, and its rows may be equal
              <tr key={i}>
                <td>
                  {type === 'fields' ? (
                    <code>
                      <HostileText>{node.name ?? ''}</HostileText>
                    </code>
                  ) : (
                    <NodeText node={node} />
                  )}
                </td>
                <td>{type === 'fields' ? <NodeText node={node} /> : (node.score ?? '')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <ul className={classes.nodes}>
          {rows.map((node, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a reply never changes, and its rows may be equal
            <li key={i} style={{ paddingInlineStart: `${Math.max(0, node.depth - 1) * 16}px` }}>
              {node.name !== undefined && (
                <Text span c="dimmed">
                  <HostileText>{node.name}</HostileText>
                  {': '}
                </Text>
              )}
              <NodeText node={node} />
            </li>
          ))}
        </ul>
      )}
      {reply.length > MAX_ROWS && <Dimmed>{t('firstRows', { count: MAX_ROWS, total: reply.length })}</Dimmed>}
    </section>
  );
};
