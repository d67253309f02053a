/**
 * The damage in the seed, independent of its random numbers: tests compare the console's findings with it. Ids are
 * also fixed, so that a story can open one. Counts are by the family of the key with the member or field.
 */
export const DAMAGE = {
  /** Members and fields that refer to something missing, or are not ids. */
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
  /** Those among them that are not ids of their kind. */
  notAnId: { 'qianxun.groups': 2, 'minidouyin.follows': 3 },
  /** Relations whose other side is stored but lacks them. */
  oneSided: {
    'qianxun.activity-participants': 11,
    'qianxun.activity-in': 6,
    'minidouyin.follows': 20,
    'minidouyin.followers': 12,
    'minidouyin.comment': 20,
  },
  /** Relations whose other side is missing. */
  oneSidedNotStored: { 'qianxun.activity-participants': 4, 'minidouyin.follows': 20 },
  /** Fewer elements than the record's count. */
  partial: { 'minidouyin.user-like': 8, 'minidouyin.video-comment': 4, 'minidouyin.follows': 3 },
  wrongType: {
    'qianxun.groups': 1,
    'qianxun.interests': 1,
    'qianxun.activity-own': 1,
    'minidouyin.friendlist': 1,
    'minidouyin.publish': 1,
  },
  /** Online users without a stored profile. */
  withoutProfile: 7,
  /** Texts without a separator in the room and the direct messages below. */
  withoutSeparator: 6,
  /** Keys whose names belong to no family. */
  unclassified: 4,
  /** Keys with the names of a bare-key family that are not users by type and fields. */
  noUser: 2,
} as const;

/** Damaged accounts of the short-video application; 1 to 260 are sound except for members of their sets. */
export const ACCOUNTS = {
  regular: 260,
  /** Expired: their records are gone, but the last one's videos remain, because those never expire. */
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
  /** Follows an id whose key is another program's string. */
  followsString: 33,
  all: 300,
} as const;

export const VIDEOS = {
  regular: 230,
  /** Their comments expired and were created again by one comment. */
  partialComments: { first: 231, last: 234 },
  /** Comments of an expired account. */
  ofExpired: { first: 235, last: 238 },
  withoutId: 239,
  all: 239,
} as const;

/** Another program's key that looks like an account. */
export const STRING_OF_OTHERS = '20240101';
export const HOSTILE_NICKNAME = '<img src=x onerror=alert(1)>';

/** Ids of the social application's users that are not plain text. */
export const ODD_MEMBERS = ['li_wei', '🐼42', 'a*b?[c]', 'Ольга', 'u|pipe'] as const;

/** A room with several thousand messages, one of them without separator. */
export const BIG_ROOM = { sub: '9', name: '摄影', messages: 3000 } as const;
/** The group of the first member whose name contains the separator of keys. */
export const ODD_GROUP = '工作:项目A';

/** All integers of a range, both ends included. */
export const between = ({ first, last }: { first: number; last: number }): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** The sum over families, of one application or of all. */
export const totalOf = (counts: Readonly<Record<string, number>>, app = ''): number =>
  Object.entries(counts).reduce((sum, [family, count]) => (family.startsWith(app) ? sum + count : sum), 0);
