import { type ConnectionEntry, type PrivateConsole, privateConsole } from '../testing/private-console';

/** Where a drill says its figures, and of each thing that must hold whether it did. */
export interface Report {
  say: (text: string) => void;
  check: (what: string, held: boolean, figures?: string) => void;
}

/** Runs `work` with a console and servers of its own, which are gone afterwards whatever happens. */
export const withConsole = async (
  connections: readonly ConnectionEntry[],
  work: (own: PrivateConsole) => Promise<void>,
): Promise<void> => {
  const own = await privateConsole({}, ...connections);
  try {
    await work(own);
  } finally {
    await own.close();
  }
};
