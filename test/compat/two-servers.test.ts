// Several servers on one etcd serve the same cluster.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type EtcdFixture, startEtcd } from "../fixtures/etcd.ts";
import { type Answer, TestServer } from "../fixtures/server.ts";

const path = "/api/v1/namespaces/default/configmaps";
const services = "/api/v1/namespaces/default/services";

describe("[API-2] two servers on one etcd", () => {
  const started: { etcd?: EtcdFixture; servers: TestServer[] } = { servers: [] };
  before(async () => {
    started.etcd = await startEtcd();
    const store = started.etcd.storeUrl("/shared");
    const start = async (): Promise<void> => {
      started.servers.push(await TestServer.start({ store }));
    };
    await Promise.all([start(), start()]);
  });
  after(async () => {
    for (const server of started.servers) await server[Symbol.asyncDispose]();
    await started.etcd?.[Symbol.asyncDispose]();
  });
  const server = (index: number): TestServer =>
    started.servers[index % 2] ?? assert.fail("the servers did not start");

  test("what one acknowledges the other answers with at once", async () => {
    for (let round = 0; round < 30; round++) {
      const name = `seen-${round}`;
      const made = await server(round).call("POST", path, { metadata: { name } });
      assert.equal(made.code, 201, made.text);
      const read = await server(round + 1).call("GET", `${path}/${name}`);
      assert.deepEqual([read.code, read.body.metadata], [200, made.body.metadata]);
      const list = await server(round + 1).call("GET", path);
      assert.ok(list.body.items?.some(({ metadata }) => metadata?.name === name));
    }
  });

  test("an object read from one is updated through the other", async () => {
    let { body } = await server(0).call("POST", path, { metadata: { name: "passed" } });
    for (let round = 1; round < 30; round++) {
      const answer: Answer = await server(round).call("PUT", `${path}/passed`, {
        ...body,
        data: { round: String(round) },
      });
      assert.equal(answer.code, 200, answer.text);
      body = answer.body;
    }
    assert.deepEqual(body.data, { round: "29" });
  });

  test("patches through both at the same time all take effect", async () => {
    await server(0).call("POST", path, { metadata: { name: "busy" } });
    const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
    const answers = await Promise.all(
      keys.map((key, index) =>
        server(index).send("PATCH", `${path}/busy`, {
          body: JSON.stringify({ data: { [key]: "x" } }),
          type: "application/merge-patch+json",
        }),
      ),
    );
    assert.deepEqual([...new Set(answers.map(({ code }) => code))], [200]);
    const { body } = await server(1).call("GET", `${path}/busy`);
    assert.deepEqual(Object.keys(body.data ?? {}).toSorted(), keys.toSorted());
  });

  test("[SVC-5] no address or port is given twice", async () => {
    const made = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        server(index).call("POST", services, {
          metadata: { name: `service-${index}` },
          spec: { type: "NodePort", ipFamilyPolicy: "RequireDualStack", ports: [{ port: 80 }] },
        }),
      ),
    );
    for (const { code, text } of made) assert.equal(code, 201, text);
    const specs = made.map(
      ({ body }) => body["spec"] as { clusterIPs: string[]; ports: { nodePort: number }[] },
    );
    const addresses = specs.flatMap(({ clusterIPs }) => clusterIPs);
    const ports = specs.flatMap((spec) => spec.ports.map(({ nodePort }) => nodePort));
    assert.deepEqual([new Set(addresses).size, new Set(ports).size], [80, 40]);
  });

  test("a custom resource defined through one is served by the other", async () => {
    const schema = {
      openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    };
    const defined = await server(0).call(
      "POST",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      {
        metadata: { name: "things.example.com" },
        spec: {
          group: "example.com",
          scope: "Cluster",
          names: { plural: "things", kind: "Thing" },
          versions: [{ name: "v1", served: true, storage: true, schema }],
        },
      },
    );
    assert.equal(defined.code, 201, defined.text);
    // The other hears of it through the store; a read brings it up to date.
    await server(1).call("GET", path);
    const listed = await server(1).call("GET", "/apis/example.com/v1/things");
    assert.equal(listed.code, 200, listed.text);
  });
});
