import type { Metadata } from 'next';
import { getTranslations } from 'next-intl/server';

type Translate = Awaited<ReturnType<typeof getTranslations<never>>>;
type Key = Extract<Parameters<Translate>[0], `${string}.title` | `words.${string}`>;

/** A page's `generateMetadata` with a title from the messages. */
export const titled = (key: Key) => async (): Promise<Metadata> => {
  const t = await getTranslations();
  return { title: t(key) };
};
