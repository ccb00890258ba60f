// A node that lacks the programs of containers says so, and goes on once they are there.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { type AgentCluster, isReady, nodeNamed, openAgentCluster, until } from "./agent.fixture.ts";

const commands = systemCommands();

describe("a node without the programs of containers", { timeout: 240_000 }, () => {
  let cluster: AgentCluster;
  before(async () => {
    cluster = await openAgentCluster();
  });
  after(async () => await cluster[Symbol.asyncDispose]());

  const said = async (): Promise<string> => {
    const { conditions = [] } = (await nodeNamed(cluster.client, "poor"))?.status ?? {};
    const ready = conditions.find(({ type }) => type === "Ready");
    return `${ready?.status} ${ready?.message}`;
  };

  test("is not ready, names them, and runs pods once they are installed", async () => {
    const { stdout } = await commands.run(["sh", "-c", "command -v runc && command -v conmon"]);
    const [runc = "", conmon = ""] = stdout.trim().split("\n");
    const file = join(cluster.lan.scratch, "poor.pid");
    // In mounts of its own, where nothing that can be run is at their places.
    const hide = 'for each; do mount --bind /dev/null "$each" || exit; done';
    const script = `echo $$ > "$1"; shift; (set -- "$1" "$2"; ${hide}) && shift 2 && exec "$@"`;
    const under = ["unshare", "--mount", "sh", "-c", script, "sh", file, runc, conmon];
    const words = ["--proxy-mode=none"];
    const poor = ["192.0.2.1/24", "2001:db8::1/64"];
    const { agent } = await cluster.begin("poor", poor, { words, under });
    const install = async (path: string) => {
      const pid = (await readFile(file, "utf8")).trim();
      await commands.run(["nsenter", `--target=${pid}`, "--mount", "umount", path]);
    };
    const isSaid = (text: RegExp) => async () => text.test(await said());
    await until(
      "both to be named",
      agent,
      isSaid(/^False .*runc and conmon are not installed; 'apt-get install runc conmon' does/),
    );
    await install(runc);
    const one = /^False .*: conmon is not installed; 'apt-get install conmon' does/;
    await until("one to be named", agent, isSaid(one));
    await cluster.client.resource("v1", "Pod").create({
      metadata: { namespace: "default", name: "patient" },
      spec: { nodeName: "poor", containers: [{ name: "echo", image: "tandem.internal/echo" }] },
    });
    await install(conmon);
    await until("a ready node", agent, async () =>
      isReady(await nodeNamed(cluster.client, "poor")),
    );
    const pods = cluster.client.resource("v1", "Pod");
    await until("a pod that runs", agent, async () => {
      const { status } = await pods.get({ namespace: "default", name: "patient" });
      return status?.phase === "Running";
    });
    assert.doesNotMatch(agent.output(), /Cannot keep .* running/);
  });
});
