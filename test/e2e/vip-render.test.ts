// Whatever is rendered must be to the liking of the real programs, without a word of warning.

import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { families } from "../../src/base/net/family.ts";
import type { VipCluster, VipNode } from "../../src/edge/vip/cluster.ts";
import { renderNode } from "../../src/edge/vip/render/node.ts";
import { defaultSettings } from "../../src/edge/vip/settings.ts";
import {
  bothFamilies,
  clusterOf,
  nodeOf,
  nodesOf,
  withOnly,
} from "../../src/edge/vip/testing/vip.ts";
import { openLan } from "../fixtures/lan.ts";

const lan = await openLan();
after(() => lan[Symbol.asyncDispose]());
const host = await lan.join("host", ["192.168.111.20/24", "fd00:111::20/64"]);

const variants: readonly { name: string; cluster: VipCluster; nodes: readonly VipNode[] }[] = [
  ...[1, 3, 5].map((count) => ({
    name: `both families on ${count} nodes`,
    cluster: bothFamilies,
    nodes: nodesOf(count),
  })),
  ...families.map((family) => ({
    name: `${family} only`,
    cluster: clusterOf({ api: [family], ingress: [family] }),
    nodes: nodesOf(3).map((node) => withOnly(family, node)),
  })),
  {
    name: "IPv6 first",
    cluster: clusterOf({ api: ["IPv6", "IPv4"], ingress: ["IPv6", "IPv4"] }),
    nodes: nodesOf(3),
  },
  {
    name: "more VIPs for the API than for ingress",
    cluster: clusterOf({ api: ["IPv4", "IPv6"], ingress: ["IPv4"] }),
    nodes: nodesOf(3),
  },
  {
    name: "none for ingress",
    cluster: clusterOf({ api: ["IPv6"], ingress: [] }),
    nodes: nodesOf(3),
  },
  ...families.map((family) => ({
    name: `a node with ${family} only`,
    cluster: bothFamilies,
    nodes: [nodeOf(0), nodeOf(1), withOnly(family, nodeOf(2))],
  })),
  { name: "before the group", cluster: bothFamilies, nodes: nodesOf(3, { takesPart: [] }) },
  {
    name: "nodes for one use each",
    cluster: bothFamilies,
    nodes: [nodeOf(0, { runsIngress: false }), nodeOf(1, { isControlPlane: false })],
  },
];

for (const { name, cluster, nodes } of variants) {
  test(`[VIP-3] keepalived and haproxy accept: ${name}`, async () => {
    for (const node of nodes) {
      const directory = join(lan.scratch, name.replaceAll(" ", "-"), node.name);
      await mkdir(directory, { recursive: true });
      const local = { name: node.name, linkOf: () => "eth0", holds: [], grouped: [] };
      const rendered = renderNode(cluster, nodes, { settings: defaultSettings, directory, local });
      for (const { path, text } of rendered.checks.values()) {
        await writeFile(path, text);
        await chmod(path, 0o755);
      }
      await accept(["keepalived", "--config-test", "--use-file"], rendered.keepalived, directory);
      if (node.isControlPlane)
        await accept(["haproxy", "-c", "-q", "-f"], rendered.haproxy, directory);
      else assert.equal(rendered.haproxy, undefined);
    }
  });
}

async function accept(
  command: readonly string[],
  text: string | undefined,
  directory: string,
): Promise<void> {
  assert.ok(text !== undefined, `nothing for ${command[0]}`);
  const path = join(directory, `${command[0]}.conf`);
  await writeFile(path, text);
  const { stdout, stderr } = await host.commands.run([...command, path]);
  assert.equal(stdout + stderr, "");
}

test("[VIP-3] the real program would tell of a configuration it ignores", async () => {
  const path = join(lan.scratch, "wrong.conf");
  await writeFile(path, "vrrp_instance a {\n interface eth0\n nonsense 3\n}\n");
  await assert.rejects(host.commands.run(["keepalived", "--config-test", "--use-file", path]));
});
