// A loader for the browser's scripts (next.config.js): a contract keeps what a request needs (id, method, path),
// without texts and schemas, which the server validates with and types are derived from. The minifier then drops
// unused schemas, because calls in these files have no effects.
const { parse } = require('next/dist/compiled/babel/parser');
const { traverse, types: t } = require('next/dist/compiled/babel/core');

const OF_SERVER = new Set(['input', 'result', 'summary']);
const TEXTS = new Set(['meta', 'describe']);

/** A property with the comma before it: none of these is the first. */
const placeOf = (properties, i) => [properties[i - 1].end, properties[i].end];

const slimContracts = (source) => {
  const cuts = [];
  const pure = new Set();
  const isCut = (at) => cuts.some(([from, to]) => at >= from && at < to);
  traverse(parse(source, { sourceType: 'module', plugins: ['typescript'] }), {
    CallExpression({ node }) {
      const { callee, arguments: given } = node;
      if (isCut(node.start)) return;
      if (t.isIdentifier(callee, { name: 'contract' }) && t.isObjectExpression(given[0]))
        given[0].properties.forEach((property, i, all) => {
          if (OF_SERVER.has(property.key?.name)) cuts.push(placeOf(all, i));
        });
      if (t.isMemberExpression(callee) && TEXTS.has(callee.property.name))
        cuts.push([callee.object.end, node.end]);
      pure.add(node.start);
    },
  });
  let slim = source;
  const edits = [
    ...cuts.map(([from, to]) => ({ from, to, text: '' })),
    ...[...pure].filter((at) => !isCut(at)).map((at) => ({ from: at, to: at, text: '/*#__PURE__*/ ' })),
  ].sort((a, b) => b.from - a.from || b.to - a.to);
  for (const { from, to, text } of edits) slim = slim.slice(0, from) + text + slim.slice(to);
  return slim;
};

module.exports = slimContracts;
