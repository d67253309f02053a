import 'server-only';
import type { ReadOf } from '@/lib/command/context';
import { keyIdOf } from '@/lib/command/key-ids';
import { open, seal } from '@/lib/keyring';
import { displayKey } from '@/lib/keyspace/display';
import { badCursor, cursorAt, placeAt } from '@/lib/list-page';
import { iso, isoOrNull, SECOND } from '@/lib/time';
import { exactly, exactlyIfKnown, sumOf, wholeOf } from '@/lib/values/whole';
import { shownName } from './names';
import { type Place, publicationsAfter, type Ranked } from './order';
import type { ViewedItem, viewContracts } from './schema';
import { sharedViews } from './shared-pass';

/** The first answer of a large keyspace does not wait longer. */
const FIRST_PASS_MS = SECOND;
const MAX_LISTED_IMPORTS = 100;

const itemOf = ({ name, views, publication }: Ranked): ViewedItem => {
  const { counted, imported, slug } = publication;
  const [all, own, others] = [exactly(views), exactlyIfKnown(counted), exactlyIfKnown(imported)];
  return {
    shoutId: shownName(name),
    slug,
    views: all.value,
    viewsExact: all.exact,
    counted: own.value,
    countedExact: own.exact,
    imported: others.value,
    importedExact: others.exact,
    title: null,
  };
};

const SEALED_FOR = 'views.top';

/** Sealed: the name of a publication may be a secret, which is masked in the list. */
const cursorOf = ({ views, name }: Place): string =>
  seal('cursor', Buffer.from(cursorAt([String(views), name])), SEALED_FOR).toString('base64url');

const placeOf = (cursor: string): Place => {
  const place = open('cursor', Buffer.from(cursor, 'base64url'), SEALED_FOR);
  if (!place) throw badCursor();
  const [views, name] = placeAt(place.toString(), ['string', 'string']) as [string, string];
  return { views: wholeOf(views), name };
};

/** Before every place: two counts are less than twice 2^63. */
const BEGINNING: Place = { views: 2n ** 64n, name: '' };

/** views.top */
export const topViews: ReadOf<typeof viewContracts.top> = async (ctx, { cursor, limit }) => {
  const after = cursor === undefined ? null : placeOf(cursor);
  const { found: pass, finishedAt } = await sharedViews
    .of(ctx.connection, ctx.catalog)
    .current(FIRST_PASS_MS);
  const found = await publicationsAfter(pass.publications, after, limit + 1);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const isEnd = found.length <= limit && finishedAt !== null;
  const next = last ? cursorOf(last) : (cursor ?? cursorOf(BEGINNING));
  const { publications } = pass;
  const known = <T>(figure: T): T | null => (finishedAt === null ? null : figure);
  const total = exactlyIfKnown(known(sumOf(publications.counted, publications.imported)));
  const counted = exactlyIfKnown(known(publications.counted));
  const imported = exactlyIfKnown(known(publications.imported));
  return {
    items: rows.map(itemOf),
    nextCursor: isEnd ? null : next,
    total: total.value,
    totalExact: total.exact,
    counted: counted.value,
    countedExact: counted.exact,
    imported: imported.value,
    importedExact: imported.exact,
    publications: publications.isComplete ? known(publications.byName.size) : null,
    slugs: known(pass.slugs),
    slugsHold: known(pass.slugsHold),
    exact: finishedAt !== null && publications.isComplete,
    sampledAt: finishedAt === null ? null : iso(finishedAt),
    imports: pass.imports.slice(0, MAX_LISTED_IMPORTS).map((each) => ({
      at: isoOrNull(each.at),
      key: displayKey(each.key, ctx.catalog),
      keyId: keyIdOf(ctx, each.key),
      publications: each.publications,
      total: exactlyIfKnown(each.total).value,
      totalExact: exactlyIfKnown(each.total).exact,
    })),
    drift: pass.drift,
  };
};
