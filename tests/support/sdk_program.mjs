// A small agent with one provider's own client, as somebody would write it: it keeps the history and sends all of it.
//
// `node sdk_program.mjs anthropic|responses|chat CLIENT [STATE]` reads prompts as lines {"prompt"} and writes a line
// {"answer"} for each. CLIENT is the client's module; STATE a file that keeps the history from run to run.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [form, module, state] = process.argv.slice(2);
const { default: Client } = await import(pathToFileURL(module));
const client = new Client({ maxRetries: 0 });
const history = state && existsSync(state) ? JSON.parse(readFileSync(state, "utf8")) : [];
const model = form === "anthropic" ? "fake-claude" : "fake-gpt";
const about = "Runs a command and returns what it writes.";
const schema = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
const run = (given) => execFileSync("/bin/sh", ["-c", given.command], { encoding: "utf8" });

async function anthropic(prompt) {
  history.push({ role: "user", content: [{ type: "text", text: prompt }] });
  for (;;) {
    const marked = history.map((message, place) =>
      place < history.length - 1 ? message : {
        ...message,
        content: message.content.map((block, at) =>
          at < message.content.length - 1 ? block : { ...block, cache_control: { type: "ephemeral" } }),
      });
    const answer = await client.messages.stream({
      model, max_tokens: 1000, system: "You are a small agent.", messages: marked,
      tools: [{ name: "run", description: about, input_schema: schema }],
    }).finalMessage();
    history.push({ role: "assistant", content: answer.content });
    const calls = answer.content.filter((block) => block.type === "tool_use");
    if (!calls.length) return answer.content.filter((block) => block.type === "text").map((block) => block.text).join("");
    history.push({
      role: "user",
      content: calls.map((call) => ({ type: "tool_result", tool_use_id: call.id, content: run(call.input) })),
    });
  }
}

async function responses(prompt) {
  history.push({ role: "user", content: prompt });
  for (;;) {
    const answer = await client.responses.create({
      model, instructions: "You are a small agent.", input: history, store: false,
      include: ["reasoning.encrypted_content"],
      tools: [{ type: "function", name: "run", description: about, parameters: schema, strict: false }],
    });
    history.push(...answer.output);
    const calls = answer.output.filter((item) => item.type === "function_call");
    if (!calls.length) return answer.output_text;
    for (const call of calls)
      history.push({ type: "function_call_output", call_id: call.call_id, output: run(JSON.parse(call.arguments)) });
  }
}

async function chat(prompt) {
  if (!history.length) history.push({ role: "system", content: "You are a small agent." });
  history.push({ role: "user", content: prompt });
  for (;;) {
    const answer = await client.chat.completions.create({
      model, messages: history,
      tools: [{ type: "function", function: { name: "run", description: about, parameters: schema } }],
    });
    const { message } = answer.choices[0];
    history.push(message);
    if (!message.tool_calls) return message.content;
    for (const call of message.tool_calls)
      history.push({ role: "tool", tool_call_id: call.id, content: run(JSON.parse(call.function.arguments)) });
  }
}

const say = { anthropic, responses, chat }[form];
for await (const line of createInterface({ input: process.stdin })) {
  const answer = await say(JSON.parse(line).prompt);
  if (state) writeFileSync(state, JSON.stringify(history));
  process.stdout.write(JSON.stringify({ answer }) + "\n");
}
