/** A file of a repository, as it is known to be. */
export interface CuratedFile {
  readonly file: string;
  /** Unit: bytes; null where it is not known. */
  readonly size: number | null;
  /** Null where it is not pinned: then the first pull takes what the Hub tells, and writes it down. */
  readonly sha256: string | null;
}

export interface CuratedModel {
  /** What `nestor models pull` calls it. */
  readonly name: string;
  readonly about: string;
  readonly repository: string;
  /** A commit, so that nothing changes below it. */
  readonly revision: string;
  readonly files: readonly CuratedFile[];
  readonly licence: Licence;
  /** Engine that answers with it, and for ONNX the adapter. */
  readonly engine: 'local' | 'onnx, cosine' | 'onnx, pairs';
  /** Files that the repository lacks, by name: what the model's page says and its settings do not. */
  readonly adds?: Readonly<Record<string, object>>;
}

export interface Licence {
  /** As SPDX names it, where it does. */
  readonly id: string;
  readonly url: string;
  /** What it asks of whoever uses the model; null for one that asks for no more than its notice to be kept. */
  readonly conditions: string | null;
}

const apache: Licence = {
  id: 'Apache-2.0',
  url: 'https://www.apache.org/licenses/LICENSE-2.0',
  conditions: null,
};
const mit: Licence = { id: 'MIT', url: 'https://opensource.org/license/mit', conditions: null };
const gemma: Licence = {
  id: 'Gemma Terms of Use',
  url: 'https://ai.google.dev/gemma/terms',
  conditions:
    'Uses that the Prohibited Use Policy of Gemma names are forbidden, and who passes the model or a derivative on has to pass these terms on.',
};

const pinned = (file: string, size: number | null, sha256: string | null): CuratedFile => ({
  file,
  size,
  sha256,
});
const unpinned = (file: string): CuratedFile => pinned(file, null, null);

/**
 * Models that are known to work, each from the repository of its publisher. Sizes and checksums are those that several
 * independent projects recorded for the same commit.
 */
export const curatedModels: readonly CuratedModel[] = [
  {
    name: 'minilm',
    about: 'all-MiniLM-L6-v2, a sentence encoder for English in 8 bits: embeddings and decisions',
    repository: 'sentence-transformers/all-MiniLM-L6-v2',
    revision: '1110a243fdf4706b3f48f1d95db1a4f5529b4d41',
    files: [
      pinned('config.json', 612, '953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41'),
      pinned('tokenizer.json', 466_247, 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037'),
      pinned(
        'tokenizer_config.json',
        350,
        'acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b',
      ),
      pinned('modules.json', 349, '84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf'),
      pinned(
        '1_Pooling/config.json',
        190,
        '4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23',
      ),
      pinned(
        'onnx/model_qint8_avx512_vnni.onnx',
        23_026_053,
        '4278337fd0ff3c68bfb6291042cad8ab363e1d9fbc43dcb499fe91c871902474',
      ),
    ],
    licence: apache,
    engine: 'onnx, cosine',
  },
  {
    name: 'multilingual-e5-small',
    about: 'a sentence encoder for about 100 languages in 8 bits: embeddings and decisions',
    repository: 'intfloat/multilingual-e5-small',
    revision: '614241f622f53c4eeff9890bdc4f31cfecc418b3',
    files: [
      unpinned('config.json'),
      pinned(
        'tokenizer.json',
        17_082_730,
        '0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39',
      ),
      unpinned('tokenizer_config.json'),
      unpinned('modules.json'),
      unpinned('1_Pooling/config.json'),
      pinned(
        'onnx/model_qint8_avx512_vnni.onnx',
        118_346_824,
        'dd476dd0c2514e9b9be83aeb3853fac0763e0bdf4a71645407587d77c48a2d88',
      ),
    ],
    licence: mit,
    engine: 'onnx, cosine',
    adds: {
      'config_sentence_transformers.json': {
        prompts: { query: 'query: ', document: 'passage: ' },
        default_prompt_name: 'query',
      },
    },
  },
  {
    name: 'ms-marco-minilm',
    about: 'ms-marco-MiniLM-L6-v2, a reranker for English in 32 bits: decisions, a row for each option',
    repository: 'cross-encoder/ms-marco-MiniLM-L6-v2',
    revision: 'c5ee24cb16019beea0893ab7796b1df96625c6b8',
    files: [
      unpinned('config.json'),
      pinned('tokenizer.json', 711_396, 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66'),
      unpinned('tokenizer_config.json'),
      pinned(
        'onnx/model.onnx',
        91_011_230,
        '5d3e70fd0c9ff14b9b5169a51e957b7a9c74897afd0a35ce4bd318150c1d4d4a',
      ),
    ],
    licence: apache,
    engine: 'onnx, pairs',
  },
  {
    name: 'qwen3-0.6b',
    about: 'a small language model of many languages in 8 bits: chat, agents and decisions',
    repository: 'Qwen/Qwen3-0.6B-GGUF',
    revision: '23749fefcc72300e3a2ad315e1317431b06b590a',
    files: [
      pinned(
        'Qwen3-0.6B-Q8_0.gguf',
        639_446_688,
        '9465e63a22add5354d9bb4b99e90117043c7124007664907259bd16d043bb031',
      ),
    ],
    licence: apache,
    engine: 'local',
  },
  {
    name: 'smollm2-1.7b',
    about: 'a small language model for English in 4 bits: chat and decisions',
    repository: 'HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF',
    revision: '2d4a76a30b4af41ecd395c35725ac11688d4cfe4',
    files: [
      pinned(
        'smollm2-1.7b-instruct-q4_k_m.gguf',
        1_055_609_536,
        'decd2598bc2c8ed08c19adc3c8fdd461ee19ed5708679d1c54ef54a5a30d4f33',
      ),
    ],
    licence: apache,
    engine: 'local',
  },
  {
    name: 'gemma3-270m',
    about: 'Gemma 3 270M, a very small language model of many languages in 8 bits: chat and decisions',
    repository: 'ggml-org/gemma-3-270m-it-GGUF',
    revision: 'e7647be17ae1108f2f605ed061ca0608b171afff',
    files: [
      pinned(
        'gemma-3-270m-it-Q8_0.gguf',
        291_545_600,
        '0ef57d2c838458a1952664260dcba38e5bdda37494f3af732f06e4add24068e3',
      ),
    ],
    licence: gemma,
    engine: 'local',
  },
];

/** Unit: bytes; of the files whose size is known. */
export const sizeOf = ({ files }: Pick<CuratedModel, 'files'>): number =>
  files.reduce((sum, { size }) => sum + (size ?? 0), 0);
