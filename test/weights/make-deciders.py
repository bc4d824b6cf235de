"""Writes small decision models of random weights as ONNX folders, and what their authors' own Python answers.

    pip install -r requirements-deciders.txt
    python make-deciders.py FOLDER

makes FOLDER/deciders/laya, FOLDER/deciders/gliclass and FOLDER/deciders/nli, each with rows.json beside the graph: 200
questions with the probabilities that follow from the rows and models of the packages. Choices are asked in the order of their names and in
the reverse of it, because that is what is compared. It downloads nothing but the packages.
"""

import json
import math
import sys
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    AutoModel, BertConfig, BertForSequenceClassification, DebertaV2Config, ModernBertConfig, PreTrainedTokenizerFast,
    pipeline as pipeline_of,
)

from questions import WORDS, write


def tokenizer_of(special, opening, closing):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train_from_iterator([" ".join(WORDS), "choice question: level noul score true: false: no, yes,"], trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{opening} $A {closing}",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in (opening, closing)],
    )
    return tokenizer


def answer(question, scores_of):
    """Probabilities in the order of the question, from those that `scores_of` gives for an order."""
    count = len(question["options"])
    if question["kind"] == "noul":
        return scores_of([1, 0])[::-1]
    forwards = scores_of(list(range(count)))
    if question["kind"] == "score":
        return forwards
    backwards = scores_of(list(range(count))[::-1])[::-1]
    return [(a + b) / 2 for a, b in zip(forwards, backwards)]


def make_laya(folder):
    from laya.common import QTYPES, DecisionModel, build_sequence, clamp_temperature, temp_bucket

    folder.mkdir(parents=True, exist_ok=True)
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    made = tokenizer_of(special, "[CLS]", "[SEP]")
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        mask_token="[MASK]",
    )
    tokenizer.save_pretrained(folder / "tokenizer")
    settings = {
        "max_len": 512, "head_max_len": 192, "temperature": [1.4, 0.3, 2.0],
        "temperature_by_options": {"choice:3-5": 0.8, "choice:11+": 0.1},
    }
    (folder / "rl_agent_config.json").write_text(json.dumps(settings))
    config = ModernBertConfig(
        vocab_size=made.get_vocab_size(), hidden_size=64, intermediate_size=96, num_hidden_layers=3,
        num_attention_heads=2, global_attn_every_n_layers=3, local_attention=32, initializer_range=0.3,
        pad_token_id=0, bos_token_id=2, eos_token_id=3, cls_token_id=2, sep_token_id=3,
    )
    config._attn_implementation = "eager"
    torch.manual_seed(1)
    model = DecisionModel(AutoModel.from_config(config)).eval()
    # Random weights know nothing: without it all options are about as likely.
    model.scorer[-1].weight.data *= 40
    inputs = (
        torch.randint(5, 200, (1, 24)), torch.ones(1, 24, dtype=torch.long), torch.tensor([[3, 7, 11]]),
        torch.ones(1, 3, dtype=torch.bool), torch.zeros(1, dtype=torch.long),
    )
    names = ["input_ids", "attention_mask", "marker_pos", "marker_mask", "qtype"]
    axes = {name: {1: "sequence"} for name in names[:2]} | {name: {1: "options"} for name in names[2:4]}
    torch.onnx.export(
        model, inputs, folder / "model.onnx", input_names=names, output_names=["logits", "act_logits"],
        dynamic_axes=axes, opset_version=17, dynamo=False,
    )

    def scored(question, order):
        options, kind = question["options"], question["kind"]
        said = {one["name"]: one["description"] or None for one in options}
        criteria = said if kind != "score" else [one["description"] for one in options]
        asked = {"t": kind, "ins": question["question"], "crit": criteria}
        # Nouls stand there as false, true.
        own = [0, 1] if kind == "noul" else order
        ids, marks = build_sequence(tokenizer, question["state"], asked, 512, 192, option_order=own)
        with torch.no_grad():
            logits, _ = model(
                torch.tensor([ids]), torch.ones(1, len(ids), dtype=torch.long), torch.tensor([marks]),
                torch.ones(1, len(marks), dtype=torch.bool), torch.tensor([QTYPES[kind]]),
            )
        general = settings["temperature"][QTYPES[kind]]
        bucket = temp_bucket(QTYPES[kind], len(marks))
        temperature = clamp_temperature(settings["temperature_by_options"].get(bucket, general))
        return torch.softmax(logits[0] / temperature, -1).tolist()

    write(folder, lambda question: answer(question, lambda order: scored(question, order)))


def make_gliclass(folder):
    from gliclass import GLiClassModel, GLiClassModelConfig, ZeroShotClassificationPipeline

    folder.mkdir(parents=True, exist_ok=True)
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<<LABEL>>", "<<SEP>>", "<<EXAMPLE>>"]
    made = tokenizer_of(special, "[CLS]", "[SEP]")
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        mask_token="[MASK]",
    )
    tokenizer.save_pretrained(folder)
    encoder = DebertaV2Config(
        vocab_size=made.get_vocab_size(), hidden_size=64, intermediate_size=96, num_hidden_layers=3,
        num_attention_heads=2, max_position_embeddings=512, initializer_range=0.2, pad_token_id=0,
    )
    config = GLiClassModelConfig(
        encoder_config=encoder, encoder_model="none", class_token_index=special.index("<<LABEL>>"),
        text_token_index=special.index("<<SEP>>"), vocab_size=made.get_vocab_size(), prompt_first=True,
        initializer_range=0.2,
    )
    torch.manual_seed(2)
    whole = GLiClassModel(config).eval()
    pipeline = ZeroShotClassificationPipeline(
        whole, tokenizer, classification_type="single-label", device="cpu", progress_bar=False
    )
    config.save_pretrained(folder)
    inputs = pipeline.pipe.prepare_inputs(["refund card"], ["money", "late", "bank"], same_labels=True)
    names = ["input_ids", "attention_mask"]
    torch.onnx.export(
        whole, tuple(inputs[name] for name in names), folder / "model.onnx", input_names=names,
        output_names=["logits"], dynamic_axes={name: {0: "batch", 1: "sequence"} for name in names},
        opset_version=17, dynamo=False,
    )

    def scored(question, order):
        kind, options = question["kind"], question["options"]
        said = []
        for index, one in enumerate(options):
            name = {"true": "yes", "false": "no"}[one["name"]] if kind == "noul" else one["name"]
            said.append(one["description"] if kind == "score" else ": ".join(filter(None, [name, one["description"]])))
        labels = [said[index] for index in order]
        prompt = question["question"] + " "
        (found,) = pipeline([question["state"]], labels, prompt=prompt, return_hierarchical=True)
        return [found[label] for label in labels]

    write(folder, lambda question: answer(question, lambda order: scored(question, order)))


def make_nli(folder):
    """A cross-encoder, asked by the zero-shot pipeline of transformers with what stands for an option as its hypothesis."""
    folder.mkdir(parents=True, exist_ok=True)
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    made = tokenizer_of(special, "[CLS]", "[SEP]")
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[(token, made.token_to_id(token)) for token in ("[CLS]", "[SEP]")],
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        mask_token="[MASK]", model_max_length=512, model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )
    tokenizer.save_pretrained(folder)
    config = BertConfig(
        vocab_size=made.get_vocab_size(), hidden_size=64, intermediate_size=96, num_hidden_layers=3,
        num_attention_heads=2, max_position_embeddings=512, initializer_range=0.2, pad_token_id=0,
        id2label={0: "contradiction", 1: "entailment", 2: "neutral"},
        label2id={"contradiction": 0, "entailment": 1, "neutral": 2},
    )
    config._attn_implementation = "eager"
    torch.manual_seed(3)
    model = BertForSequenceClassification(config).eval()
    model.classifier.weight.data *= 4
    config.save_pretrained(folder)
    inputs = tokenizer("refund card", "money", return_tensors="pt")
    names = ["input_ids", "attention_mask", "token_type_ids"]
    torch.onnx.export(
        model, tuple(inputs[name] for name in names), folder / "model.onnx", input_names=names, output_names=["logits"],
        dynamic_axes={name: {0: "batch", 1: "sequence"} for name in names} | {"logits": {0: "batch"}},
        opset_version=17, dynamo=False,
    )
    classify = pipeline_of("zero-shot-classification", model=model, tokenizer=tokenizer, device="cpu")

    def likely(state, texts):
        found = classify(state, texts, hypothesis_template="{}")
        by_text = dict(zip(found["labels"], found["scores"]))
        return [by_text[text] for text in texts]

    def follows(state, text):
        with torch.no_grad():
            (contradicts, entails, _), = model(**tokenizer(state, text, return_tensors="pt")).logits.tolist()
        return entails - contradicts

    def scored(question):
        said = []
        for one in question["options"]:
            # Nestor says names as words.
            name = one["name"].replace(".", " ") if question["kind"] == "choice" else ""
            said.append(f"{question['question']} {': '.join(filter(None, [name, one['description']]))}".strip())
        if question["kind"] != "noul":
            return likely(question["state"], said)
        # A statement holds as far as it follows and its opposite, where that is described, does not.
        both = said if question["options"][1]["description"] else said[:1]
        first, *second = [follows(question["state"], text) for text in both]
        yes = 1 / (1 + math.exp(sum(second) - first))
        return [yes, 1 - yes]

    write(folder, scored)


def main():
    folder = Path(sys.argv[1]) / "deciders"
    make_laya(folder / "laya")
    make_gliclass(folder / "gliclass")
    make_nli(folder / "nli")


main()
