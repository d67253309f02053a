import type { ShownBytes } from '@/lib/key-values/schema';
import type { KeyDetails } from '@/lib/keys/schema';
import { isContainer, parseJson } from './json-rows';

/** The forms in which bytes can be shown, in the order of their tabs. */
export const FORMS = [
  'json',
  'jwt',
  'decoded',
  'number',
  'image',
  'cardinality',
  'text',
  'bitmap',
  'hex',
] as const;
export type Form = (typeof FORMS)[number];

export type StringView = NonNullable<KeyDetails['string']>;

/** Raster formats only, because an SVG may contain scripts and links. */
const RASTER = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;

export const isRaster = (dataUrl: string | null | undefined): dataUrl is string =>
  typeof dataUrl === 'string' && RASTER.test(dataUrl);

/** Whether the answer contains nothing of the bytes. */
export const isMasked = ({ text, base64 }: ShownBytes): boolean => text === null && base64 === null;

/** The server's replacement for a secret within a text. */
const MASK = '•••';

/** Whether the bytes cannot be saved again, because some are masked or cut. */
export const isIncomplete = (bytes: ShownBytes): boolean =>
  bytes.masked || bytes.truncated || isMasked(bytes) || (bytes.text?.includes(MASK) ?? false);

/** Whether a page may be the beginning of JSON: the server parses short values only. */
const beginsAsJson = ({ kind, offset, page }: StringView): boolean =>
  kind === 'text' && offset === 0 && /^\s*[[{]/.test(page.text ?? '');

/**
 * The forms for a string, or a page of it; the first is the default. `loadable`: the page belongs to a value that can
 * be loaded completely.
 */
export const formsOf = (view: StringView, loadable = false): Form[] => {
  const { kind, page } = view;
  // The parts of a JWT without its signature, which its text would contain.
  if (kind === 'jwt') return view.jwt ? ['jwt'] : [];
  const fits: Record<Form, boolean> = {
    json: kind === 'json' && page.text !== null,
    jwt: false,
    decoded: page.decoded !== null,
    number: kind === 'number' && page.text !== null,
    image: kind === 'image' && isRaster(view.dataUrl),
    cardinality: kind === 'hyperloglog',
    text: page.text !== null,
    bitmap: page.base64 !== null && kind !== 'hyperloglog' && kind !== 'image',
    hex: !isMasked(page),
  };
  // By its family, independent of its bytes.
  if (kind === 'bitmap' && !isMasked(page))
    return page.text === null ? ['bitmap', 'hex'] : ['bitmap', 'text', 'hex'];
  const forms = FORMS.filter((form) => fits[form]);
  return loadable && beginsAsJson(view) ? [...forms, 'json'] : forms;
};

/** An element's field, member or value as a view with the same forms. */
export const viewOf = (bytes: ShownBytes): StringView => ({
  kind:
    bytes.text === null ? 'binary' : !bytes.truncated && isContainer(parseJson(bytes.text)) ? 'json' : 'text',
  offset: 0,
  page: bytes,
  dataUrl: null,
  jwt: null,
  cardinality: null,
  bitsSet: null,
});
