import type { Ledger } from '../ledger';
import type { Random } from '../random';
import { HOSTILE_NICKNAME, ODD_MEMBERS } from './damage';

/** A user of the social application. */
export interface Member {
  id: string;
  profile: Record<string, string>;
  /** Ids of friends, by the name of their group. */
  groups: Map<string, Set<string>>;
  interests: string[];
}

export const MEMBERS = 400;
/** Members from this index on are in no activity and no group, so that they have only their damage. */
export const FIRST_APART = 380;

const SURNAMES = ['王', '李', '张', '刘', '陈', '杨', '林', '周', '吴', '徐'];
const GIVEN = ['芳', '伟', '敏', '静', '洋', '晓雨', '子涵', '若兰', '志强', '思远', 'Mia', 'Leo'];
const SIGNS = ['白羊座', '金牛座', '双子座', '巨蟹座', '狮子座', '处女座', '天秤座', '天蝎座'];
const SCHOOLS = ['北京大学', '清华大学', '复旦大学', '浙江大学', '武汉大学', '中山大学'];
const MOTTOS = ['慢慢来', '今天也要加油', '在路上 | on the road', '行万里路', 'stay hungry', ''];
const INTERESTS = ['摄影', '徒步', '电影', '读书', '羽毛球', '吉他', '烘焙', 'jazz', '围棋', '跑步'];
const GROUPS = ['大学', '同事', '家人', '球友', '工作:项目A'];

/** Ids come from another database: `u1000`, digits, 24 hexadecimal digits. */
export const memberId = (index: number): string => {
  const odd = ODD_MEMBERS[index - FIRST_APART];
  if (odd) return odd;
  if (index % 4 === 1) return String(20_000 + index);
  return index % 4 === 2 ? `65f0c0ffee${index.toString(16).padStart(14, '0')}` : `u${1000 + index}`;
};

/** The member whose nickname is HTML. */
const HOSTILE_MEMBER = 393;

const profileOf = (random: Random, ledger: Ledger, index: number): Record<string, string> => ({
  username: `${random.pick(['mia', 'leo', 'wang', 'chen'])}${index}@example.org`,
  nickname: index === HOSTILE_MEMBER ? HOSTILE_NICKNAME : random.pick(SURNAMES) + random.pick(GIVEN),
  password: ledger.secret(32),
  gender: random.pick(['男', '女', '']),
  birthday: `19${80 + random.below(20)}-0${1 + random.below(9)}-1${random.below(10)}`,
  constellation: random.pick(SIGNS),
  sign: random.pick(MOTTOS),
  school: random.pick(SCHOOLS),
  position: `${(116 + random.below(1000) / 1000).toFixed(3)},${(39 + random.below(1000) / 1000).toFixed(3)}`,
  visibility: random.pick(['online', 'online', 'friends', 'invisible']),
});

const groupOf = (member: Member, name: string): Set<string> => {
  const group = member.groups.get(name) ?? new Set<string>();
  member.groups.set(name, group);
  return group;
};

/** Friends have each other, each in a freely chosen group. The first two share the group with the odd name. */
export const membersOf = (random: Random, ledger: Ledger): Member[] => {
  const members: Member[] = Array.from({ length: MEMBERS }, (_, index) => ({
    id: memberId(index),
    profile: profileOf(random, ledger, index),
    groups: new Map(),
    interests: Array.from({ length: random.below(5) }, () => random.pick(INTERESTS)),
  }));
  for (let index = 0; index < FIRST_APART; index++) {
    const friends = 1 + random.below(4);
    for (let i = 0; i < friends; i++) {
      const [member, other] = [members[index]!, members[random.below(FIRST_APART)]!];
      if (member === other || [...member.groups.values()].some((group) => group.has(other.id))) continue;
      groupOf(member, index < 2 ? GROUPS[4]! : random.pick(GROUPS)).add(other.id);
      groupOf(other, random.pick(GROUPS)).add(member.id);
    }
  }
  return members;
};
