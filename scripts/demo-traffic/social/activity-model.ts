import type { Random } from '../random';
import { FIRST_APART, type Member } from './member-model';

/** An activity of the social application, with the ids of its participants. */
export interface Activity {
  id: string;
  fields: Record<string, string>;
  owner: string;
  /** Unix seconds, by which own and joined activities are sorted. */
  date: number;
  participants: Set<string>;
}

const ACTIVITIES = 120;
/** Activities from this index on have fixed participants, because they are damaged. */
export const REGULAR_ACTIVITIES = 100;
/** Members of fixed activities begin at this index; all earlier members have joined at least one activity. */
export const JOINED = 100;

const TITLES = [
  '周末爬山',
  '电影之夜',
  '摄影外拍',
  '羽毛球约战',
  '读书会',
  '吉他入门',
  '城市夜跑',
  '桌游下午茶',
];
const PLACES = ['香山', '奥林匹克公园', '798 艺术区', '三里屯', '什刹海', '国家图书馆', '五道口'];
const DAY = 86_400;

export const activityId = (index: number): string => `a${500 + index}`;

/** Members 0 to 99 join one activity each for certain, and others at random. */
export const activitiesOf = (random: Random, members: readonly Member[], nowMs: number): Activity[] =>
  Array.from({ length: ACTIVITIES }, (_, index) => {
    const owner = members[random.below(FIRST_APART)]!.id;
    const date = Math.floor(nowMs / 1000) + (random.below(60) - 30) * DAY;
    const participants = new Set<string>();
    if (index < REGULAR_ACTIVITIES) {
      participants.add(members[index]!.id);
      const more = 2 + random.below(18);
      for (let i = 0; i < more; i++) participants.add(members[random.below(FIRST_APART)]!.id);
    } else participants.add(members[JOINED + index]!.id);
    const fields = {
      title: `${random.pick(TITLES)} ${index + 1}`,
      introduction: '自带水和好心情 | 费用 AA',
      place: random.pick(PLACES),
      position: `116.${300 + random.below(200)},39.${800 + random.below(200)}`,
      time: String(date),
      owner,
    };
    return { id: activityId(index), fields, owner, date, participants };
  });
