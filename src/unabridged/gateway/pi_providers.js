// An extension that `una run pi` gives to Pi for one run: its built-in providers are asked through the gateway, whose
// addresses stand in the environment. Pi itself reads addresses from its files only.
export default function (pi) {
  pi.registerProvider("anthropic", { baseUrl: process.env.ANTHROPIC_BASE_URL });
  pi.registerProvider("openai", { baseUrl: process.env.OPENAI_BASE_URL });
}
