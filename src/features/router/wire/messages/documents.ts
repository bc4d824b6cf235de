import { Fault, invalidValue } from '../../../../kernel/faults.ts';
import type { Caller } from '../../../../kernel/kit/caller.ts';
import { PageError, type PageReader } from '../../../search/feature.ts';
import { checkBase64, type Media } from '../../../models/feature.ts';
import { documentsOf, type DocumentBlock, type Message } from './blocks.ts';

/** Documents of one request. They are read in sequence, so that it takes one place of the reader at a time. */
const documentsMax = 20;

/**
 * The text of each PDF of the messages, for a model that reads none. Throws Fault `invalid_value` that names the one
 * which cannot be read, `service_unavailable` when the reader has no time.
 */
export async function readDocuments(
  messages: readonly Message[],
  media: ReadonlyMap<string, Media>,
  pages: PageReader,
  caller: Caller,
): Promise<ReadonlyMap<DocumentBlock, string>> {
  const documents = documentsOf(messages).flatMap(({ block, path: param }) => {
    const base64 = pdfOf(block, media);
    return base64 === null ? [] : [{ block, base64, param }];
  });
  const excess = documents[documentsMax];
  if (excess !== undefined)
    throw invalidValue(`A request may hold at most ${documentsMax} documents for this model`, excess.param);
  const texts = new Map<DocumentBlock, string>();
  for (const { block, base64, param } of documents) {
    texts.set(block, await readPdf(checkBase64(base64, `${param}.source.data`), param, pages, caller));
  }
  return texts;
}

/** Base64; null for what is text already. */
function pdfOf({ source }: DocumentBlock, media: ReadonlyMap<string, Media>): string | null {
  if (source.type === 'text') return null;
  if (source.type === 'base64') return source.data;
  const fetched = media.get(source.url);
  return fetched?.mediaType === 'application/pdf' ? fetched.base64 : null;
}

async function readPdf(base64: string, param: string, pages: PageReader, caller: Caller): Promise<string> {
  const label = { mediaType: 'application/pdf' };
  const page = await pages.extractFile(base64, label, caller).catch((error: unknown) => {
    if (!(error instanceof PageError)) throw error;
    if (error.reason === 'busy')
      throw new Fault('service_unavailable', error.message, { retryAfterMs: 1_000 });
    throw invalidValue(`The document cannot be read: ${error.message}`, param);
  });
  const text = page.text.trim();
  if (text !== '') return text;
  throw invalidValue(
    'The document holds no text that this model could read; send its pages as images',
    param,
  );
}
