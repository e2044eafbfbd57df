"""The real server around the real model, with a bound on the length of an answer, so that a turn on a slow machine ends.

An answer that hits the bound ends with `length` in the middle of whatever it was saying: that is wanted here.
"""

import faulthandler
import os
import sys

import llama_cpp
import uvicorn
from llama_cpp.server.app import create_app
from llama_cpp.server.settings import ModelSettings, ServerSettings

MODEL, ALIAS, PORT, LONGEST = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])

# On a busy machine several threads wait for each other more than they work.
THREADS = int(os.environ.get("REAL_MODEL_THREADS", "1"))

# So small a model never calls a tool of its own accord: with this, two of three requests that follow a user's words are made to.
# Off by default: the grammar that the server makes of our whole edit tool is more than a slow machine gets through.
FORCED = os.environ.get("REAL_MODEL_FORCED") == "1"

faulthandler.enable()
seen = 0
asked = llama_cpp.Llama.create_chat_completion


def force(named):
    global seen
    tools = [tool["function"]["name"] for tool in named.get("tools") or []]
    messages = named.get("messages") or []
    if not (FORCED and "file_edit" in tools and messages and messages[-1]["role"] == "user"):
        return
    seen += 1
    if seen % 3:
        named["tool_choice"] = {"type": "function", "function": {"name": "file_edit" if seen % 3 == 1 else "file_read"}}


def bounded(self, *arguments, **named):
    wanted = named.get("max_tokens")
    force(named)
    named["max_tokens"] = min(wanted, LONGEST) if wanted and wanted > 0 else LONGEST
    return asked(self, *arguments, **named)


llama_cpp.Llama.create_chat_completion = bounded
model = ModelSettings(model=MODEL, model_alias=ALIAS, chat_format="chatml-function-calling", n_ctx=8192, n_threads=THREADS, n_threads_batch=THREADS, seed=1, verbose=False)
# A second request waits for the first: to break the first one off in the middle is a fault of this server's own, and tried elsewhere.
server = ServerSettings(host="127.0.0.1", port=PORT, interrupt_requests=False)
uvicorn.run(create_app(server_settings=server, model_settings=[model]), host="127.0.0.1", port=PORT, log_level="warning")
