"""The published client at the surface that is made for it: prints what it understood as one JSON object."""

import json
import os

import openai
from pydantic import BaseModel

client = openai.OpenAI(
    base_url=f"{os.environ['NESTOR_URL']}/openai/v1", api_key=os.environ["NESTOR_KEY"], max_retries=0
)
model = os.environ["CALLER"]
weather = {
    "type": "function",
    "name": "weather",
    "strict": True,
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    },
}


class Trip(BaseModel):
    city: str
    days: int


def streamed():
    with client.responses.stream(model=model, input="Hi") as stream:
        deltas = "".join(e.delta for e in stream if e.type == "response.output_text.delta")
        return [deltas, stream.get_final_response().output_text]


def called():
    first = client.responses.create(model=model, input="Weather?", tools=[weather])
    call = next(item for item in first.output if item.type == "function_call")
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "sun"}
    told = client.responses.create(
        model=model, tools=[weather], previous_response_id=first.id, input=[result]
    )
    items = client.responses.input_items.list(told.id)
    return [first.status, call.name, told.output_text, [item.type for item in items]]


def refusal():
    try:
        client.chat.completions.create(model="gpt-nothing", messages=[{"role": "user", "content": "Hi"}])
    except openai.NotFoundError as error:
        return [error.code, error.param]


vector = client.embeddings.create(model="svc-embed-v1-0.6b", input="A parrot.").data[0].embedding
chat = client.chat.completions.create(model=model, messages=[{"role": "user", "content": "Hi"}])
print(
    json.dumps(
        {
            "model": client.models.retrieve(model).id,
            "streamed": streamed(),
            "parsed": client.responses.parse(
                model=model, input="Plan.", text_format=Trip
            ).output_parsed.model_dump(),
            "called": called(),
            "chat": chat.choices[0].message.content,
            "vector": len(vector),
            "refusal": refusal(),
        }
    )
)
