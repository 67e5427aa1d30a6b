// An extension that `una run pi` gives to Pi for one run. Its built-in providers, and those of its file of models, are
// asked through the gateway, whose addresses stand in the environment (Pi itself reads addresses from its files only), and
// each request names its session, so that what passes is known as the one that Pi's own file holds.
const GATEWAY = process.env.ANTHROPIC_BASE_URL;

export default function (pi) {
  pi.registerProvider("anthropic", { baseUrl: GATEWAY });
  pi.registerProvider("openai", { baseUrl: process.env.OPENAI_BASE_URL });
  for (const [name, baseUrl] of Object.entries(JSON.parse(process.env.UNABRIDGED_PI_PROVIDERS || "{}")))
    pi.registerProvider(name, { baseUrl });
  pi.on("before_provider_headers", (event, ctx) => {
    if (ctx.model?.baseUrl?.startsWith(GATEWAY)) event.headers["x-session-id"] = ctx.sessionManager.getSessionId();
  });
}
