import assert from "node:assert/strict";
import { readdir, stat } from "node:fs/promises";
import { test } from "node:test";
import { families } from "../../src/base/net/family.ts";
import { withCluster } from "./cluster.fixture.ts";
import { hostNetwork, mentionsOf, namespacesAround, untilGone } from "./cluster-traces.fixture.ts";
import { checkConnectivity } from "./connectivity.fixture.ts";

/** Who has nothing on the machine: `nobody`. */
const user = 65_534;

test("an ordinary user has a cluster, and the machine is as it was", async () => {
  const before = await hostNetwork();
  let namespaces: ReadonlySet<string> = new Set();
  let { directory, name } = { directory: "", name: "" };
  await withCluster({ user, nodes: 2 }, async (cluster) => {
    const { programs, nodes } = await cluster.status();
    assert.ok(nodes.every(({ isReady }) => isReady));
    for (const { pid = 0, name: program } of programs) {
      assert.equal((await stat(`/proc/${pid}`)).uid, user, `${program} is the user's`);
    }
    namespaces = await namespacesAround(programs.map(({ pid = 0 }) => pid));
    ({ directory, name } = cluster);
    assert.equal(await hostNetwork(), before);
    assert.equal(
      await cluster.kubectl.run("get", "nodes", "-o", "name"),
      "node/node-1\nnode/node-2\n",
    );
    const { stdout } = await cluster.in("node-1").run(["ip", "-brief", "address", "show", "eth0"]);
    assert.match(stdout, /192\.168\.111\.11\/24 fd00:111::b\/64/);
    await checkConnectivity(cluster, families);
  });
  await untilGone(namespaces);
  assert.deepEqual(await mentionsOf(directory), []);
  assert.equal(await hostNetwork(), before);
  const records = await recordsLeft();
  assert.ok(!records?.includes(`${name}.json`));
  assert.notEqual(records?.length, 0, "its directory goes with the last");
});

/** Nothing when there is no place for them. */
async function recordsLeft(): Promise<readonly string[] | undefined> {
  try {
    return await readdir(`/tmp/tandem-${user}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
