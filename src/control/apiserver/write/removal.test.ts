import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Endpoints, Pod, Service } from "../../../api/types/core.ts";
import { startServer, type TestServer } from "../testing/start.ts";

const types = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const;
const base = "/api/v1/namespaces/default";
const properties = { "service.kubernetes.io/service-controller-name": "blue" };

describe("[POD-10] fields that old clients drop", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(async () => await server[Symbol.asyncDispose]());

  const send = async (method: string, path: string, body: object, type = "application/json") => {
    const headers = { "content-type": type };
    const answer = await server.send(method, `${base}/${path}`, {
      body: JSON.stringify(body),
      headers,
    });
    return { status: answer.status, text: answer.text };
  };
  const create = async (path: string, body: object): Promise<unknown> => {
    const { status, text } = await send("POST", path, body);
    assert.equal(status, 201, text);
    return JSON.parse(text);
  };
  const change = async (
    method: "PUT" | keyof typeof types,
    path: string,
    body: object,
  ): Promise<unknown> => {
    const { status, text } =
      method === "PUT"
        ? await send("PUT", path, body)
        : await send("PATCH", path, body, types[method]);
    assert.equal(status, 200, text);
    return JSON.parse(text);
  };
  const createPod = async (name: string): Promise<Pod> => {
    const spec = { containers: [{ name: "main", image: "echo" }] };
    await create("pods", { metadata: { name }, spec });
    const podIPs = [{ ip: "10.0.0.1", properties }, { ip: "fd00::1" }];
    return (await change("merge", `pods/${name}/status`, { status: { podIPs } })) as Pod;
  };

  for (const method of ["PUT", "merge", "strategic"] as const) {
    test(`an explicit null removes the properties of an address, by ${method}`, async () => {
      const name = `properties-${method.toLowerCase()}`;
      const pod = await createPod(name);
      const podIPs = [{ ip: "10.0.0.1", properties: null }, { ip: "fd00::1" }];
      const patch = { status: { podIPs } };
      const body = method === "PUT" ? { ...pod, status: { ...pod.status, podIPs } } : patch;
      const { status } = (await change(method, `pods/${name}/status`, body)) as Pod;
      assert.deepEqual(status?.podIPs, [{ ip: "10.0.0.1" }, { ip: "fd00::1" }]);
    });
  }

  for (const method of ["PUT", "merge"] as const) {
    test(`an explicit null removes the pair of an endpoint, by ${method}`, async () => {
      const name = `ips-${method.toLowerCase()}`;
      const ports = [{ port: 80 }];
      const addresses = [{ ip: "10.0.0.1", ips: ["10.0.0.1", "fd00::1"] }];
      const object = (await create("endpoints", {
        metadata: { name },
        subsets: [{ addresses, ports }],
      })) as Endpoints;
      const subsets = [{ addresses: [{ ip: "10.0.0.1", ips: null }], ports }];
      const body = method === "PUT" ? { ...object, subsets } : { subsets };
      const changed = (await change(method, `endpoints/${name}`, body)) as Endpoints;
      const [subset] = changed.subsets ?? [];
      assert.deepEqual(subset?.addresses, [{ ip: "10.0.0.1", ips: ["10.0.0.1"] }]);
    });
  }

  for (const method of ["PUT", "merge", "strategic", "json"] as const) {
    test(`[SVC-1] an explicit null defaults endpointFamily anew, by ${method}`, async () => {
      const name = `family-${method.toLowerCase()}`;
      const object = (await create("services", {
        metadata: { name },
        spec: { ports: [{ port: 80 }], endpointFamily: "ipv4" },
      })) as Service;
      const removed = { spec: { endpointFamily: null } };
      const body = {
        PUT: { ...object, spec: { ...object.spec, ...removed.spec } },
        merge: removed,
        strategic: removed,
        json: [{ op: "remove", path: "/spec/endpointFamily" }],
      }[method];
      const { spec } = (await change(method, `services/${name}`, body)) as Service;
      assert.equal(spec.endpointFamily, "dual-stack");
    });
  }

  test("[SVC-1] families that the creator set decide when endpointFamily is taken out", async () => {
    const object = (await create("services", {
      metadata: { name: "owned" },
      spec: { ports: [{ port: 80 }], ipFamilyPolicy: "SingleStack", endpointFamily: "dual-stack" },
    })) as Service;
    const spec = { ...object.spec, endpointFamily: null };
    const changed = (await change("PUT", "services/owned", { ...object, spec })) as Service;
    assert.match(changed.spec.endpointFamily ?? "", /^ipv[46]$/);
  });

  test("[SVC-9] a service whose cluster IP will have no endpoints is created with a warning", async () => {
    const spec = { ports: [{ port: 80 }], ipFamilies: ["IPv4"], endpointFamily: "ipv6" };
    const body = JSON.stringify({ metadata: { name: "warned" }, spec });
    const headers = { "content-type": "application/json" };
    const answer = await server.send("POST", `${base}/services`, { body, headers });
    assert.equal(answer.status, 201, answer.text);
    assert.match(
      String(answer.headers["warning"]),
      /endpointFamily: ipv6 leaves the IPv4 cluster IP/,
    );
  });

  test("[POD-1] properties without an address are refused, not dropped", async () => {
    await createPod("nameless");
    const body = { status: { podIPs: [{ ip: "10.0.0.1" }, { properties }] } };
    const path = "pods/nameless/status";
    const { status, text } = await send("PATCH", path, body, types.merge);
    assert.equal(status, 422);
    assert.match(text, /status\.podIPs\[1\]\.ip: Required value/);
  });

  test("[POD-3] a patch of podIP to the second address puts that one first and keeps both", async () => {
    await createPod("turned");
    const patch = { status: { podIP: "fd00::1" } };
    const { status } = (await change("merge", "pods/turned/status", patch)) as Pod;
    assert.equal(status?.podIP, "fd00::1");
    assert.deepEqual(status?.podIPs, [{ ip: "fd00::1" }, { ip: "10.0.0.1", properties }]);
  });
});
