import { Type, type Static } from 'typebox';
import { Count, named, Nullable, orNull, Strict } from '../../../../kernel/kit/schema.ts';
import { Time } from '../../../accounts/feature.ts';
import { toIsoDate } from '../../../search/feature.ts';

const titleMax = 1_000;
const dateMessage = 'date must be a day of the calendar as YYYY-MM-DD';

export const IndexDocumentRequest = Strict(
  {
    text: Type.String({ minLength: 1, errorMessage: 'text must be a string that is not empty' }),
    title: Nullable(Type.String({ maxLength: titleMax }), {
      errorMessage: `title must be a string of at most ${titleMax} characters`,
    }),
    url: Nullable(Type.String({ maxLength: 4_096 }), {
      errorMessage: 'url must be an http:// or https:// address',
    }),
    language: Nullable(Type.String({ pattern: '^[a-z]{2}$' }), {
      errorMessage: 'language must be a code of two letters, such as en',
    }),
    date: Nullable(
      Type.Refine(
        Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\d$` }),
        (text) => toIsoDate(text) === text,
        () => dateMessage,
      ),
      { errorMessage: dateMessage },
    ),
  },
  {
    text: 'Plain text or Markdown, whose headings part it.',
    title: 'Counts more than the text where words are looked for.',
    url: 'Where it is found, for citations. A document at the same address is replaced. Without it, an address of its own.',
    language: 'ISO 639-1.',
    date: 'When it was published.',
  },
);
export type IndexDocumentRequest = Static<typeof IndexDocumentRequest>;

export const InDocument = Type.Object({ document_id: Type.String() });

const head = {
  object: Type.Literal('index_document'),
  id: Type.String({ pattern: '^doc_' }),
  url: Type.String(),
  title: Type.String(),
  language: orNull(Type.String()),
  date: orNull(Type.String()),
  written_at: Time,
};

export const IndexDocument = named('Index document', Strict(head));
export type IndexDocument = Static<typeof IndexDocument>;

export const WholeIndexDocument = Strict({ ...head, text: Type.String() });
export type WholeIndexDocument = Static<typeof WholeIndexDocument>;

export const AccountIndex = named(
  'Account index',
  Strict(
    {
      object: Type.Literal('index'),
      documents: Count,
      bytes: Count,
      documents_max: Count,
      bytes_max: Count,
    },
    {
      documents: 'Documents of the account: those that it sent, and those of its sources.',
      bytes: 'Of their texts.',
      documents_max:
        'What is beyond is refused, and told as failed with the reason `quota` where a source has more.',
    },
  ),
);
export type AccountIndex = Static<typeof AccountIndex>;
