'use client';

import { useElementSize } from '@mantine/hooks';
import { type HTMLAttributes, useMemo } from 'react';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { onDemand } from '@/components/patterns/on-demand';
import { useFormat } from '@/components/patterns/use-format';
import { visiblePieces } from '@/lib/visible-text';
import { ChartFigure } from './chart-figure';
import { type SeriesColor, strokeOf } from './series';
import classes from './treemap.module.css';

export interface Tile {
  id: string;
  name: string;
  value: number;
  color: SeriesColor;
  /** Whether it is the remainder of the whole rather than one of the compared things: drawn with a broken line. */
  apart?: boolean;
  /** Whether a click does nothing. */
  inert?: boolean;
}

interface TreemapProps {
  /** What the picture shows, in one sentence: its name for assistive technology. */
  label: string;
  /** Names the exported file. */
  name: string;
  headers: { name: string; value: string; share: string };
  tiles: readonly Tile[];
  format: (value: number) => string;
  onOpen: (tile: Tile) => void;
  height?: number;
}

/** Pixels: smaller tiles have neither text nor a button. The table also lists them. */
const MIN_WIDTH = 44;
const MIN_HEIGHT = 28;

/** Tiles by size, each with its share of the whole. */
export const Treemap = (props: TreemapProps) => (
  <ChartFigure label={props.label} table={<TileTable {...props} />}>
    <Picture {...props} />
  </ChartFigure>
);

const totalOf = (tiles: readonly Tile[]): number => tiles.reduce((sum, { value }) => sum + value, 0);

const TileTable = ({ label, name, headers, tiles, format }: TreemapProps) => {
  const { ratio } = useFormat();
  const total = totalOf(tiles);
  const columns = useMemo(
    (): DataColumn<Tile>[] => [
      { id: 'name', header: headers.name, pinned: true },
      {
        id: 'value',
        header: headers.value,
        align: 'right',
        cell: (tile) => format(tile.value),
      },
      {
        id: 'share',
        header: headers.share,
        align: 'right',
        cell: (tile) => ratio(total === 0 ? null : tile.value / total),
        value: (tile) => (total === 0 ? null : tile.value / total),
      },
    ],
    [headers, format, ratio, total],
  );
  const rows = useMemo(() => tiles.toSorted((a, b) => b.value - a.value), [tiles]);
  return <DataTable label={label} name={name} columns={columns} rows={rows} rowId={({ id }) => id} />;
};

const Chart = onDemand(async () => (await import('./tile-drawing')).TileDrawing, 'shown');

const Picture = ({ label, tiles, format, onOpen, height = 260 }: TreemapProps) => {
  const { ref, width } = useElementSize();
  const total = totalOf(tiles);
  // Nothing is drawn for an empty value, because a rectangle without size is not a tile.
  const data = useMemo(
    () =>
      tiles
        .filter(({ value }) => value > 0)
        .toSorted((a, b) => b.value - a.value)
        .map(({ id, name, value }) => ({ id, name, value })),
    [tiles],
  );
  const byId = useMemo(() => new Map(tiles.map((tile) => [tile.id, tile])), [tiles]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups the fields of a form, these are tiles
    <div ref={ref} className={classes.picture} style={{ height }} role="group" aria-label={label}>
      {width > 0 && (
        <Chart
          data={data}
          dataKey="value"
          nameKey="name"
          width={width}
          height={height}
          nodeGap={3}
          isAnimationActive={false}
          content={(node) => {
            const tile = byId.get(String(node.id));
            if (!tile || node.depth !== 1) return <g />;
            return <OneTile tile={tile} place={node} {...{ total, format, onOpen }} />;
          }}
        />
      )}
    </div>
  );
};

interface OneTileProps {
  tile: Tile;
  /** In pixels. */
  place: { x: number; y: number; width: number; height: number };
  total: number;
  format: (value: number) => string;
  onOpen: (tile: Tile) => void;
}

/** HTML in the drawing, for keyboard-accessible buttons and truncated text. */
const OneTile = ({ tile, place, total, format, onOpen }: OneTileProps) => {
  const { ratio } = useFormat();
  const { x, y, width, height } = place;
  const shown = format(tile.value);
  const words = `${visibleText(tile.name)}: ${shown} (${ratio(tile.value / total)})`;
  const style = { '--tile': strokeOf(tile) } as React.CSSProperties;
  const tileClass = { className: classes.tile, style, title: words, 'data-apart': tile.apart || undefined };
  return (
    <foreignObject x={x} y={y} width={Math.max(0, width)} height={Math.max(0, height)}>
      {width < MIN_WIDTH || height < MIN_HEIGHT ? (
        <div {...tileClass} aria-hidden />
      ) : (
        <Frame {...tileClass} words={words} onOpen={tile.inert ? undefined : () => onOpen(tile)}>
          <span>{visibleText(tile.name)}</span>
          {height >= 2 * MIN_HEIGHT - 8 && <small>{shown}</small>}
        </Frame>
      )}
    </foreignObject>
  );
};

interface FrameProps extends HTMLAttributes<HTMLElement> {
  words: string;
  onOpen: (() => void) | undefined;
}

const Frame = ({ words, onOpen, ...rest }: FrameProps) =>
  onOpen ? (
    <button type="button" aria-label={words} onClick={onOpen} {...rest} />
  ) : (
    <div role="img" aria-label={words} {...rest} />
  );

/** A family's title comes from a catalog file, so its control characters stay visible here, too. */
const visibleText = (text: string): string =>
  visiblePieces(text, 80)
    .pieces.map((piece) => piece.text)
    .join('');
