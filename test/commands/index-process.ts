/** Indexes a folder and says when the first files are written; is killed in the middle. */
import { configuration } from '../../src/configuration.ts';
import { defaultOptions, toSource } from '../../src/features/index/source.ts';
import { openIndexTools } from '../../src/features/index/open-index.ts';

const [folder = '', data = ''] = process.argv.slice(2);
const tools = await openIndexTools(
  configuration.load({ env: { NESTOR_DATA: data, NESTOR_EMBEDDINGS_ENGINE: 'words' }, cwd: folder }),
);
const row = await tools.sources.ensure({
  id: 'many',
  kind: 'folder',
  location: `${folder}/many`,
  options: JSON.stringify(defaultOptions),
  everyMs: null,
  addedAtMs: Date.now(),
});
await tools.refresh(toSource(row), new AbortController().signal, ({ done }) => {
  if (done > 0) process.stdout.write(`${done}\n`);
});
await tools.close();
