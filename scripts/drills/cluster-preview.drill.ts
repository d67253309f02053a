// A preview's estimate of a cluster's keys is within its stated error.
import { startCluster } from '../cluster.mjs';
import { fillAuthors } from '../testing/fill-authors';
import { MAIN, post, summaryOfAnswer } from './api';
import { type Report, withConsole } from './report';

const KEYS = 700_000;
const PREVIEWS = 20;
const MIN_WITHIN = 19;

interface Preview {
  keys: number;
  exact: boolean;
  error: number | null;
}

/** How many of `author:id:{n}` have this ending. */
const truthOf = (ending: string): number =>
  Array.from({ length: KEYS }, (_, n) => String(n)).filter((n) => n.endsWith(ending)).length;

export const run = async (report: Report): Promise<void> => {
  const cluster = await startCluster({ primaries: 3 });
  try {
    await withConsole([{ cluster: { nodes: cluster.nodes } }], async (own) => {
      for (const { url } of await cluster.primaries()) await fillAuthors(url, KEYS);
      const preview = async (ending: string) => {
        const answer = await post<Preview>(own, `${MAIN}/families/preview`, {
          pattern: `author:id:*${ending}`,
        });
        if (answer.status !== 200) throw new Error(summaryOfAnswer(answer));
        const { keys, exact, error } = answer.body;
        const off = Math.abs(keys - truthOf(ending));
        return { within: off <= (error ?? 0), exact, text: `${keys} ± ${error ?? 0} (off by ${off})` };
      };
      const ofAllKeys = [];
      for (let i = 0; i < PREVIEWS; i++) ofAllKeys.push(await preview(''));
      // Each for different keys, so that the samples differ.
      const parts = [];
      for (let i = 0; i < PREVIEWS; i++) parts.push(await preview(String(i % 10)));
      for (const [what, previews] of [
        [`all ${KEYS} keys`, ofAllKeys],
        ['a tenth of them', parts],
      ] as const) {
        const within = previews.filter((preview) => preview.within).length;
        const estimates = previews.filter(({ exact }) => !exact).length;
        report.check(
          `the truth lies within the stated error of a preview of ${what}, in ${MIN_WITHIN} of ${PREVIEWS}`,
          within >= MIN_WITHIN,
          `${within}; ${estimates} of them estimates; ${previews.map(({ text }) => text).join(', ')}`,
        );
      }
    });
  } finally {
    await cluster.stop();
  }
};
