// What operators do to a machine: give it a role, take it away, upgrade it, and collect what support asks for.

export { installAgent } from "./install-agent.ts";
export { installServer } from "./install-server.ts";
export { joinCommand, makeToken } from "./join-command.ts";
export { runReset } from "./run-reset.ts";
export { collectBundle } from "./support-bundle.ts";
export { runUpgrade } from "./upgrade.ts";
