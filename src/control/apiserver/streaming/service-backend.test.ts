import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Service } from "../../../api/types/core.ts";
import type { Endpoint, EndpointSlice } from "../../../api/types/discovery.ts";
import { splitName } from "./destination.ts";
import { rewriteLink, rewritePage } from "./proxied-page.ts";
import { chooseBackend } from "./service-backend.ts";

const service = {
  metadata: { namespace: "default", name: "web" },
  spec: {
    ports: [
      { name: "http", port: 80 },
      { name: "https", port: 443 },
    ],
  },
} as Service;

function slice(endpoints: Endpoint[]): EndpointSlice {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      namespace: "default",
      name: "web-1",
      labels: { "kubernetes.io/service-name": "web" },
    },
    addressType: "IPv4",
    ports: [
      { name: "http", port: 8080 },
      { name: "https", port: 8443 },
    ],
    endpoints,
  };
}

const pod = (name: string, namespace = "default") => ({ kind: "Pod", namespace, name });

describe("[API-11] the backend of a service", () => {
  const choose = (endpoints: Endpoint[], port = "80", random = 0) =>
    chooseBackend(service, [slice(endpoints)], { port, random });

  test("is a ready endpoint, by the number or the name of the port", () => {
    const endpoints = [
      { addresses: ["10.0.0.1"], conditions: { ready: false } },
      { addresses: ["10.0.0.2"], targetRef: pod("two") },
      { addresses: ["10.0.0.3"], targetRef: pod("three") },
    ];
    const two = { namespace: "default", name: "two" };
    assert.deepEqual(choose(endpoints), { host: "10.0.0.2", port: 8080, pod: two });
    assert.equal(choose(endpoints, "https", 0.99).host, "10.0.0.3");
    assert.equal(choose(endpoints, "https").port, 8443);
    assert.throws(() => choose(endpoints, "81"), /no service port "81" found/);
    assert.throws(() => choose([]), /no endpoints available for service "web"/);
  });

  test("is no pod of another namespace, whatever an endpoint says", () => {
    const [endpoint] = [{ addresses: ["10.0.0.2"], targetRef: pod("two", "other") }];
    assert.deepEqual(choose([endpoint]), { host: "10.0.0.2", port: 8080 });
  });
});

test("a proxied name has a scheme and a port, or neither", () => {
  assert.deepEqual(splitName("web"), { scheme: "", name: "web", port: "" });
  assert.deepEqual(splitName("web:80"), { scheme: "", name: "web", port: "80" });
  assert.deepEqual(splitName("https:web:443"), { scheme: "https", name: "web", port: "443" });
  assert.deepEqual(splitName("https:web:"), { scheme: "https", name: "web", port: "" });
  for (const text of ["ftp:web:21", "a:b:c:d", ":80"]) {
    assert.throws(() => splitName(text), /invalid request/, text);
  }
});

test("links of proxied pages lead through the proxy, those to elsewhere stay", () => {
  const prefix = "/api/v1/namespaces/default/pods/web/proxy";
  const page = `<a href="/x">x</a><img src='/y.png'><a href="z">z</a><a href="//other/x">o</a><b title="/t">`;
  assert.equal(
    rewritePage(page, prefix),
    `<a href="${prefix}/x">x</a><img src="${prefix}/y.png"><a href="z">z</a><a href="//other/x">o</a><b title="/t">`,
  );
  assert.equal(rewritePage(`<a href="/x" <`, prefix), `<a href="/x" <`);
  assert.equal(rewriteLink("http://10.0.0.1:80/x", prefix, ["10.0.0.1:80"]), `${prefix}/x`);
  assert.equal(rewriteLink(`${prefix}/x`, prefix), `${prefix}/x`);
});
