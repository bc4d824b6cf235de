"""The figures of a judgement, as src/features/decisions/evaluation defines them."""

import torch
from torch import Tensor


def ranks(values: Tensor) -> Tensor:
    """Places from 1; equal values share the mean of theirs."""
    ordered, inverse, counts = values.unique(sorted=True, return_inverse=True, return_counts=True)
    last = counts.cumsum(0).double()
    return (last - (counts.double() - 1) / 2)[inverse]


def auroc(scores: Tensor, truths: Tensor) -> float:
    """How often what is true scores above what is not; ties count half."""
    yes, no = truths.sum().item(), (~truths).sum().item()
    return (ranks(scores)[truths].sum().item() - yes * (yes + 1) / 2) / (yes * no)


def spearman(found: Tensor, places: Tensor) -> float:
    return torch.corrcoef(torch.stack([ranks(found), ranks(places)]))[0, 1].item()


def calibration_error(confidence: Tensor, correct: Tensor, bins: int = 15) -> float:
    """Mean distance of confidence from accuracy over bins of equal width."""
    place = (confidence * bins).long().clamp(max=bins - 1)
    gaps = [
        (confidence[place == at].mean() - correct[place == at].mean()).abs() * (place == at).sum()
        for at in place.unique()
    ]
    return (sum(gaps) / len(confidence)).item()
