/**
 * What is damaged in the seed, whatever its number: tests compare what the console finds with it. Ids are fixed too, so
 * that a story can open one. Counts are by the family of the key that has the member or field.
 */
export const DAMAGE = {
  /** Members and fields that name what is not stored, or no id at all. */
  dangling: {
    'qianxun.groups': 11,
    'qianxun.activity-participants': 6,
    'qianxun.activity-own': 3,
    'qianxun.activity-in': 5,
    'qianxun.chatgrp-list': 3,
    'minidouyin.follows': 34,
    'minidouyin.followers': 6,
    'minidouyin.friendlist': 12,
    'minidouyin.user-like': 12,
    'minidouyin.video': 4,
    'minidouyin.chatrec': 10,
  },
  /** Of those: no id of their kind. */
  notAnId: { 'qianxun.groups': 2, 'minidouyin.follows': 3 },
  /** Relations whose other side is stored and lacks them. */
  oneSided: {
    'qianxun.activity-participants': 11,
    'qianxun.activity-in': 6,
    'minidouyin.follows': 20,
    'minidouyin.followers': 12,
    'minidouyin.comment': 20,
  },
  /** Relations whose other side is not stored at all. */
  oneSidedNotStored: { 'qianxun.activity-participants': 4, 'minidouyin.follows': 20 },
  /** Fewer elements than the record counts. */
  partial: { 'minidouyin.user-like': 8, 'minidouyin.video-comment': 4, 'minidouyin.follows': 3 },
  wrongType: {
    'qianxun.groups': 1,
    'qianxun.interests': 1,
    'qianxun.activity-own': 1,
    'minidouyin.friendlist': 1,
    'minidouyin.publish': 1,
  },
  /** Users online whose profile is not stored. */
  withoutProfile: 7,
  /** Texts without a separator in the room and the direct messages below. */
  withoutSeparator: 6,
  /** Keys that no family has by their name. */
  unclassified: 4,
  /** Keys that a bare-key family has by name, and that are no user by type and fields. */
  noUser: 2,
} as const;

/** Accounts of the short-video application that are damaged; 1 to 260 are in order but for members of their sets. */
export const ACCOUNTS = {
  regular: 260,
  /** Expired: their records are gone. The last one's videos remain, because those never expire. */
  expired: { first: 261, last: 266 },
  /** Their followers have expired. */
  followersExpired: { first: 267, last: 271 },
  /** Each lacks one follower who follows them. */
  oneSided: { first: 272, last: 291 },
  /** Their follows expired and were created again by one change. */
  partialFollows: { first: 292, last: 294 },
  wrongFriendlist: 295,
  wrongPublish: 296,
  withoutId: [297, 298],
  namesItself: 299,
  /** A nickname of HTML, and a user name with the separator of other families. */
  hostile: 300,
  /** Their likes expired and were created again by one like. */
  partialLikes: { first: 11, last: 18 },
  likesGoneVideos: { first: 21, last: 32 },
  /** Follows an id whose key is a string of somebody else. */
  followsString: 33,
  all: 300,
} as const;

export const VIDEOS = {
  regular: 230,
  /** Their comments expired and were created again by one comment. */
  partialComments: { first: 231, last: 234 },
  /** Of an expired account. */
  ofExpired: { first: 235, last: 238 },
  withoutId: 239,
  all: 239,
} as const;

/** The key of somebody else that looks like an account. */
export const STRING_OF_OTHERS = '20240101';
export const HOSTILE_NICKNAME = '<img src=x onerror=alert(1)>';

/** Ids of the social application's users that are no plain text. */
export const ODD_MEMBERS = ['li_wei', '🐼42', 'a*b?[c]', 'Ольга', 'u|pipe'] as const;

/** The room of some thousand messages, one of them without separator. */
export const BIG_ROOM = { sub: '9', name: '摄影', messages: 3000 } as const;
/** The group of the first member whose name contains the separator of keys. */
export const ODD_GROUP = '工作:项目A';

/** Every number of a range, both ends included. */
export const between = ({ first, last }: { first: number; last: number }): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** The sum over families, of one application or of all. */
export const totalOf = (counts: Readonly<Record<string, number>>, app = ''): number =>
  Object.entries(counts).reduce((sum, [family, count]) => (family.startsWith(app) ? sum + count : sum), 0);
