import { invalidValue } from '../../../kernel/faults.ts';
import type { Caller } from '../../../kernel/kit/caller.ts';
import { PageError, type Page, type PageReader, readAttached } from '../../search/feature.ts';
import { attribute, contextBlock, neutralise } from '../../tools/feature.ts';
import { fetchRemotes, imageTypes, type FetchMedia } from '../../models/feature.ts';
import type { InputItem, InputPart } from './input.ts';
import type { Fetched } from './turns.ts';

type FilePart = Extract<InputPart, { kind: 'file' }>;

const filesMax = 20;

/** Reads what the input names: images by address, texts of files. Throws Fault `invalid_image` and `invalid_value`. */
export async function fetchInput(
  items: readonly InputItem[],
  fetchMedia: FetchMedia | undefined,
  pages: PageReader,
  caller: Caller,
): Promise<Fetched> {
  const parts = items.flatMap((item) => ('parts' in item ? item.parts : []));
  const remotes = parts.flatMap((part) =>
    part.kind === 'remote-image' ? [{ url: part.url, param: part.param, mediaTypes: imageTypes }] : [],
  );
  const files = parts.flatMap((part) => (part.kind === 'file' ? [part] : []));
  const excess = files[filesMax];
  if (excess !== undefined) throw invalidValue(`A request may hold at most ${filesMax} files`, excess.param);
  const [images, texts] = await Promise.all([
    fetchRemotes(remotes, fetchMedia, caller),
    Promise.all(
      files.map(async (file) => {
        const page = await readAttached(pages, file, caller).catch((error: unknown) => {
          throw error instanceof PageError ? invalidValue(error.message, file.param, error) : error;
        });
        return [file, toText(file, page)] as const;
      }),
    ),
  ]);
  return { images, files: new Map(texts) };
}

/** The text of a file as the model reads it: a context block, whatever it says. */
function toText(file: FilePart, page: Page): string {
  const name = file.fileName ?? (page.title === '' ? 'file' : page.title);
  return contextBlock('page', `This is the file ${attribute(name)}.`, neutralise(page.text));
}
