import { describe, expect, it } from 'vitest';
import { CHILDREN_SHOWN, jsonFault, jsonRows, MAX_DEPTH, MAX_ROWS, parseJson } from './json-rows';

const NONE = { toggled: new Set<string>(), shown: new Map<string, number>() };
const nested = (levels: number): unknown => parseJson(`${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`);

describe('jsonRows', () => {
  it('opens the first levels, in the order of the text', () => {
    const { rows } = jsonRows({ id: 4, tags: ['x', null], at: { lat: 1, deep: { more: true } } }, NONE);
    expect(
      rows.map((row) => row.kind === 'node' && [row.id, row.name ?? row.index, row.type, row.open]),
    ).toEqual([
      ['', null, 'object', true],
      ['/0', 'id', 'number', false],
      ['/1', 'tags', 'array', true],
      ['/1/0', 0, 'string', false],
      ['/1/1', 1, 'null', false],
      ['/2', 'at', 'object', true],
      ['/2/0', 'lat', 'number', false],
      ['/2/1', 'deep', 'object', false],
    ]);
  });

  it('shows the children of wide nodes in parts, and never more rows than it may', () => {
    const wide = Array.from({ length: 10_000 }, (_, i) => i);
    const { rows, cut } = jsonRows(wide, NONE);
    expect(rows).toHaveLength(1 + CHILDREN_SHOWN + 1);
    expect(rows.at(-1)).toMatchObject({ kind: 'more', of: '', left: 10_000 - CHILDREN_SHOWN });
    expect(cut).toBe(false);
    const all = jsonRows(wide, { ...NONE, shown: new Map([['', 10_000]]) });
    expect([all.rows.length, all.cut]).toEqual([MAX_ROWS, true]);
  });

  it('goes no deeper than it may in a value of ten thousand levels', () => {
    const value = nested(5000);
    const toggled = new Set<string>();
    // Whoever opens node after node, also from a node that became the root.
    for (let i = 2; i <= MAX_DEPTH; i++) toggled.add('/0'.repeat(i));
    const { rows } = jsonRows(value, { ...NONE, toggled });
    expect(rows).toHaveLength(MAX_DEPTH + 1);
    const last = rows.at(-1)!;
    expect(last).toMatchObject({ depth: MAX_DEPTH, deeper: true, open: false });
    if (last.kind === 'node')
      expect(jsonRows(last.value, NONE).rows[0]).toMatchObject({ depth: 0, open: true });
  });

  it('keeps the digits of numbers', () => {
    const { rows } = jsonRows(parseJson('[1189723456789012481, 0.12345678901234567890, 1e400, 1.5]'), NONE);
    const nodes = rows.filter((row) => row.kind === 'node').slice(1);
    expect(nodes.map(({ type, value }) => [type, String(value)])).toEqual([
      ['number', '1189723456789012481'],
      ['number', '0.12345678901234567890'],
      ['number', '1e400'],
      ['number', '1.5'],
    ]);
  });

  it('reports what is no JSON', () => {
    expect(parseJson('{"a":')).toBeUndefined();
    expect(jsonFault('{"a":')).toMatch(/JSON/);
    expect(jsonFault('"a"')).toBeNull();
  });
});
