/** The source of Nestor's own guide: what `sourceId` makes of `nestor:docs`; a test compares. */
export const guideSourceId = '8b809e09ea7c';

export interface NewPassage {
  /** Of the section that it stands in; may be empty. */
  readonly heading: string;
  readonly text: string;
  /** Where it begins in the text of the document. Unit: UTF-16 units. */
  readonly startAt: number;
  readonly vector: Uint8Array | null;
  readonly words: PassageWords;
}

/** As `toIndexWords` makes them: where documents are made, because it takes as long as splitting them. */
interface PassageWords {
  readonly heading: string;
  readonly text: string;
}

export interface NewDocument {
  readonly sourceId: string;
  readonly url: string;
  /** Host name; empty where there is none. */
  readonly domain: string;
  readonly title: string;
  /** All headings of the document. */
  readonly headings: string;
  readonly language: string | null;
  /** `YYYY-MM-DD`. */
  readonly date: string | null;
  readonly lastUpdated: string | null;
  /** Of the bytes that were read, and of the text in them. */
  readonly hash: string;
  readonly textHash: string;
  /** Validators of the answer that carried it. */
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Engine of the vectors. */
  readonly embeddedBy: string | null;
  readonly fetchedAtMs: number;
  /** At most 1,024 are kept. */
  readonly passages: readonly NewPassage[];
  readonly words: DocumentWords;
}

interface DocumentWords {
  readonly title: string;
  readonly headings: string;
}
