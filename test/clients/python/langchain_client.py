"""The published client, and nothing else: prints what it understood as one JSON object."""

import asyncio
import json
import os
from typing import Literal

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

url, key = os.environ["NESTOR_URL"], os.environ["NESTOR_KEY"]


class City(BaseModel):
    size: Literal["small", "large"]
    old: bool


class weather(BaseModel):
    """Tells the weather of a city."""

    city: str


def model(name, tokens=12):
    return ChatOpenAI(
        model=name,
        base_url=f"{url}/router/v1",
        api_key=key,
        max_retries=0,
        temperature=0,
        max_tokens=tokens,
    )


writer = model(os.environ["WRITER"])
question = "What is the capital of France?"
whole = writer.invoke(question)
streamed, usage = "", None
for chunk in writer.stream(question, stream_usage=True):
    streamed += chunk.text
    usage = chunk.usage_metadata or usage
caller = model(os.environ["CALLER"]).bind_tools([weather])
asked = caller.invoke("Weather?")
[call] = asked.tool_calls
told = caller.invoke(
    [HumanMessage("Weather?"), asked, ToolMessage("sun", tool_call_id=call["id"])]
)
shaped = model(os.environ["WRITER"], 60).with_structured_output(City, method="json_schema")

print(
    json.dumps(
        {
            "text": whole.text,
            "usage": whole.usage_metadata["total_tokens"],
            "finish": whole.response_metadata["finish_reason"],
            "streamed": [streamed, usage["total_tokens"]],
            "awaited": asyncio.run(writer.ainvoke(question)).text,
            "batched": [reply.text for reply in writer.batch([question, question])],
            "shaped": shaped.invoke("Name a city.").model_dump(),
            "call": [call["name"], call["args"]],
            "told": told.text,
        }
    )
)
