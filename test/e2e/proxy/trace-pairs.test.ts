import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "../../../src/api/types/core.ts";
import { families } from "../../../src/base/net/family.ts";
import { echoPort } from "../../../src/inspect/check/objects.ts";
import { type TestCluster, withCluster } from "../cluster.fixture.ts";
import { echoPod, runPods } from "../connectivity.fixture.ts";

const count = process.env["TANDEM_SOAK"] === "1" ? 200 : 12;

interface Header {
  readonly source: string;
  readonly destination: string;
  readonly sourcePort: number;
  readonly destinationPort: number;
}

interface Report {
  readonly probe: { readonly destination: string };
  readonly verdict: { readonly kind: string; readonly place?: string };
  readonly hops: readonly {
    readonly place: string;
    readonly began: string;
    readonly ended: string;
    readonly first: Header;
    readonly last: Header;
    readonly translations: readonly { part: "source" | "destination"; after: string }[];
  }[];
}

test(`[PROXY-4] ${count} packets between random pods, services and nodes are followed hop by hop, in both families`, async () => {
  await withCluster({ nodes: 2, dns: false }, async (cluster) => {
    const { pods, port } = await setUp(cluster);
    const nodes = ["node-1", "node-2"];
    const targets = [
      ...pods.map((name) => `pod/${name}:${echoPort}`),
      // As often as a pod, since they lead to any of them.
      ...pods.map(() => "service/web:80"),
      ...nodes.map((name) => `node/${name}:${port}`),
    ];
    const senders = [
      ...pods.map((name) => `pod/${name}`),
      ...nodes.map((name) => `node/${name}`),
      "outside",
    ];
    for (let n = 0; n < count; n++) {
      const from = oneOf(senders);
      // The world outside knows nodes only.
      const to = oneOf(from === "outside" ? targets.slice(-nodes.length) : targets);
      const reports = JSON.parse(
        await cluster.tandem(["trace", from, to, "--output=json"]),
      ) as readonly Report[];
      assert.equal(reports.length, families.length, `${from} to ${to}`);
      for (const report of reports) {
        assert.deepEqual(flawsOf(report), [], `${from} to ${to}\n${JSON.stringify(report)}`);
      }
    }
  });
});

/** What does not fit together in the report of a packet that was delivered. */
function flawsOf({ verdict, hops }: Report): readonly string[] {
  const flaws: string[] = [];
  const expect = (isRight: boolean, flaw: string): void => {
    if (!isRight) flaws.push(flaw);
  };
  expect(verdict.kind === "delivered", `it is ${verdict.kind}`);
  expect(hops[0]?.began === "sent", "it is not sent by the first");
  expect(hops.at(-1)?.ended === "taken-in", "it is not taken in by the last");
  expect(hops.at(-1)?.place === verdict.place, "it is delivered elsewhere");
  for (const [index, hop] of hops.entries()) {
    const next = hops[index + 1];
    expect(/^(?:pod \S+|node-\d|outside|switch)$/.test(hop.place), `who is ${hop.place}`);
    if (index > 0) expect(hop.began === "received", `${hop.place} does not receive it`);
    if (next === undefined) continue;
    expect(hop.ended === "left", `${hop.place} does not send it on`);
    expect(wayOf(hop.last) === wayOf(next.first), `${hop.place} and ${next.place} differ`);
    const before = { source: ends(hop.first).source, destination: ends(hop.first).destination };
    for (const { part, after } of hop.translations) before[part] = after;
    const { source, destination } = ends(hop.last);
    expect(
      before.source === source && before.destination === destination,
      `${hop.place} hides a translation`,
    );
  }
  return flaws;
}

function ends({ source, sourcePort, destination, destinationPort }: Header) {
  const text = (host: string, port: number) =>
    host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  return { source: text(source, sourcePort), destination: text(destination, destinationPort) };
}

function wayOf(header: Header): string {
  return Object.values(ends(header)).join(" ");
}

function oneOf<T>(list: readonly T[]): T {
  const chosen = list[Math.floor(Math.random() * list.length)];
  assert.ok(chosen !== undefined);
  return chosen;
}

/** Two pods on each node, and a service that leads to all of them. */
async function setUp(cluster: TestCluster): Promise<{ pods: readonly string[]; port: number }> {
  const wanted = ["node-1", "node-2"].flatMap((node) =>
    ["a", "b"].map((letter) =>
      echoPod({ name: `${letter}-${node}`, node, labels: { app: "web" } }),
    ),
  );
  const ports = [{ port: 80, targetPort: echoPort }];
  const policy = { ipFamilyPolicy: "RequireDualStack" };
  const spec = { type: "NodePort", selector: { app: "web" }, ports, ...policy };
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec };
  await cluster.kubectl.pipe(service, "apply", "-f", "-");
  const pods = [...(await runPods(cluster, wanted)).keys()];
  const text = await cluster.kubectl.run("get", "service", "web", "-o", "json");
  const port = (JSON.parse(text) as Service).spec.ports?.[0]?.nodePort ?? 0;
  for (const from of ["node/node-1", "node/node-2", "outside"]) {
    await cluster.until(`${from} reaches the service`, async () => {
      const said = await cluster
        .tandem(["trace", from, `node/node-2:${port}`])
        .catch(() => undefined);
      return said;
    });
  }
  return { pods, port };
}
