import type { Batch } from '../batch';
import { expire, goTime } from './accounts';
import type { Comment, Video } from './video-model';
import { key, type SocialWorld } from './world';

const fieldsOf = (row: Record<string, string | number>): string[] =>
  Object.entries(row).flatMap(([name, value]) => [name, String(value)]);

/** Without TTL: the application's EXPIRE goes to the bare id. */
export const writeVideo = (batch: Batch, { id, title, author, likes, comments, createdAt }: Video): void =>
  batch.add('HSET', [
    key('minidouyin.video', { id }),
    ...fieldsOf({
      ID: id,
      Title: title,
      Author: author,
      PlayUrl: `https://cdn.example.org/video/${createdAt}.mp4`,
      CoverUrl: `https://cdn.example.org/cover/${createdAt}.png`,
      FavoriteCount: likes,
      CommentCount: comments.size,
      CreatedAt: goTime(createdAt),
    }),
  ]);

export const writeComment = (
  world: SocialWorld,
  batch: Batch,
  { id, video, user, content, createdAt }: Comment,
  isNew = true,
): void => {
  const at = key('minidouyin.comment', { id });
  const times = { CreatedAt: goTime(createdAt), UpdatedAt: goTime(createdAt) };
  batch.add('HSET', [at, ...fieldsOf({ ID: id, VideoId: video, UserId: user, Content: content, ...times })]);
  expire(world, batch, at, isNew);
  const list = key('minidouyin.video-comment', { video_id: video });
  batch.add('ZADD', [list, id, id]);
  expire(world, batch, list, isNew);
};

export const writeVideos = (world: SocialWorld, batch: Batch): void => {
  for (const video of world.video.videos.values()) writeVideo(batch, video);
  for (const comment of world.video.comments.values()) writeComment(world, batch, comment, false);
};
