import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { Problem } from '@/lib/errors';
import { badCursor, cursorAt, placeAt } from '@/lib/list-page';
import type { Key } from '@/lib/redis/commands';
import { type Element, findNear, markOf, type OrderedSource, readPlaces } from './elements';
import { loadMessages, type OrderedConversation, type StoredMessage } from './stored-messages';

type Context = Pick<ReadContext, 'catalog' | 'connection' | 'reader'>;

/** How elements of a key are read: a search does so under the budget of its node. */
export type Paced = <T>(key: Key, read: () => Promise<T>) => Promise<T>;

/** Where a page ended in one source. */
interface Place {
  /** The index of the next message; -1 without one. */
  place: number;
  /** Marks of the next message, and of the one before it (newer), which was shown. */
  next: string;
  shown: string;
  /** The time of the latter, epoch ms. */
  before: number;
}

const SHAPE = ['number', 'string', 'string', 'number'] as const;
const MAX_PLACE = 1e12;
/** The latest time there is. */
const LATEST = 8.64e15;

const placesIn = (cursor: string, sources: number): Place[] => {
  const parts = placeAt(cursor, Array.from({ length: sources }, () => SHAPE).flat());
  return Array.from({ length: sources }, (_, i) => {
    const [place, next, shown, before] = parts.slice(4 * i, 4 * i + 4) as [number, string, string, number];
    if (!Number.isInteger(place) || place < -1 || place > MAX_PLACE) throw badCursor();
    return { place, next, shown, before };
  });
};

const trimmed = (): Problem =>
  new Problem('cursor_expired', 'The messages of this place are gone. Start again without a cursor.');

/** The messages of one key, latest first. Those without a time follow the one before them. */
class Walk {
  /** The index of the next element to read; -1 after the oldest. */
  private from: number;
  private buffer: StoredMessage[] = [];
  private taken = 0;
  /** The message that was shown last, or its mark. */
  private shown: StoredMessage | string = '';
  private before = LATEST;

  constructor(
    source: OrderedSource,
    private readonly load: (place: number) => Promise<StoredMessage[]>,
  ) {
    this.from = source.length - 1;
  }

  /** Continues where a page ended. */
  resume({ place, shown, before }: Place): void {
    Object.assign(this, { from: place, shown, before });
  }

  async head(): Promise<StoredMessage | null> {
    if (this.taken === this.buffer.length && this.from >= 0) {
      this.buffer = await this.load(this.from);
      this.taken = 0;
      this.from = (this.buffer.at(-1)?.place ?? 0) - 1;
    }
    return this.buffer[this.taken] ?? null;
  }

  /** The time by which the head is placed: never later than that of the message before it. */
  time(): number {
    return Math.min(this.before, this.buffer[this.taken]?.at ?? this.before);
  }

  take(): StoredMessage {
    this.before = this.time();
    const message = this.buffer[this.taken++]!;
    this.shown = message;
    return message;
  }

  async place(): Promise<Place> {
    const head = await this.head();
    if (!head) return { place: -1, next: '', shown: '', before: 0 };
    const shown = typeof this.shown === 'string' ? this.shown : markOf(this.shown);
    return { place: head.place, next: markOf(head), shown, before: this.before };
  }
}

const asTheyAre = async (elements: readonly Element[]): Promise<readonly Element[]> => elements;

/** Where a page continues: messages may have been deleted, or the list trimmed, since. Throws 410 if it is not found. */
const resumed = async (ctx: Context, source: OrderedSource, at: Place): Promise<Place> => {
  const [first, second] = await readPlaces(ctx, source, at.place + 1, 2);
  const next = [first, second].find((element) => element?.place === at.place);
  if (next && markOf(next) === at.next) return at;
  const near = (mark: string) =>
    mark === '' ? null : findNear(ctx, source, at.place, asTheyAre, (element) => markOf(element) === mark);
  const moved = await near(at.next);
  if (moved) return { ...at, place: moved.place };
  const before = await near(at.shown);
  if (before) return { ...at, place: before.place - 1 };
  throw trimmed();
};

/** The messages of a conversation, latest first, from all of its keys. */
export class MergedMessages {
  private constructor(
    private readonly walks: ReadonlyMap<number, Walk>,
    private readonly keys: number,
  ) {}

  /** `chunk`: messages that are read in one call. Throws 410 for a cursor whose messages are gone. */
  static async open(
    ctx: Context,
    conversation: OrderedConversation,
    { cursor, chunk, paced }: { cursor?: string | undefined; chunk: number; paced: Paced },
  ): Promise<MergedMessages> {
    const keys = conversation.definition.keys.length;
    const places = cursor === undefined ? null : placesIn(cursor, keys);
    const walks = new Map<number, Walk>();
    const sources = conversation.ordered;
    const isHere = (index: number) => sources.some((source) => source.index === index);
    if (places?.some(({ place }, index) => place >= 0 && !isHere(index))) throw trimmed();
    for (const source of sources) {
      const walk = new Walk(source, (place) =>
        paced(source.key, async () =>
          loadMessages(ctx, conversation, await readPlaces(ctx, source, place, chunk)),
        ),
      );
      const at = places?.[source.index];
      if (at) walk.resume(at.place < 0 ? at : await resumed(ctx, source, at));
      walks.set(source.index, walk);
    }
    return new MergedMessages(walks, keys);
  }

  /** The next older message; null after the oldest. */
  async next(): Promise<StoredMessage | null> {
    let latest: Walk | null = null;
    for (const walk of this.walks.values()) {
      if (!(await walk.head())) continue;
      if (!latest || walk.time() > latest.time()) latest = walk;
    }
    return latest?.take() ?? null;
  }

  /** The place of the next message; null after the oldest. */
  async cursor(): Promise<string | null> {
    const none: Place = { place: -1, next: '', shown: '', before: 0 };
    const places: Place[] = [];
    for (let index = 0; index < this.keys; index++)
      places.push((await this.walks.get(index)?.place()) ?? none);
    if (places.every(({ place }) => place < 0)) return null;
    return cursorAt(places.flatMap(({ place, next, shown, before }) => [place, next, shown, before]));
  }
}
