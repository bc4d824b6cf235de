import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { splitName } from '../../src/kernel/kit/words.ts';
import { toPool, type Pool } from './pools.ts';

interface Service {
  readonly service_name: string;
  readonly intents: readonly { readonly name: string; readonly description: string }[];
}

interface Dialogue {
  readonly turns: readonly {
    readonly utterance: string;
    readonly frames: readonly {
      readonly service: string;
      readonly actions: readonly { readonly act: string; readonly values: readonly string[] }[];
    }[];
  }[];
}

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

/**
 * The schema-guided dialogues: turns in which someone says what they want, and each intent as its authors describe it,
 * in the six wordings that SGD-X adds.
 */
export function readDialogues(folder: string, perLabel: number): Pool {
  const dialogues = readdirSync(join(folder, 'train')).filter((name) => name.startsWith('dialogues_'));
  const rows = dialogues.flatMap((name) =>
    wishesOf(read(join(folder, 'train', name)) as readonly Dialogue[]),
  );
  const said = wordingsOf([
    join(folder, 'train/schema.json'),
    ...[1, 2, 3, 4, 5].map((version) => join(folder, `sgd_x/data/v${version}/train/schema.json`)),
  ]);
  const origin = {
    name: 'dialogues',
    source: 'google-research-datasets/dstc8-schema-guided-dialogue e852981ae349',
    licence: 'CC BY-SA 4.0',
  };
  return toPool(origin, rows, { perLabel, rowsMin: 5 }, (label) => said.get(label) ?? [splitName(label)]);
}

/** Turns that name one intent; dialogues repeat themselves, so each text counts once. */
export function wishesOf(
  dialogues: readonly Dialogue[],
): readonly (readonly [text: string, intent: string])[] {
  const found = new Map<string, string>();
  for (const { turns } of dialogues) {
    for (const { utterance, frames } of turns) {
      const intents = frames.flatMap(({ actions }) =>
        actions.filter(({ act }) => act === 'INFORM_INTENT').flatMap(({ values }) => values),
      );
      const [intent] = intents;
      if (intent !== undefined && intents.length === 1) found.set(utterance, intent);
    }
  }
  return [...found];
}

/** All descriptions of an intent over services and versions. Later versions keep the order, not the names. */
function wordingsOf(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const versions = paths.map((path) => read(path) as readonly Service[]);
  const said = new Map<string, Set<string>>();
  for (const [place, service] of (versions[0] ?? []).entries()) {
    for (const [index, { name }] of service.intents.entries()) {
      const wordings = said.get(name) ?? new Set([splitName(name).toLowerCase()]);
      said.set(name, wordings);
      for (const version of versions) wordings.add(version[place]?.intents[index]?.description ?? '');
      wordings.delete('');
    }
  }
  return new Map([...said].map(([name, wordings]) => [name, [...wordings]]));
}
