import type { Icon } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { ListColumn } from '@/components/data-table/columns';
import type { ListContract } from '@/components/patterns/list-query';
import type { Tone } from '@/components/patterns/state-tiles';
import type { UrlState } from '@/components/patterns/url-fields';
import type { Result } from '@/lib/contract';
import type { Permission } from '@/lib/permissions';

export type RowOf<C> = Result<C> extends { items: (infer Row)[] } ? Row : never;

/** What the drawer of an action, or of the details, is given. */
export interface RowDrawerProps<Row> {
  /** As it was when the user chose it; null before the first. */
  row: Row | null;
  /** The same row in the list now; undefined where it is not listed. */
  current: Row | undefined;
  opened: boolean;
  onClose: () => void;
  onClosed: () => void;
}

export interface RowAction<Row> {
  /** A user without it is not offered the action. */
  permission: Permission;
  icon: Icon;
  /** Rows that it is offered for; all unless given. */
  isOffered?: (row: Row) => boolean;
  drawer: ComponentType<RowDrawerProps<Row>>;
}

/** What the drawer of a row is given that the address opens. */
export interface AddressDrawerProps {
  /** The row's id; empty: closed. */
  id: string;
  url: Record<string, string>;
  onChange: (change: Record<string, string>) => void;
  onClose: () => void;
}

interface Declared<Row, Page, State extends string> {
  /**
   * Where its texts are: `textsOf` of `components/messages.test.ts` lists them. A module of the page names the namespace, so
   * that the browser has it.
   */
  texts: string;
  /** The name of exported files and of the stored columns. */
  name: string;
  icon: Icon;
  rowId: (row: Row) => string;
  /** What the row is called, for buttons. */
  rowName: (row: Row) => string;
  /** Refetched so often. */
  everyMs: number;
  /** The text filter `q`: text that looks like a token is not searched for, unless `plain`. */
  search?: 'plain' | 'noSecrets';
  /** Filters of one value, by their name in the contract: the values to choose from, with words where they are fixed. */
  selects?: Record<string, readonly string[] | ((page: Page) => readonly string[])>;
  /** Beside the filters: how many were found. */
  status?: ComponentType<{ of: Page | undefined; isFiltered: boolean }>;
  /** The filter that has a tile for each of its values. */
  states?: {
    /** Its name in the contract. */
    name: string;
    tones: Record<State, Tone>;
    /** Null where it is unknown. */
    count: (page: Page, state: State) => number | null;
    total: (page: Page) => number | null;
    /** When the rows were read. */
    age: ComponentType<{ of: Page | undefined }>;
  };
  /** Rows may follow although there are none yet. */
  isReading?: (page: Page) => boolean;
  columns: readonly ListColumn<Row>[];
  actions?: Record<string, RowAction<Row>>;
  /** Enter, a click on the row, or its last button. */
  details?: ComponentType<RowDrawerProps<Row>>;
  /** The same where a field of the address opens it. */
  opens?: {
    /** The field. */
    name: string;
    /** Other fields of the drawer in the address, with their defaults. */
    fields: Record<string, string>;
    drawer: ComponentType<AddressDrawerProps>;
  };
}

export interface ListDeclaration<Row, Page, State extends string> extends Declared<Row, Page, State> {
  contract: ListContract;
  /** Its filters in the address, all empty. */
  fields: Record<string, string>;
}

/** Declares a list at module scope: all that does not follow from its contract. */
export const declareList = <C extends ListContract, State extends string>(
  list: Declared<RowOf<C>, Result<C>, State> & { contract: C },
): ListDeclaration<RowOf<C>, Result<C>, State> => {
  const { search, selects = {}, states } = list;
  const names = [...(search ? ['q'] : []), ...Object.keys(selects), ...(states ? [states.name] : [])];
  return { ...list, fields: Object.fromEntries(names.map((name) => [name, ''])) };
};

/** A list of whatever rows: types are checked where it is declared. */
// biome-ignore lint/suspicious/noExplicitAny: rows and pages are the declaration's own
export type AnyList = ListDeclaration<any, any, any>;

const MAX_SEARCH = 200;

/** The input of the contract; a value in the address that cannot be is ignored. */
export const filterOf = (
  { fields, states, selects = {} }: Pick<AnyList, 'fields' | 'states' | 'selects'>,
  url: UrlState<Record<string, string>>,
): Record<string, string> => {
  const valuesOf = (name: string): readonly string[] | undefined => {
    if (name === states?.name) return Object.keys(states!.tones);
    const values = selects[name];
    return typeof values === 'function' ? undefined : values;
  };
  const given = Object.keys(fields).map((name) => {
    const value = url[name] ?? '';
    if (name === 'q') return [name, value.trim().slice(0, MAX_SEARCH)];
    return [name, valuesOf(name)?.includes(value) === false ? '' : value];
  });
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
};
