/** A control token: by its role in tokenizer_config.json, or as it is written. */
export interface Control {
  readonly control: 'cls' | 'sep' | 'mask' | (string & {});
  /** Where it stands is read afterwards. */
  readonly isMark?: boolean;
}

/** What a row is made of: a text, or two that the model reads one after the other. */
export interface RowText {
  /** Or texts and control tokens, which stand beside each other without a blank. */
  readonly text: string | readonly (string | Control)[];
  readonly pair: string | null;
  /** Without the tokens that open and end a row. */
  readonly isBare?: boolean;
  /** Number of the kind of question, for models that read it beside the text. */
  readonly questionKind?: number;
}

/** Tokens as a model reads them, with those that open and end them, and to which of two texts each belongs. */
export interface Row {
  readonly ids: readonly number[];
  readonly types: readonly number[];
  /** Places of the marked control tokens. */
  readonly marks?: readonly number[];
  readonly questionKind?: number;
  /** Tokens of an option, for models that read it beside the state and not in one row with it. */
  readonly option?: readonly number[];
  /** Of an encoder with a reader: the windows of a state, about which the row asks. */
  readonly about?: readonly (readonly number[])[];
}
