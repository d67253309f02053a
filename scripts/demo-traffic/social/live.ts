import type { Act } from '../live';
import { sayInRoom } from './conversations';
import * as social from './live-social';
import * as video from './live-video';
import { draw } from './whiteboard';
import type { SocialWorld } from './world';

/** Events per second of each kind; together about 120 commands per second. */
export const SOCIAL_RATES: readonly (readonly [number, Act<SocialWorld>])[] = [
  [12, social.readProfile],
  [6, social.readFriends],
  [6, social.readActivity],
  [4, social.readMessages],
  [0.7, social.arrive],
  [0.7, social.leave],
  [0.5, social.takePart],
  [1, social.writeDirectly],
  [0.7, social.writeInCircle],
  [0.5, sayInRoom],
  [3, draw],
  [10, video.watch],
  [4, video.openProfile],
  [3, video.signIn],
  [4, video.readComments],
  [0.5, video.likeVideo],
  [0.4, video.comment],
  [0.5, video.writeFriend],
];
