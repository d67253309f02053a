import type { Random } from './random';

export interface User {
  id: string;
  username: string;
  name: string;
  slug: string;
  email: string;
}

const GIVEN = [
  'Анна',
  'Дмитрий',
  'Ольга',
  'Илья',
  'Мария',
  'Сергей',
  'Tania',
  'John',
  'Amélie',
  '王芳',
  '李伟',
  '张敏',
  'Łukasz',
  'Noor',
];
const FAMILY = [
  'Иванова',
  'Кузнецов',
  'Смирнова',
  'Волков',
  'Лебедева',
  'Morris',
  'Smith',
  'Dubois',
  'Nowak',
  'Haddad',
  '陈',
  '刘',
  '杨',
];
const HANDLES = [
  'anna',
  'dmitry',
  'olga',
  'ilya',
  'masha',
  'serge',
  'tania',
  'john',
  'amelie',
  'wangfang',
  'liwei',
  'zhangmin',
  'lukasz',
  'noor',
];

const AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_6) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
  'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) YaBrowser/25.8.0 Chrome/138.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Linux; Android 14; MI 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36 MicroMessenger/8.0.50',
  'DiscoursApp/2.4.1 (iPad; iPadOS 18.0; Scale/2.00)',
  'python-requests/2.32.3',
];
const PLACES = ['Москва', 'Тбилиси', 'Берлин', 'Warszawa', 'Paris', '北京', '上海', 'Алматы', 'Ереван'];

/** A hostile name among the users: it must be displayed as text. */
const HOSTILE_NAME = '<script>alert(1)</script>';

/** `count` users with ids from 1, equal for equal seeds. */
export const peopleOf = (random: Random, count: number): User[] =>
  Array.from({ length: count }, (_, i) => {
    const which = random.below(GIVEN.length);
    const handle = `${HANDLES[which]}${i + 1}`;
    const username = i === 41 ? HOSTILE_NAME : i % 9 === 4 ? `${GIVEN[which]}${i + 1}` : handle;
    const name = `${GIVEN[which]} ${random.pick(FAMILY)}`;
    return { id: String(i + 1), username, name, slug: handle, email: `${handle}@example.org` };
  });

export const addressOf = (random: Random): string =>
  random.chance(0.15)
    ? `2001:db8:${random.hex(2)}::${random.hex(3)}`
    : `${random.pick(['203.0.113', '198.51.100', '192.0.2', '100.64.7'])}.${1 + random.below(250)}`;

const asPython = (device: Record<string, string>): string =>
  `{${Object.entries(device)
    .map(([name, text]) => `'${name}': '${text}'`)
    .join(', ')}, 'trusted': None}`;

/** `device_info` in the application's formats: JSON, in one place Python; sometimes missing or invalid. */
export const deviceOf = (random: Random): string | null => {
  if (random.chance(0.06)) return null;
  if (random.chance(0.02)) return 'Chrome on Windows';
  const device = { ip: addressOf(random), user_agent: random.pick(AGENTS), location: random.pick(PLACES) };
  return device.location === 'Ереван' ? asPython(device) : JSON.stringify(device);
};
