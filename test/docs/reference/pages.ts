import { readFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { toErrorSection } from './errors.ts';
import { toSection, toShapeSection } from './operation.ts';
import { findShapes } from './shapes.ts';
import { describeOperations, type DescribedOperation } from './source.ts';
import { groupWords, toAnchor } from './words.ts';

const root = new URL('../../../', import.meta.url);
const made =
  '<!-- Made by `npm run docs:reference` from what the server publishes. Change the schemas, not this page. -->';

/** Where the pages lie. */
export const referenceFolder = new URL('docs/reference/', root);

/** Every page by its file name, as it should stand in `referenceFolder`. */
export async function makePages(): Promise<ReadonlyMap<string, string>> {
  const described = describeOperations();
  const groups = [...new Set(described.map(({ group }) => group))].toSorted((a, b) => rankOf(a) - rankOf(b));
  const ordered = groups.flatMap((name) => described.filter(({ group }) => group === name));
  const shapes = findShapes(ordered);
  const pages: [string, string][] = [['index.md', toIndex(groups, ordered)]];
  for (const group of groups) {
    const own = ordered.filter((operation) => operation.group === group);
    const { title, intro } = wordsOf(group);
    const named = [...shapes.values()].filter((shape) => shape.page === group && !shape.isInline);
    const surfaces = [...new Set(own.map(({ surface }) => surface))];
    const blocks = [
      `# ${title} reference`,
      made,
      `${intro} Common to all operations: [the index](index.md).`,
      toList(own),
      ...own.map((operation) => toSection(operation, shapes)),
      await readNotes(group),
      ...(named.length === 0 ? [] : ['## Shapes', ...named.map((shape) => toShapeSection(shape, shapes))]),
      ...surfaces.flatMap((surface) => [
        `## Errors of ${surface}`,
        toErrorSection(
          surface,
          own.filter((operation) => operation.surface === surface),
        ),
      ]),
    ];
    pages.push([`${group}.md`, blocks.filter((block) => block !== '').join('\n\n')]);
  }
  const config = await resolveConfig(new URL('index.md', referenceFolder));
  return new Map(
    await Promise.all(
      pages.map(async ([name, text]): Promise<[string, string]> => [
        name,
        await format(text, { ...config, parser: 'markdown', proseWrap: 'always' }),
      ]),
    ),
  );
}

function rankOf(group: string): number {
  const rank = Object.keys(groupWords).indexOf(group);
  return rank === -1 ? Number.MAX_SAFE_INTEGER : rank;
}

function wordsOf(group: string) {
  return groupWords[group] ?? { title: group.slice(0, 1).toUpperCase() + group.slice(1), intro: '' };
}

function toList(operations: readonly DescribedOperation[], page = ''): string {
  const rows = operations.map(
    ({ method, path, summary }) =>
      `| [\`${method} ${path}\`](${page}#${toAnchor(`${method} ${path}`)}) | ${summary} |`,
  );
  return ['| Operation | Does |', '| --- | --- |', ...rows].join('\n');
}

function toIndex(groups: readonly string[], operations: readonly DescribedOperation[]): string {
  return [
    '# Reference',
    made,
    common,
    ...groups.map((name) => {
      const own = operations.filter(({ group }) => group === name);
      return `## ${wordsOf(name).title}\n\n${toList(own, `${name}.md`)}`;
    }),
  ].join('\n\n');
}

const common = `Every operation of a server with nothing configured but an admin key, group by group. The same is
published by the server itself, for tools, at \`/openapi.json\`. How to use it all is told by the
[guide](../guide/getting-started.md).

- Addresses begin with that of the server; the examples use \`http://127.0.0.1:8787\`. Paths are exact: no slash at the end.
- A key is sent as \`Authorization: Bearer KEY\`. Examples take it from \`NESTOR_ROOT_KEY\`, that of the administration
  from \`NESTOR_ADMIN_KEY\`, and what an earlier answer named from other variables.
- Bodies are JSON, whatever \`content-type\` says; a name that stands twice in one object is refused. A field that may be
  null means the same with null as without it, unless it says otherwise.
- Fields of requests are optional unless they are marked as required. Fields of responses are always there unless they
  are marked otherwise.
- Names of models and paths hold the family \`svc\`; \`family\` in the [configuration](../guide/configuration.md) changes it.

Every response has \`x-request-id\`. Where a limit was taken from there are \`x-ratelimit-limit\`,
\`x-ratelimit-remaining\`, \`x-ratelimit-used\` and \`x-ratelimit-reset\`; with 429 and 503 \`Retry-After\` and
\`retry-after-ms\`. \`x-should-retry: false\` says that the same request will fail again. See
[rate limits](../guide/rate-limits.md) and [errors](../guide/errors.md).`;

/** What the description cannot hold, such as the events of a stream. */
async function readNotes(group: string): Promise<string> {
  const file = new URL(`test/docs/reference/notes/${group}.md`, root);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  });
  return text.trim();
}
