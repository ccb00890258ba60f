import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { defineCommand } from "../base/command-line/command.ts";
import { boolean, filePath, text } from "../base/program/option-types.ts";
import { kubeconfigOptions } from "../programs/connect/connect.ts";

export const command = defineCommand({
  description:
    "Tell of every pod that joins or leaves a group, with all its addresses.\n\n" +
    "A group is what a label selector selects. Events are printed as JSON, or given to a command or " +
    "posted to a URL; one that fails is given again until it succeeds, before any later one. What was " +
    "told is kept in a file, so that nothing is missed while this program does not run. An event that " +
    "is told again, after a crash, has the same id.",
  examples: [
    { does: "Print who comes and goes", command: "tandem watch-group --selector app=web" },
    {
      does: "Run a command for each",
      command:
        "tandem watch-group --selector app=web --exec 'echo $TANDEM_EVENT $TANDEM_MEMBER_ADDRESSES'",
    },
    {
      does: "Post each to a service",
      command: "tandem watch-group --selector app=web --webhook http://registry.example/members",
    },
  ],
  options: {
    selector: {
      type: text("SELECTOR"),
      short: "l",
      required: true,
      env: false,
      help: "Which pods: a label selector such as app=web,tier!=test.",
    },
    namespace: {
      type: text("NAMESPACE"),
      short: "n",
      help: "Where; the kubeconfig's namespace if not set.",
    },
    allNamespaces: { type: boolean(), short: "A", default: false, help: "In every namespace." },
    exec: {
      type: text("COMMAND"),
      env: false,
      help: "A shell command to run for each event, which stands in TANDEM_EVENT, TANDEM_EVENT_ID and TANDEM_MEMBER_* and, as JSON, on its input.",
    },
    webhook: { type: text("URL"), env: false, help: "Where to post each event." },
    stateFile: {
      type: filePath(),
      help: "Where to keep what was told; a file for this group in ~/.local/state/tandem if not set.",
    },
    ...kubeconfigOptions,
  },
  async run({ options, signal, log, env, stdout }) {
    const { exec, webhook, selector } = options;
    if (exec !== undefined && webhook !== undefined) {
      throw new Error("Cannot use both --exec and --webhook: an event is told in one way");
    }
    const { openDnsParts } = await import("../programs/dns/dns.ts");
    const { commandHook, printHook, webHook } = await import("../edge/dns/dns.ts");
    const { Journal } = await import("../edge/dns/dns.ts");
    const { watchGroup } = await import("../edge/dns/dns.ts");
    const { systemLocks } = await import("../base/host/lock.system.ts");
    const component = "tandem-watch-group";
    const parts = await openDnsParts(options, { component, env });
    const namespace = options.allNamespaces
      ? undefined
      : (options.namespace ?? parts.access.namespace);
    const path = options.stateFile ?? defaultStateFile(env, `${namespace ?? ""} ${selector}`);
    await parts.files.makePrivateDirectory(dirname(path));
    await using _ = await systemLocks(parts.commands).acquire(`${path}.lock`, {
      timeoutMs: 1_000,
      signal,
    });
    const hook =
      exec !== undefined
        ? commandHook(exec, parts.commands)
        : webhook !== undefined
          ? webHook(webhook)
          : printHook(stdout);
    try {
      const journal = await Journal.open({ ...parts, path });
      const pods = parts.client.resource("v1", "Pod");
      const selection = { namespace, labelSelector: selector };
      await watchGroup({ ...parts, pods, selection, journal, hook, log }, signal);
    } finally {
      parts.client.transport.close();
    }
  },
});

function defaultStateFile(
  env: Readonly<Record<string, string | undefined>>,
  group: string,
): string {
  const base = env["XDG_STATE_HOME"] ?? join(env["HOME"] ?? "/var/lib", ".local", "state");
  const name = createHash("sha256").update(group).digest("hex").slice(0, 16);
  return join(base, "tandem", `group-${name}.json`);
}
