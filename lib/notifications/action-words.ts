import 'server-only';

type Namespace = { actions?: Record<string, string> };
let words: Promise<ReadonlyMap<string, string>> | null = null;

const load = async (): Promise<ReadonlyMap<string, string>> => {
  // The texts of all pages: loaded with the first message, because most consoles send none.
  const { messages } = await import('@/messages/en');
  const actions = Object.values(messages as Record<string, Namespace>).flatMap(({ actions: all = {} }) =>
    Object.entries(all).map(([id, text]) => [id.replaceAll('-', '.'), text] as const),
  );
  return new Map(actions);
};

/** Operations in words, as the audit log shows them: "Change a feature flag". Others are their own id. */
export const actionWords = async (): Promise<(action: string) => string> => {
  words ??= load();
  const known = await words;
  return (action) => known.get(action) ?? action;
};
