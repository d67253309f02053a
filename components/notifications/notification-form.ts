import type { WireInput } from '@/lib/contract';
import type { About, EntryFilter, Notification, notificationContracts } from '@/lib/notifications/schema';

/** The fields of the form as they are typed; an empty filter matches everything. */
export interface NotificationFields {
  name: string;
  about: About[];
  actor: string;
  action: string;
  target: string;
  connection: string;
  outcome: string;
  /** Hours; empty: no reminder. */
  remind: number | string;
  when: Notification['when'];
  hour: string;
  timeZone: string;
  skipEmpty: boolean;
  /** `connection/channel`. */
  channels: string[];
}

export const EMPTY: NotificationFields = {
  name: '',
  about: ['audit'],
  actor: '',
  action: '',
  target: '',
  connection: '',
  outcome: '',
  remind: '',
  when: 'now',
  hour: '9',
  timeZone: '',
  skipEmpty: false,
  channels: [],
};

/** The channel as one value of a field. */
export const refValueOf = ({ connection, channel }: { connection: string; channel: string }): string =>
  `${connection}/${channel}`;

export const refsOf = (values: readonly string[]) =>
  values.map((value) => {
    const [connection = '', channel = ''] = value.split('/');
    return { connection, channel };
  });

export const fieldsOf = (row: Notification): NotificationFields => ({
  name: row.name,
  about: row.about,
  actor: row.filter.actor ?? '',
  action: row.filter.action ?? '',
  target: row.filter.target ?? '',
  connection: row.filter.connection ?? '',
  outcome: row.filter.outcome ?? '',
  remind: row.remindAfterHours ?? '',
  when: row.when,
  hour: String(row.hour),
  timeZone: row.timeZone,
  skipEmpty: row.skipEmpty,
  // A deleted channel cannot be kept.
  channels: row.channels.filter(({ kind }) => kind !== null).map(refValueOf),
});

type Input = Omit<WireInput<typeof notificationContracts.create>, 'reason' | 'confirm'>;

export const inputOf = (fields: NotificationFields): Input => {
  const { actor, action, target, connection, outcome, remind } = fields;
  const filter = Object.entries({ actor, action, target, connection, outcome })
    .map(([name, text]) => [name, text.trim()] as const)
    .filter(([, text]) => text !== '');
  return {
    name: fields.name.trim(),
    about: fields.about,
    filter: Object.fromEntries(filter) as EntryFilter,
    remindAfterHours: Number(remind) > 0 ? Number(remind) : null,
    when: fields.when,
    hour: Number(fields.hour),
    timeZone: fields.timeZone,
    skipEmpty: fields.skipEmpty,
    channels: refsOf(fields.channels),
  };
};

export const isComplete = ({ name, about, channels, timeZone }: NotificationFields): boolean =>
  name.trim() !== '' && about.length > 0 && channels.length > 0 && timeZone !== '';
