import type { Batch } from '../batch';
import { FIRST_APART, memberId } from './member-model';
import type { SocialWorld } from './world';

/** The whiteboard uses only pub/sub; the names of its channels are ours. */
const BOARDS = ['whiteboard:lobby', 'whiteboard:study', 'whiteboard:games'];
const COLORS = ['#1c7ed6', '#e8590c', '#2b8a3e'];

/** Somebody draws a line. */
export const draw = ({ random, now }: SocialWorld, batch: Batch): void => {
  const point = () => [random.below(800), random.below(600)];
  const stroke = {
    type: 'stroke',
    user: memberId(random.popular(FIRST_APART)),
    color: random.pick(COLORS),
    points: [point(), point()],
    at: now(),
  };
  batch.add('PUBLISH', [random.pick(BOARDS), JSON.stringify(stroke)]);
};
