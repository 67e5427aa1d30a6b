const UNA = ["una"]; // what starts Unabridged; `una install opencode` writes its own path here
// OpenCode plugin of Unabridged. Nothing is decided here: before each request the session's messages go to one
// `una window serve` (a line of JSON), and what comes back says which of them are sent. Whatever fails, OpenCode goes on.
import { spawn } from "node:child_process";

// Milliseconds: that a request waits for us, once; the same where the model's window is too small for it as it is; in
// which nothing waits after that; that a prompt waits for what it is told.
const WAIT = 2000, LONG = 10000, PAUSE = 15000, HINT = 1000;
// Characters of messages in which no text is long enough to be left out: nobody waits to hear that nothing is.
const SHORT = 4000, isShort = (messages) => messages.length < 5 && JSON.stringify(messages).length < SHORT;
const MARK = Symbol.for("unabridged");

export const Unabridged = async ({ client, directory }) => {
  const loaded = (globalThis[MARK] ??= new Set()); // a server has one of us for each of its folders
  if (loaded.has(directory)) return {}; // placed twice, for the user and for the project: one is enough
  loaded.add(directory);
  const behind = Boolean(process.env.UNABRIDGED_GATEWAY); // `una run opencode`: the gateway makes the window
  const waiting = new Map(), lasts = new Map(), limits = new Map(), urls = new Map(), compacting = new Set(), begun = new Set();
  let child, learning, number = 0, pausedUntil = 0, said = "";

  const start = () => {
    const made = spawn(UNA[0], [...UNA.slice(1), "window", "serve"], { cwd: directory, stdio: ["pipe", "pipe", "ignore"] });
    made.missed = 0; // requests in vain while it starts: it is given more time than a request has
    let text = "";
    const ended = () => {
      if (child !== made) return;
      child = undefined;
      for (const [id, one] of [...waiting]) (one.again-- > 0 ? write(one) : (waiting.delete(id), (pausedUntil = Date.now() + PAUSE), one.done()));
    };
    made.on("error", ended).on("exit", ended);
    made.stdin.on("error", () => {});
    made.stdout.setEncoding("utf8").on("data", (more) => {
      const lines = (text += more).split("\n");
      text = lines.pop();
      pausedUntil = 0;
      for (const line of lines) { made.heard = true; const answer = JSON.parse(line), one = waiting.get(answer.id); waiting.delete(answer.id); one?.done(answer); }
    });
    for (const part of [made, made.stdin, made.stdout]) part.unref?.();
    return made;
  };
  const write = (one) => { child ??= start(); child.stdin.write(one.line); };
  const ask = (message, most = 0) => new Promise((resolve) => {
    if (Date.now() < pausedUntil) return resolve(undefined);
    const id = ++number;
    const late = () => { waiting.delete(id); if (most) return resolve(undefined); pausedUntil = Date.now() + PAUSE; if (child && (child.heard || child.missed++ > 1)) { child.kill("SIGKILL"); child = undefined; } resolve(undefined); };
    const one = { again: 1, line: JSON.stringify({ id, host: "opencode", cwd: directory, ...message }) + "\n", done: (answer) => { clearTimeout(timer); resolve(answer); } };
    const timer = setTimeout(late, most ? most : message.limit && one.line.length / 4 > message.limit ? LONG : WAIT);
    waiting.set(id, one);
    write(one);
  });
  const tell = (what, session, more) => ask({ op: "event", session, input: { hook_event_name: what, session_id: session, cwd: directory, ...more } }, HINT).then((answer) => answer?.output ?? "", () => "");
  const show = (message, variant) => { if (message && message !== said) client.tui.showToast({ body: { title: "Unabridged", message, variant } }).catch(() => {}); said = message; };
  const learn = async () => { for (const one of (await client.config.providers()).data?.providers ?? []) for (const [id, about] of Object.entries(one.models)) limits.set(`${one.id}/${id}`, about.limit); };
  const limit = async (model) => { if (!limits.size) await (learning ??= learn().finally(() => (learning = undefined))); return limits.get(model) ?? {}; };
  try { child = start(); } catch {} // before anybody waits for it; a machine at its limits may start nothing

  return {
    config: async (settings) => {
      (settings.mcp ??= {}).unabridged ??= { type: "local", command: [...UNA, "mcp"], enabled: true };
      for (const [name, about] of Object.entries(settings.provider ?? {})) urls.set(name, about.options?.baseURL ?? "");
    },
    "chat.message": async ({ sessionID }, { message, parts }) => {
      const prompt = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n");
      limit("").catch(() => {}); // meanwhile
      const first = begun.has(sessionID) ? "" : (begun.add(sessionID), tell("SessionStart", sessionID, { source: "startup" }));
      const text = (await Promise.all([first, tell("UserPromptSubmit", sessionID, { prompt, prompt_id: message.id })])).filter(Boolean).join("\n\n");
      if (text) parts.push({ id: `prt_${message.id.slice(4)}`, sessionID, messageID: message.id, type: "text", text, synthetic: true });
    },
    "experimental.chat.messages.transform": async (_, output) => {
      const source = output.messages, session = source[0]?.info.sessionID;
      if (behind || !session) return;
      try {
        const named = source.findLast((one) => one.info.role === "user")?.info.model ?? {}, model = `${named.providerID}/${named.modelID}`;
        const size = await limit(model).catch(() => ({}));
        const aside = compacting.delete(session), last = lasts.get(session);
        const asked = ask({ op: "plan", session, model, url: urls.get(named.providerID) ?? "", limit: size.context ?? 0, reserve: size.output ?? 0, aside, messages: source });
        const say = (answer) => show(!answer ? "The window is not there for now: nothing more is left out." : answer.fault ? `The window stays as it was (${answer.fault}).` : answer.notice, "warning");
        if (!aside && !last && isShort(source)) return void asked.then(say).catch(() => {});
        const answer = await asked;
        let sent = answer?.messages?.map((one) => (typeof one === "number" ? source[one] : one));
        if (!sent && (!answer || answer.fault) && last && source[last.count - 1]?.info.id === last.tail) sent = [...last.sent, ...source.slice(last.count)]; // the last cut again
        if (!aside) sent ? lasts.set(session, { sent, count: source.length, tail: source.at(-1).info.id }) : lasts.delete(session);
        if (sent) source.splice(0, source.length, ...sent);
        say(answer);
      } catch (error) { show(`The window stays as it was (${error.message}).`, "warning"); }
    },
    "experimental.session.compacting": async ({ sessionID }, output) => {
      if (behind) return;
      compacting.add(sessionID);
      const answer = await ask({ op: "compact", session: sessionID, reason: "overflow" });
      if (answer?.text) output.context.push(answer.text);
    },
    event: async ({ event }) => {
      const info = event.properties?.info, session = event.properties?.sessionID ?? info?.sessionID ?? info?.id;
      if (event.type === "session.created" && (info.parentID || /\(fork #\d+\)$/.test(info.title))) begun.add(session); // a subagent's, or a fork's, which has what its parent was told: it is told nothing at its start
      else if (event.type === "session.idle") tell("Stop", session);
      else if (event.type === "session.compacted") tell("PostCompact", session);
      else if (event.type === "message.updated" && info.role === "assistant" && info.time.completed && !info.summary && !behind) {
        const messages = await client.session.message({ path: { id: session, messageID: info.id } }).then(({ data }) => (data ? [data] : []), () => []);
        ask({ op: "answered", session, usage: info.tokens, messages });
      }
    },
    dispose: async () => { loaded.delete(directory); child?.stdin.end(); },
  };
};
