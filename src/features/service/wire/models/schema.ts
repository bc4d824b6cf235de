import { Type, type Static } from 'typebox';
import { Count, named, Nullable, orNull, Strict } from '../../../../kernel/kit/schema.ts';

export const ModelFile = named(
  'Model file',
  Strict(
    {
      object: Type.Literal('model_file'),
      name: Type.String(),
      form: Type.Enum(['gguf', 'onnx', 'part']),
      does: Type.Array(Type.Enum(['embeds', 'decides', 'generates'])),
      decides_with: orNull(Type.String()),
      size_bytes: Count,
      licence: orNull(Type.String()),
      used_by: Type.Array(Type.String()),
      problem: orNull(Type.String()),
    },
    {
      form: '`part`: a download that was broken off.',
      does: 'What it can be used for, by what is in it.',
      decides_with: 'The engine `local`, or an adapter of the engine `onnx`.',
      licence: 'As the model says itself, or as it was when it was pulled.',
      used_by: 'Keys of the configuration; `(found)`: no key names it.',
      problem: 'Why it cannot be used.',
    },
  ),
);
export type ModelFile = Static<typeof ModelFile>;

const Licence = Strict(
  { id: Type.String(), url: Type.String(), conditions: orNull(Type.String()) },
  { conditions: 'What it asks of whoever uses the model; a pull has to accept it.' },
);

const Progress = Strict({ done: Count, total: orNull(Count) });

export const KnownModel = named(
  'Known model',
  Strict(
    {
      object: Type.Literal('known_model'),
      name: Type.String(),
      about: Type.String(),
      source: Type.String(),
      size_bytes: Count,
      licence: Licence,
      engine: Type.String(),
      state: Type.Enum(['absent', 'pulling', 'here', 'failed']),
      progress: orNull(Progress),
      error: orNull(Type.String()),
    },
    {
      source: 'Repository and commit.',
      size_bytes: 'Of the files whose size is known.',
      engine: 'What answers with it, and for `onnx` the adapter.',
      progress: 'Of a pull under way in the server that answers. Unit: bytes.',
      error: 'With `failed`: why.',
    },
  ),
);
export type KnownModel = Static<typeof KnownModel>;

export const PullRequest = Strict(
  { accept_licence: Nullable(Type.Boolean(), { errorMessage: 'accept_licence must be a boolean' }) },
  { accept_licence: 'Accepts the conditions of a licence that has some.' },
);

export const InKnown = Type.Object({ model_name: Type.String() });
