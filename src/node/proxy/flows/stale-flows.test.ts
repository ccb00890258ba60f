import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FakeConntrack } from "../../../base/host/conntrack.fake.ts";
import { openState, put, service, settingsOf, slices } from "../plan/testing/scenario.ts";
import type { Flow } from "./flow.ts";
import { staleFlows } from "./stale-flows.ts";

const ports = [{ port: 53, protocol: "UDP" as const, nodePort: 30053 }];
const udp = { ports: [{ port: 5353, protocol: "UDP" as const }] };

const [cluster, node, elsewhere] = ["10.96.0.1", "192.168.0.1", "203.0.0.1"] as const;
const [a, b, c] = ["10.1.1.10", "10.1.2.11", "10.1.3.12"] as const;

const flow = (to: string, answerer: string): Flow => {
  const [address = "", port = "53"] = to.split(":");
  const [answererAddress = "", answererPort = "5353"] = answerer.split(":");
  return {
    destination: { address, port: Number(port) },
    answerer: { address: answererAddress, port: Number(answererPort) },
  };
};

async function deletions(
  objects: Parameters<typeof put>[1],
  flows: readonly Flow[],
  concerns?: (key: string) => boolean,
): Promise<string> {
  const state = openState();
  put(state, objects);
  state.takeChange();
  const conntrack = new FakeConntrack();
  const find = (key: string) => state.tables.IPv4.get(key);
  const settings = settingsOf("IPv4");
  const isThere = (key: string) => find(key) !== undefined;
  const inputs = { settings, find, concerns: concerns ?? isThere };
  await conntrack.deleteFlows(staleFlows(flows, inputs));
  return conntrack.text;
}

describe("[PROXY-6] flows of datagrams that nobody serves any more", () => {
  const served = [service({ type: "NodePort" as const, ports }), ...slices(["a", "b"], udp)];

  test("those to an endpoint that is gone, and no others", async () => {
    const flows = [
      flow(cluster, a),
      flow(cluster, b),
      flow(cluster, c),
      flow(cluster, c),
      flow(`${node}:30053`, a),
      flow(`${node}:30053`, c),
    ];
    assert.equal(
      await deletions(served, flows),
      `udp 10.96.0.1:53 answered by ${c}\nudp 192.168.0.1:30053 answered by ${c}`,
    );
  });

  test("those to the right address, but another port", async () => {
    assert.equal(
      await deletions(served, [flow(cluster, `${a}:9999`)]),
      `udp 10.96.0.1:53 answered by ${a}`,
    );
  });

  test("those that began before there was a service", async () => {
    assert.equal(
      await deletions(served, [flow(cluster, `${cluster}:53`)]),
      `udp 10.96.0.1:53 answered by ${cluster}`,
    );
  });

  test("those of a service that is gone, if they were translated", async () => {
    const flows = [flow(cluster, a), flow(cluster, `${cluster}:53`), flow(`${elsewhere}:30053`, a)];
    const concerns = (key: string) => key === "10.96.0.1 udp 53" || key === "* udp 30053";
    assert.equal(await deletions([], flows, concerns), `udp 10.96.0.1:53 answered by ${a}`);
  });

  test("not those to endpoints that are on their way out but still answer", async () => {
    const leaving = { conditions: { ready: false, serving: true, terminating: true } };
    const silent = { conditions: { ready: false, serving: false, terminating: true } };
    const objects = [service({ ports }), ...slices({ a: {}, b: leaving, c: silent }, udp)];
    assert.equal(
      await deletions(objects, [flow(cluster, a), flow(cluster, b), flow(cluster, c)]),
      `udp 10.96.0.1:53 answered by ${c}`,
    );
  });

  test("only those to places that have changed", async () => {
    const flows = [flow(cluster, c), flow(`${node}:30053`, c)];
    assert.equal(
      await deletions(served, flows, (key) => key === "* udp 30053"),
      `udp 192.168.0.1:30053 answered by ${c}`,
    );
  });

  test("none that have nothing to do with services", async () => {
    assert.equal(await deletions(served, [flow(elsewhere, a), flow(`${node}:53`, c)]), "");
  });
});
