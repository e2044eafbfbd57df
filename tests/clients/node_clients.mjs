// openai-node (raw, the stream helper, strict tools) and the Vercel ai SDK through the proxy; one JSON line per request.

import { readFileSync } from "node:fs";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { jsonSchema, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";

const plan = JSON.parse(readFileSync(process.argv[2], "utf8"));

const report = (client, model, what) => console.log(JSON.stringify({ client, model, ...what }));

const parsed = (calls) =>
  calls.map(({ name, arguments: text }) => {
    try {
      return { name, arguments: JSON.parse(text) };
    } catch {
      return { name, arguments: text };
    }
  });

const settings = (request, model, tools) => ({
  model,
  messages: [{ role: "user", content: "go" }],
  ...(tools ? { tools } : {}),
  ...(request.max_tokens ? { max_tokens: request.max_tokens } : {}),
});

const sdk = (request) => new OpenAI({ baseURL: request.base, apiKey: plan.token, timeout: 60_000 });

const strictTools = plan.tools.map((entry) => ({ ...entry, function: { ...entry.function, strict: true } }));

async function raw(request, model, tools = plan.tools) {
  let text = "";
  let finish = null;
  const calls = [];
  const stream = await sdk(request).chat.completions.create({ ...settings(request, model, tools), stream: true });
  for await (const chunk of stream) {
    const choice = chunk.choices[0];
    text += choice.delta.content ?? "";
    finish = choice.finish_reason ?? finish;
    for (const call of choice.delta.tool_calls ?? []) {
      const seen = (calls[call.index] ??= { name: "", arguments: "" });
      seen.name += call.function.name ?? "";
      seen.arguments += call.function.arguments ?? "";
    }
  }
  if (finish === null) throw new Error("the stream ended without a finish reason");
  return { text, calls: parsed(calls), finish };
}

async function helper(request, model, tools = plan.tools) {
  const stream = sdk(request).chat.completions.stream(settings(request, model, tools));
  const completion = await stream.finalChatCompletion();
  const choice = completion.choices[0];
  const calls = (choice.message.tool_calls ?? []).map((call) => call.function);
  return { text: choice.message.content ?? "", calls: parsed(calls), finish: choice.finish_reason };
}

async function vercel(request, model, tools = plan.tools) {
  const provider = createOpenAICompatible({ name: "stet", baseURL: request.base, apiKey: plan.token, includeUsage: true });
  const declared = Object.fromEntries(
    (tools ?? []).map(({ function: { name, description, parameters } }) => [name, tool({ description, inputSchema: jsonSchema(parameters) })]),
  );
  const result = streamText({
    model: provider(model),
    prompt: "go",
    ...(tools ? { tools: declared, stopWhen: stepCountIs(1) } : {}),
    ...(request.max_tokens ? { maxOutputTokens: request.max_tokens } : {}),
    onError: () => {},
  });
  const calls = [];
  let text = "";
  let finish = null;
  for await (const part of result.fullStream) {
    if (part.type === "error") throw part.error instanceof Error ? part.error : new OpenAI.APIError(undefined, part.error, JSON.stringify(part.error), undefined);
    if (part.type === "text-delta") text += part.text;
    if (part.type === "tool-call") calls.push({ name: part.toolName, arguments: part.invalid ? null : part.input });
    if (part.type === "finish") finish = part.finishReason;
  }
  return { text, calls, finish };
}

const isOwnError = (error) =>
  error instanceof OpenAI.OpenAIError || /^AI_/.test(error?.name ?? "") || /^AI_/.test(error?.constructor?.name ?? "");

async function run(client, ask, request, model, tools) {
  try {
    report(client, model, { ok: await ask(request, model, tools) });
  } catch (error) {
    const shown = `${error?.name}: ${error?.message}`.slice(0, 300);
    if (isOwnError(error)) report(client, model, { error: shown });
    else report(client, model, { ok: { text: shown, calls: [{ name: "", arguments: null }], finish: "" } });
  }
}

const clients = [
  ["openai-node raw", raw, plan.tools],
  ["openai-node stream()", helper, plan.tools],
  ["openai-node strict tools", helper, strictTools],
  ["vercel ai", vercel, plan.tools],
];

const jobs = clients.flatMap(([client, ask, tools]) => {
  const suffix = "@" + client.replaceAll(/[ ()]/g, "");
  const all = plan.requests.map((request) => () => run(client, ask, request, request.model + suffix, tools));
  all.push(() => run(client, ask, { base: plan.plain }, "hello" + suffix, null));
  return all;
});

await Promise.all(
  Array.from({ length: 8 }, async () => {
    for (let job = jobs.shift(); job; job = jobs.shift()) await job();
  }),
);
