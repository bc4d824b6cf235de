import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { toPool, type Pool } from './pools.ts';

type Requests = Readonly<Record<string, readonly { readonly data: readonly { readonly text: string }[] }[]>>;

/** Requests to a voice assistant for seven intents. */
export function readAssistants(folder: string, perLabel: number): Pool {
  const root = join(folder, '2017-06-custom-intent-engines');
  const rows = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      // Some of these files are Latin-1.
      const json = readFileSync(join(root, name, `train_${name}.json`), 'latin1');
      const requests = (JSON.parse(json) as Requests)[name] ?? [];
      return requests.map(
        ({ data }) =>
          [
            data
              .map(({ text }) => text)
              .join('')
              .trim(),
            name,
          ] as const,
      );
    });
  const origin = { name: 'assistants', source: 'sonos/nlu-benchmark b86ac7f1577', licence: 'CC0 1.0' };
  return toPool(origin, rows, { perLabel });
}
