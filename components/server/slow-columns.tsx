'use client';

import { keyColumn, microsColumn, textColumn, timeColumn } from '@/components/data-table/column-kinds';
import { declareColumns } from '@/components/data-table/declared-columns';
import { HostileText } from '@/components/patterns/hostile-text';
import { UNKNOWN } from '@/lib/format';
import type { SlowLogEntry } from '@/lib/server/schema';
import { OwnBadge } from './parts';

/** The command with its arguments as they may be shown; `…` stands for more of them. */
export const callText = ({ command, arguments: shown, argumentsTotal }: SlowLogEntry): string =>
  [command, ...shown.map(({ text }) => text), ...(argumentsTotal > shown.length ? ['…'] : [])].join(' ');

export const clientText = ({ client: { name, address } }: SlowLogEntry): string => name ?? address ?? UNKNOWN;

export const SLOW_COLUMNS = declareColumns<SlowLogEntry>('server.column', [
  keyColumn<SlowLogEntry>({ id: 'call', width: 320, pinned: true, max: 120, of: callText }),
  microsColumn<SlowLogEntry>({ id: 'duration', width: 90, of: ({ durationMicros }) => durationMicros }),
  textColumn<SlowLogEntry>({
    id: 'families',
    width: 180,
    of: ({ families }) => families.map(({ title }) => title).join(', ') || null,
  }),
  {
    id: 'client',
    width: 150,
    value: clientText,
    cell: (entry) => (
      <>
        <HostileText max={60}>{clientText(entry)}</HostileText>
        <OwnBadge of={entry} />
      </>
    ),
  },
  timeColumn<SlowLogEntry>({ id: 'at', width: 100 }),
  keyColumn<SlowLogEntry>({ id: 'node', width: 150, of: ({ node }) => node ?? UNKNOWN }),
  textColumn<SlowLogEntry>({ id: 'address', hiddenAtFirst: true, of: ({ client }) => client.address }),
]);
