import type { Icon } from '@tabler/icons-react';
import type { FunctionComponent } from 'react';
import type { ListColumn } from '@/components/data-table/columns';
import type { ListContract } from '@/components/patterns/list-query';
import type { Interval } from '@/components/patterns/refetch';
import type { Tone } from '@/components/patterns/state-tiles';
import type { UrlState } from '@/components/patterns/url-fields';
import type { PreviewContract, PreviewedChange } from '@/components/patterns/use-previewed-change';
import type { Texts } from '@/components/patterns/use-texts';
import type { Result, WireInput } from '@/lib/contract';
import type { Permission } from '@/lib/permissions';

export type RowOf<C> = Result<C> extends { items: (infer Row)[] } ? Row : never;

/** What the drawer of an action, or of the details, is given. */
export interface RowDrawerProps<Row, Page = unknown> {
  /** As it was when the user chose it; null before the first. */
  row: Row | null;
  /** All that were chosen: several where the action is `ofMany`. */
  rows: readonly Row[];
  /** Ends the selection they came from. */
  onApplied?: (() => void) | undefined;
  /** The first page of the list. */
  page: Page | undefined;
  /** The same row in the list now; undefined where it is not listed. */
  current: Row | undefined;
  opened: boolean;
  onClose: () => void;
  onClosed: () => void;
  /** Closes it and asks for the change of several rows, for this one; where the list has such a change and the user may. */
  onBulk?: (() => void) | undefined;
  /** For the details: opens the drawer of an action for this row instead. */
  onAction?: (name: string) => void;
}

export interface RowAction<Row, Page> {
  /** A user without it is not offered the action. */
  permission: Permission;
  icon: Icon;
  /** Rows that it is offered for; all unless given. */
  isOffered?: (row: Row) => boolean;
  /** Also offered for selected rows, with the text `many` of their `count`. */
  ofMany?: true;
  /** In a menu. */
  isRed?: true;
  drawer?: FunctionComponent<RowDrawerProps<Row, Page>>;
  /** What it changes in the address instead of opening a drawer. */
  addressOf?: (row: Row) => Record<string, string>;
  /** The page where it leads instead. */
  hrefOf?: (row: Row) => string;
}

/** What the drawer of a row is given that the address opens. */
export interface AddressDrawerProps {
  /** The row's id; empty: closed. */
  id: string;
  url: Record<string, string>;
  onChange: (change: Record<string, string>) => void;
  onClose: () => void;
}

/** What is open of rows: the drawer of an action or of the details. */
export interface OpenedRows {
  drawer: string;
  rows: readonly unknown[];
  onApplied?: () => void;
}

/** What a part of a list is given that the list declares itself. */
export interface ListPartProps<Page = unknown> {
  /** The first; undefined until it is there. */
  page: Page | undefined;
  /** The list's fields in the address. */
  url: Record<string, string>;
  onChange: (change: Record<string, string>) => void;
}

/** The selected rows, or all that the input of the list matches. */
export type BulkTarget<Row, Filter> = { rows: readonly Row[]; clear?: () => void } | { filter: Filter };

// biome-ignore lint/suspicious/noExplicitAny: one drawer serves lists of several rows and contracts
type BulkPart = FunctionComponent<{ t: Texts; change: PreviewedChange<any, any> }>;

/** A change of several rows. Its texts are `bulk.select`, `bulk.verb`, and `bulk.tooMany`. */
export interface Bulk<Row, Filter, C extends PreviewContract> {
  contract: C;
  /** A user without it has no selection. */
  permission: Permission;
  /** Rows that the server accepts. */
  max: number;
  inputOf: (target: BulkTarget<Row, Filter>) => WireInput<C>;
  /** Also offered for all that match: `bulk.all`, and `bulk.filterFirst` without a filter. */
  ofMatches?: true;
  /** Its words are `bulk.…` of `t` too. */
  drawer: BulkPart;
  proof: BulkPart;
}

interface Scan<Page> {
  /** In the keyspace; null where that is unknown. */
  keys: (page: Page) => number | null;
  /** How far it is, unless in keys. */
  note?: FunctionComponent<{
    examined: number;
    keys: number;
    complete: boolean;
    filter: Record<string, string>;
  }>;
}

interface Declared<Row, Page, Filter, State extends string, B extends PreviewContract> {
  /**
   * Where its texts are: `textsOf` of `components/messages.test.ts` lists them. What is not there is in the namespace around
   * it.
   */
  texts: string;
  /** The name of exported files and of the stored columns. */
  name: string;
  icon: Icon;
  rowId: (row: Row) => string;
  /** What the row is called, for buttons. */
  rowName: (row: Row, t: Texts) => string;
  /** Refetched so often; `false`: only after a failure or a change. */
  everyMs: Interval<Page> | false;
  /** Its rows are found by a scan: pages may be short or empty, and it pauses. */
  scan?: Scan<Page>;
  /** The text filter: text that looks like a token is not searched for, unless `plain`. */
  search?: 'plain' | 'noSecrets';
  /** The name of the text filter in the address; `q` unless given. */
  searchName?: string;
  /** Filters of one value, by their name in the contract: the values to choose from, with words where they are fixed. */
  selects?: Record<string, readonly string[] | ((page: Page) => readonly string[])>;
  /** Filters of a length of time, by their name in the address: the seconds to choose from; others in the address count too. */
  spans?: Record<string, readonly number[]>;
  /** Filters of its own, by their name in the address: above the others, on a phone or if `inBar` among them. */
  facets?: { names: readonly string[]; of: FunctionComponent<ListPartProps<Page>>; inBar?: true };
  /** Above the filters. */
  intro?: FunctionComponent<ListPartProps<Page>>;
  /** Buttons beside the filters. */
  buttons?: FunctionComponent<ListPartProps<Page>>;
  /** Below the table. */
  footer?: FunctionComponent<ListPartProps<Page>>;
  /** In place of the rows, if the filters can have none: nothing is read. */
  instead?: {
    isNeeded: (filter: Record<string, string>) => boolean;
    of: FunctionComponent<ListPartProps<Page>>;
  };
  /**
   * The order at first, of columns that are `sortable`: `sort` and `order` in the address and the contract. Without `order`
   * the contract has no other.
   */
  sort?: { by: string; order?: 'asc' | 'desc' };
  /** The input of the contract from the filters in the address, where names or values differ. */
  inputOf?: (filter: Record<string, string>) => Filter;
  bulk?: Bulk<Row, Filter, B>;
  /** `empty.filtered` says what to do where nothing matches. */
  ownFiltered?: true;
  /** Beside the filters: how many were found. */
  status?: FunctionComponent<{ of: Page | undefined; isFiltered: boolean }>;
  /** The filter that has a tile for each of its values. */
  states?: {
    /** Its name in the contract. */
    name: string;
    tones: Record<State, Tone>;
    /** Null where it is unknown. */
    count: (page: Page, state: State) => number | null;
    total: (page: Page) => number | null;
    /** When the rows were read. */
    age: FunctionComponent<{ of: Page | undefined }>;
  };
  /** It is not known whether there are rows: an empty table does not claim that there are none. */
  isUnknown?: (page: Page) => boolean;
  /** The first page is incomplete, and soon read again. */
  isReading?: (page: Page) => boolean;
  columns: readonly ListColumn<Row>[];
  /** Ids of columns that the rows of this page do not need. */
  without?: (page: Page) => readonly string[];
  actions?: Record<string, RowAction<Row, Page>>;
  /** The actions are in a menu: its texts are `actionsOf`, and `menu.…` of each. */
  isMenu?: true;
  /** The address where Enter or a click on the row leads; null where there is none. */
  hrefOf?: (connection: string, row: Row) => string | null;
  /** Enter, a click on the row, or its last button. */
  details?: FunctionComponent<RowDrawerProps<Row, Page>>;
  /** The same where a field of the address opens it. */
  opens?: {
    /** The field. */
    name: string;
    /** Other fields of the drawer in the address, with their defaults. */
    fields: Record<string, string>;
    drawer: FunctionComponent<AddressDrawerProps>;
  };
}

type FilterOf<C extends ListContract> = Omit<WireInput<C>, 'cursor' | 'limit'>;

export interface ListDeclaration<Row, Page, Filter, State extends string, B extends PreviewContract>
  extends Declared<Row, Page, Filter, State, B> {
  contract: ListContract;
  /** Its filters in the address, all empty. */
  fields: Record<string, string>;
}

/** Declares a list at module scope: all that does not follow from its contract. */
export const declareList = <C extends ListContract, State extends string, B extends PreviewContract>(
  list: Declared<RowOf<C>, Result<C>, FilterOf<C>, State, B> & { contract: C },
): ListDeclaration<RowOf<C>, Result<C>, FilterOf<C>, State, B> => {
  const { search, searchName = 'q', selects = {}, spans = {}, facets, states } = list;
  const names = [
    ...(search ? [searchName] : []),
    ...Object.keys(selects),
    ...Object.keys(spans),
    ...(facets?.names ?? []),
    ...(states ? [states.name] : []),
  ];
  return { ...list, fields: Object.fromEntries(names.map((name) => [name, ''])) };
};

/** A list of whatever rows: types are checked where it is declared. */
// biome-ignore lint/suspicious/noExplicitAny: rows and pages are the declaration's own
export type AnyList = ListDeclaration<any, any, any, any, any>;

const MAX_SEARCH = 200;
const SECONDS = /^\d{1,9}$/;

type Filters = Pick<AnyList, 'fields' | 'searchName' | 'states' | 'selects' | 'spans'>;

/** The filters in the address; a value that cannot be is ignored. */
export const filterOf = (
  { fields, searchName = 'q', states, selects = {}, spans = {} }: Filters,
  url: UrlState<Record<string, string>>,
): Record<string, string> => {
  const isPossible = (name: string, value: string): boolean => {
    if (name === states?.name) return Object.hasOwn(states.tones, value);
    if (spans[name]) return SECONDS.test(value) && Number(value) > 0;
    const values = selects[name];
    return typeof values === 'function' || values === undefined || values.includes(value);
  };
  const given = Object.keys(fields).map((name) => {
    const value = url[name] ?? '';
    if (name === searchName) return [name, name === 'q' ? value.trim().slice(0, MAX_SEARCH) : value.trim()];
    return [name, isPossible(name, value) ? value : ''];
  });
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
};

/** The order in the address; that at first where it cannot be. */
export const orderOf = (
  { sort, columns }: Pick<AnyList, 'sort' | 'columns'>,
  url: UrlState<Record<string, string>>,
): { sort?: string; order?: 'asc' | 'desc' } => {
  if (!sort) return {};
  const by = columns.find(({ id, sortable }) => sortable && id === url.sort)?.id ?? sort.by;
  if (!sort.order) return { sort: by };
  return { sort: by, order: url.order === 'asc' || url.order === 'desc' ? url.order : sort.order };
};
