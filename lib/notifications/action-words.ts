import 'server-only';
import type { Locale } from '@/lib/locales';

type Namespace = { actions?: Record<string, string> };
type Words = ReadonlyMap<string, string>;
const loading = new Map<Locale, Promise<Words>>();

const load = async (language: Locale): Promise<Words> => {
  // The texts of all pages: loaded with the first message, because most consoles send none.
  const { loadTexts } = await import('@/messages/load');
  const namespaces = Object.values((await loadTexts(language)) as Record<string, Namespace>);
  const actions = namespaces.flatMap(({ actions: all = {} }) =>
    Object.entries(all).map(([id, text]) => [id.replaceAll('-', '.'), text] as const),
  );
  return new Map(actions);
};

/** Operations in words, as the audit log shows them: "Change a feature flag". Others are their own id. */
export const actionWords = async (language: Locale): Promise<(action: string) => string> => {
  const words = loading.get(language) ?? load(language);
  loading.set(language, words);
  const known = await words;
  return (action) => known.get(action) ?? action;
};
