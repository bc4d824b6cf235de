/** Inclusive, `YYYY-MM-DD`. A document without the date fails. */
export interface DateRange {
  readonly publishedAfter: string | null;
  readonly publishedBefore: string | null;
  readonly updatedAfter: string | null;
  readonly updatedBefore: string | null;
}

export interface CandidateOptions {
  /** Host names; sub-domains match. Empty allows all. */
  readonly allowDomains: readonly string[];
  readonly denyDomains: readonly string[];
  /** ISO 639-1; a document of an unknown language passes. */
  readonly languages: readonly string[];
  readonly dates: DateRange;
  readonly passagesMax: number;
  /** False where words alone rank: frequent words are then scored as well, however long it takes. Default true. */
  readonly isRankedByMeaning?: boolean;
}

export interface FoundPassage {
  /** 1,024 times the document's number, plus the place of the passage in it. */
  readonly id: number;
  /** By its words; grows with the likeness. Comparable within one answer, the same for all that were not scored. */
  readonly score: number;
  /** Whether every word of the query is in it. */
  readonly hasAll: boolean;
  /** One signed byte a value, of which only the direction counts; null where none was computed. */
  readonly vector: Uint8Array | null;
  readonly embeddedBy: string | null;
}

export interface FoundTitle {
  readonly documentId: number;
  readonly score: number;
}

export interface Candidates {
  readonly passages: readonly FoundPassage[];
  readonly titles: readonly FoundTitle[];
}

export const passagesPerDocument = 1_024;
