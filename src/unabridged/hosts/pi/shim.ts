const UNA = ["una"]; // what starts Unabridged; `una install pi` writes its own path here
// Pi extension of Unabridged. Nothing is decided here: before each request the session's messages go to one
// `una window serve` (a line of JSON), and what comes back says which of them are sent. Whatever fails, Pi goes on.
import { spawn } from "node:child_process";

// Milliseconds: that a request waits for us, once; the same where the model's window is too small for it as it is; in
// which nothing waits after that; that a prompt waits for what it is told.
const WAIT = 2000, LONG = 10000, PAUSE = 15000, HINT = 1000;
// Characters of messages in which no text is long enough to be left out: nobody waits to hear that nothing is.
const SHORT = 4000, isShort = (messages: any[]) => messages.length < 5 && JSON.stringify(messages).length < SHORT;
const MARK = Symbol.for("unabridged");

export default function (pi: any) {
  const shared = globalThis as any;
  if (shared[MARK]) return; // placed twice, for the user and for the project: one is enough
  shared[MARK] = true;
  const behind = Boolean(process.env.UNABRIDGED_GATEWAY); // `una run pi`: the gateway makes the window
  const waiting = new Map<number, any>();
  let child: any, number = 0, pausedUntil = 0, said = "", first = Promise.resolve(""), last: any;

  const start = () => {
    const made: any = spawn(UNA[0], [...UNA.slice(1), "window", "serve"], { stdio: ["pipe", "pipe", "ignore"] });
    made.missed = 0; // requests in vain while it starts: it is given more time than a request has
    let text = "";
    const ended = () => {
      if (child !== made) return;
      child = undefined;
      for (const [id, one] of [...waiting]) one.again-- > 0 ? write(one) : (waiting.delete(id), (pausedUntil = Date.now() + PAUSE), one.done());
    };
    made.on("error", ended).on("exit", ended);
    made.stdin.on("error", () => {});
    made.stdout.setEncoding("utf8").on("data", (more: string) => {
      const lines = (text += more).split("\n");
      text = lines.pop()!;
      pausedUntil = 0;
      for (const line of lines) { made.heard = true; const answer = JSON.parse(line), one = waiting.get(answer.id); waiting.delete(answer.id); one?.done(answer); }
    });
    for (const part of [made, made.stdin, made.stdout] as any[]) part.unref?.();
    return made;
  };
  const write = (one: any) => { child ??= start(); child.stdin.write(one.line); };
  const ask = (ctx: any, message: any, most = 0) => new Promise<any>((resolve) => {
    if (Date.now() < pausedUntil) return resolve(undefined);
    const id = ++number;
    const late = () => { waiting.delete(id); if (most) return resolve(undefined); pausedUntil = Date.now() + PAUSE; if (child && (child.heard || child.missed++ > 1)) { child.kill("SIGKILL"); child = undefined; } resolve(undefined); };
    const session = ctx.sessionManager.getSessionId();
    const one = { again: 1, line: JSON.stringify({ id, host: "pi", session, cwd: ctx.cwd, ...message }) + "\n", done: (answer?: any) => { clearTimeout(timer); resolve(answer); } };
    const timer = setTimeout(late, most ? most : message.limit && one.line.length / 4 > message.limit ? LONG : WAIT);
    waiting.set(id, one);
    write(one);
  });
  const tell = (ctx: any, what: string, more = {}): Promise<string> => {
    const place = { session_id: ctx.sessionManager.getSessionId(), transcript_path: ctx.sessionManager.getSessionFile() ?? "", cwd: ctx.cwd };
    return ask(ctx, { op: "event", input: { hook_event_name: what, ...place, ...more } }, HINT).then((answer) => answer?.output ?? "", () => "");
  };
  const show = (ctx: any, message = "", level = "info") => { if (message && message !== said) ctx.ui.notify(`Unabridged: ${message}`, level); said = message; };
  const about = (ctx: any) => {
    const model = ctx.model ?? {}, tools = new Set(pi.getActiveTools());
    const declared = JSON.stringify(pi.getAllTools().filter((tool: any) => tools.has(tool.name)).map(({ name, description, parameters }: any) => ({ name, description, parameters })));
    const fixed = Math.ceil((ctx.getSystemPrompt().length + declared.length) / 4);
    return { model: `${model.provider}/${model.id}`, url: model.baseUrl ?? "", limit: model.contextWindow ?? 0, reserve: model.maxTokens ?? 0, fixed };
  };

  try { child = start(); } catch {} // before anybody waits for it; a machine at its limits may start nothing
  pi.registerMcpServer("unabridged", { command: UNA[0], args: [...UNA.slice(1), "mcp"], exposure: "direct", description: "Search and recall the archive of earlier conversations, word for word" });
  pi.registerCommand("window", {
    description: "The live window of this session: status (default), why, explain, rotate, settings",
    handler: async (words: string, ctx: any) => {
      const [what = "status", ...rest] = words.trim().split(/\s+/).filter(Boolean);
      const target = what === "settings" ? [] : [ctx.sessionManager.getSessionId()];
      const { stdout, stderr } = await pi.exec(UNA[0], [...UNA.slice(1), "window", what, ...target, ...rest], { timeout: 10000 });
      ctx.ui.notify((stdout || stderr).trim() || "Nothing was said.", stdout ? "info" : "warning");
    },
  });
  pi.on("session_start", (event: any, ctx: any) => { // a fork's history has what its parent was told, whatever Pi calls its start
    const told = ctx.sessionManager.getEntries().some((one: any) => one.customType === "unabridged");
    first = tell(ctx, "SessionStart", { source: told ? "fork" : event.reason });
  });
  pi.on("before_agent_start", async (event: any, ctx: any) => {
    const hint = event.messageType === "user" ? tell(ctx, "UserPromptSubmit", { prompt: event.prompt }) : "";
    const content = [await first, await hint].filter(Boolean).join("\n\n");
    first = Promise.resolve("");
    if (content) return { message: { customType: "unabridged", content, display: false } };
  });
  pi.on("context", async (event: any, ctx: any) => {
    if (behind) return;
    try {
      const source = event.messages, key = (one: any) => `${one?.role} ${one?.timestamp}`;
      const asked = ask(ctx, { op: "plan", ...about(ctx), messages: source });
      const say = (answer: any) => {
        ctx.ui.setStatus("unabridged", answer?.status || undefined);
        show(ctx, !answer ? "the window is not there for now: nothing more is left out" : answer.fault ? `the window stays as it was (${answer.fault})` : answer.notice, answer && !answer.fault ? "info" : "warning");
      };
      if (!last && isShort(source)) return void asked.then(say).catch(() => {}); // its context may be gone by then
      const answer = await asked;
      let sent = answer?.messages?.map((one: any) => (typeof one === "number" ? source[one] : one));
      const known = last?.session === ctx.sessionManager.getSessionId() && source.length >= last.count && key(source[last.count - 1]) === last.tail;
      if (!sent && (!answer || answer.fault) && known) sent = [...last.sent, ...source.slice(last.count)]; // the last cut again
      last = sent && { sent, session: ctx.sessionManager.getSessionId(), count: source.length, tail: key(source.at(-1)) };
      say(answer);
      if (sent) return { messages: sent };
    } catch (error: any) { show(ctx, `the window stays as it was (${error.message})`, "warning"); }
  });
  pi.on("turn_end", (event: any, ctx: any) => { if (!behind && event.message?.usage) ask(ctx, { op: "answered", usage: event.message.usage, messages: [event.message, ...event.toolResults] }); });
  pi.on("agent_settled", (_: any, ctx: any) => { tell(ctx, "Stop"); });
  pi.on("session_before_compact", async ({ preparation, reason }: any, ctx: any) => {
    await tell(ctx, "PreCompact", { trigger: reason });
    if (behind) return;
    const answer = await ask(ctx, { op: "compact", ...about(ctx), reason, messages: [...preparation.messagesToSummarize, ...(preparation.turnPrefixMessages ?? [])] });
    const { firstKeptEntryId, tokensBefore } = preparation;
    if (answer?.text) return { compaction: { summary: answer.text, firstKeptEntryId, tokensBefore, details: { by: "unabridged" } } };
    if (!answer?.cancel && (answer || reason === "overflow")) return;
    show(ctx, `not compacted: what would leave is not archived yet (${answer?.fault ?? "no answer"})`, "warning");
    return { cancel: true };
  });
  pi.on("session_compact", (_: any, ctx: any) => { tell(ctx, "PostCompact"); });
  pi.on("session_shutdown", (event: any, ctx: any) => { tell(ctx, "SessionEnd", { reason: event.reason }); child?.stdin.end(); delete shared[MARK]; });
}
