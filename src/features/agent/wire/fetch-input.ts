import { Fault, invalidValue } from '../../../kernel/faults.ts';
import type { Caller } from '../../../kernel/kit/caller.ts';
import { PageError, type Page, type PageReader, readAttached } from '../../search/feature.ts';
import { attribute, contextBlock, neutralise } from '../../tools/feature.ts';
import { fetchRemotes, imageTypes, type FetchMedia, type Remote } from '../../models/feature.ts';
import type { InputItem, InputPart } from './input.ts';
import type { Fetched } from './turns.ts';

type FilePart = Extract<InputPart, { kind: 'file' }>;

const filesMax = 20;

/**
 * Reads what the input names: images by address, texts of files. Throws Fault `invalid_image` and `invalid_value`, but not
 * for what was read for an `earlier` answer: an address may have ended since, which must not end the conversation.
 */
export async function fetchInput(
  items: readonly InputItem[],
  earlier: ReadonlySet<InputItem>,
  fetchMedia: FetchMedia | undefined,
  pages: PageReader,
  caller: Caller,
): Promise<Fetched> {
  const own = partsOf(items.filter((item) => !earlier.has(item)));
  const past = partsOf(items.filter((item) => earlier.has(item)));
  const excess = own.filter(isFile)[filesMax];
  if (excess !== undefined) throw invalidValue(`A request may hold at most ${filesMax} files`, excess.param);
  const readImages = async (remotes: readonly Remote[]) => fetchRemotes(remotes, fetchMedia, caller);
  const readFile = async (file: FilePart) => {
    const page = await readAttached(pages, file, caller).catch((error: unknown) => {
      throw error instanceof PageError ? invalidValue(error.message, file.param, error) : error;
    });
    return [file, toText(file, page)] as const;
  };
  const [images, pastImages, files, pastFiles] = await Promise.all([
    readImages(own.flatMap(toRemote)),
    Promise.all(
      past
        .flatMap(toRemote)
        .slice(-pastMax)
        .map((one) => readImages([one]).catch(nothing)),
    ),
    Promise.all(own.filter(isFile).map(readFile)),
    Promise.all(
      past
        .filter(isFile)
        .slice(-pastMax)
        .map((one) => readFile(one).catch(nothing)),
    ),
  ]);
  return {
    images: new Map([...pastImages.flatMap((found) => [...(found ?? [])]), ...images]),
    files: new Map([...pastFiles.flatMap((found) => (found === null ? [] : [found])), ...files]),
  };
}

/** Images, and files, of earlier answers that are read again: the last ones. */
const pastMax = 20;

const isFile = (part: InputPart): part is FilePart => part.kind === 'file';

function partsOf(items: readonly InputItem[]): readonly InputPart[] {
  return items.flatMap((item) => ('parts' in item ? item.parts : []));
}

function toRemote(part: InputPart): readonly Remote[] {
  return part.kind === 'remote-image' ? [{ url: part.url, param: part.param, mediaTypes: imageTypes }] : [];
}

/** For what cannot be read; anything else is thrown on. */
function nothing(error: unknown): null {
  if (error instanceof Fault && error.status === 400) return null;
  throw error;
}

/** The text of a file as the model reads it: a context block, whatever it says. */
function toText(file: FilePart, page: Page): string {
  const name = file.fileName ?? (page.title === '' ? 'file' : page.title);
  return contextBlock('page', `This is the file ${attribute(name)}.`, neutralise(page.text));
}
