// A loader for the browser's scripts (next.config.js): a contract keeps what a request needs (id, method, path). Texts
// and schemas are left out: the server validates with them, and types are derived from them. So the browser has no zod.
const { parse } = require('next/dist/compiled/babel/parser');
const { traverse, types: t } = require('next/dist/compiled/babel/core');

const OF_SERVER = new Set(['input', 'result', 'summary']);
const DECLARES_SCHEMAS = /^zod$|\/(?:contract|schema)$/;

/** A schema module uses `contract` and constants of others, which are in capitals. The other names are schemas. */
const isSchema = (module, { imported, importKind }) =>
  importKind !== 'type' &&
  (module === 'zod' || (imported.name !== 'contract' && !/^[A-Z\d_]+$/.test(imported.name)));

/** A property with the comma before it: none of these is the first. */
const placeOf = (properties, i) => ({ start: properties[i - 1].end, end: properties[i].end, text: '' });

/** The parts of a contract that only the server uses. */
const partsOfServer = ({ callee, arguments: [declared] }) =>
  t.isIdentifier(callee, { name: 'contract' }) && t.isObjectExpression(declared)
    ? declared.properties.flatMap((property, i, properties) =>
        OF_SERVER.has(property.key?.name) ? [placeOf(properties, i)] : [],
      )
    : [];

const isWithin = (edits, { start }) => edits.some((edit) => start >= edit.start && start < edit.end);

/** Imports of schemas, replaced by what else they import, and the names of these schemas. */
const importedSchemas = (source, body) => {
  const imports = body.filter(
    (node) =>
      t.isImportDeclaration(node, { importKind: 'value' }) && DECLARES_SCHEMAS.test(node.source.value),
  );
  const names = [];
  const edits = imports.map(({ specifiers, source: { value }, start, end }) => {
    const schemas = specifiers.filter((specifier) => isSchema(value, specifier));
    names.push(...schemas.map(({ local }) => local.name));
    const rest = specifiers.filter((specifier) => !schemas.includes(specifier));
    const texts = rest.map((specifier) => source.slice(specifier.start, specifier.end));
    return { start, end, text: rest.length === 0 ? '' : `import { ${texts.join(', ')} } from '${value}';` };
  });
  return { names, edits };
};

const slimContracts = (source) => {
  const ast = parse(source, { sourceType: 'module', plugins: ['typescript'] });
  const { names, edits } = importedSchemas(source, ast.program.body);
  let scope;
  traverse(ast, {
    Program(path) {
      scope = path.scope;
    },
    CallExpression({ node }) {
      if (!isWithin(edits, node)) edits.push(...partsOfServer(node));
    },
  });
  // A declaration that uses a schema is one, or only serves schemas, so `names` grows in the loop.
  for (const name of names)
    for (const reference of scope.getBinding(name).referencePaths) {
      if (isWithin(edits, reference.node) || reference.findParent((parent) => parent.isTSType())) continue;
      const statement = reference.findParent(({ parentPath }) => parentPath.isProgram());
      const { start, end } = statement.node;
      names.push(...Object.keys(statement.getBindingIdentifiers()));
      edits.push({ start, end, text: '' });
    }
  const outermost = edits.filter(
    (edit) =>
      !edits.some(
        ({ start, end }) => start <= edit.start && end >= edit.end && end - start > edit.end - edit.start,
      ),
  );
  let slim = source;
  for (const { start, end, text } of outermost.sort((a, b) => b.start - a.start))
    slim = slim.slice(0, start) + text + slim.slice(end);
  return slim;
};

module.exports = slimContracts;
