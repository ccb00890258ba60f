import assert from "node:assert/strict";
import { test } from "node:test";
import type { Container, Pod, Service } from "../../../api/types/core.ts";
import { slotsOf } from "../decide/slots.ts";
import { podOf } from "../testing/pod.ts";
import { environmentOf } from "./environment.ts";
import { expand } from "./expand.ts";
import { servicesFor, serviceVariables } from "./service-variables.ts";

const objects = {
  async configMap(_: string, name: string) {
    if (name !== "settings") return undefined;
    const metadata = { namespace: "default", name };
    const data = { colour: "green", "a.b": "c" };
    return { apiVersion: "v1" as const, kind: "ConfigMap" as const, metadata, data };
  },
  async secret(_: string, name: string) {
    if (name !== "keys") return undefined;
    const metadata = { namespace: "default", name };
    const data = { password: Buffer.from("open").toString("base64") };
    return { apiVersion: "v1" as const, kind: "Secret" as const, metadata, data };
  },
};

async function variables(container: Partial<Container>, metadata: Partial<Pod["metadata"]> = {}) {
  const pod = podOf("web", {
    container,
    metadata,
    spec: { serviceAccountName: "robot", containers: [{ name: "main", ...container }] },
  });
  const facts = {
    pod,
    podIPs: ["fd00:10:20:0:3::3", "10.20.3.3"],
    hostIPs: ["2001:db8::1", "192.0.2.1"],
    allocatable: { cpu: "4", memory: "8Gi" },
  };
  const [slot] = slotsOf(pod.spec);
  assert.ok(slot);
  return environmentOf(slot, { facts, objects, services: [] });
}

const field = (name: string, fieldPath: string) => ({
  name,
  valueFrom: { fieldRef: { fieldPath } },
});

test("[POD-8] a pod is told its addresses and its node's, the default first", async () => {
  const env = [
    field("MY_POD_IP", "status.podIP"),
    field("MY_POD_IPS", "status.podIPs"),
    field("MY_HOST_IP", "status.hostIP"),
    field("MY_HOST_IPS", "status.hostIPs"),
  ];
  assert.deepEqual(await variables({ env }), {
    MY_POD_IP: "fd00:10:20:0:3::3",
    MY_POD_IPS: "fd00:10:20:0:3::3,10.20.3.3",
    MY_HOST_IP: "2001:db8::1",
    MY_HOST_IPS: "2001:db8::1,192.0.2.1",
  });
});

test("fields of the pod, one by one", async () => {
  const metadata = { labels: { app: "web" }, annotations: { "example.com/note": "it's" } };
  const env = [
    field("NAME", "metadata.name"),
    field("APP", "metadata.labels['app']"),
    field("NOTE", "metadata.annotations['example.com/note']"),
    field("NODE", "spec.nodeName"),
  ];
  const found = await variables({ env }, metadata);
  assert.deepEqual(found, { NAME: "web", APP: "web", NOTE: "it's", NODE: "node-a" });
});

test("resources are rounded up to whole divisors; no limit is the node's", async () => {
  const of = (resource: string, divisor = "0") => ({
    valueFrom: { resourceFieldRef: { resource, divisor } },
  });
  const env = [
    { name: "CPUS", ...of("limits.cpu") },
    { name: "MILLIS", ...of("limits.cpu", "1m") },
    { name: "MEGABYTES", ...of("requests.memory", "1Mi") },
    { name: "MEMORY", ...of("limits.memory") },
  ];
  const resources = { limits: { cpu: "1500m" }, requests: { memory: "100Mi" } };
  assert.deepEqual(await variables({ env, resources }), {
    CPUS: "2",
    MILLIS: "1500",
    MEGABYTES: "100",
    MEMORY: String(8 * 1024 ** 3),
  });
});

test("whole objects come first, single variables count more, and know what was before", async () => {
  const envFrom = [
    { prefix: "S_", configMapRef: { name: "settings" } },
    { secretRef: { name: "keys" } },
  ];
  const env = [
    { name: "S_colour", value: "$(S_colour)ish" },
    { name: "LATER", value: "$(NOT_YET) $$(S_colour)" },
    { name: "NOT_YET", valueFrom: { configMapKeyRef: { name: "none", key: "x", optional: true } } },
  ];
  assert.deepEqual(await variables({ env, envFrom }), {
    S_colour: "greenish",
    "S_a.b": "c",
    password: "open",
    LATER: "$(NOT_YET) $(S_colour)",
  });
});

test("what is missing is named with the field that wants it", async () => {
  const valueFrom = { secretKeyRef: { name: "keys", key: "user" } };
  await assert.rejects(variables({ env: [{ name: "USER", valueFrom }] }), {
    reason: "CreateContainerConfigError",
    message:
      "Cannot set spec.containers[0].env[0].valueFrom.secretKeyRef: couldn't find key user in default/keys",
  });
  await assert.rejects(variables({ envFrom: [{ configMapRef: { name: "none" } }] }), {
    message: 'Cannot set spec.containers[0].envFrom[0].configMapRef: configmap "none" not found',
  });
});

test("$(NAME) is expanded once, $$ is an escaped dollar sign, and unknown names stay as written", () => {
  const known = { A: "1", B: "$(A)" };
  assert.equal(expand("$(A)$(B)$(C) $A $$(A) $$$(A) $(", known), "1$(A)$(C) $A $(A) $1 $(");
});

const service = (name: string, spec: Service["spec"], namespace = "default"): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { namespace, name },
  spec,
});

test("[SVC-7] services in both styles, and by family", () => {
  const ports = [
    { name: "http", port: 80 },
    { name: "dns-udp", port: 53, protocol: "UDP" as const },
  ];
  const clusterIPs = ["fd00:96::5", "10.96.0.5"];
  assert.deepEqual(serviceVariables([service("my-web", { clusterIPs, ports })]), {
    MY_WEB_SERVICE_HOST: "fd00:96::5",
    MY_WEB_SERVICE_HOST_IPV6: "fd00:96::5",
    MY_WEB_SERVICE_HOST_IPV4: "10.96.0.5",
    MY_WEB_SERVICE_PORT: "80",
    MY_WEB_SERVICE_PORT_HTTP: "80",
    MY_WEB_SERVICE_PORT_DNS_UDP: "53",
    MY_WEB_PORT: "tcp://[fd00:96::5]:80",
    MY_WEB_PORT_80_TCP: "tcp://[fd00:96::5]:80",
    MY_WEB_PORT_80_TCP_PROTO: "tcp",
    MY_WEB_PORT_80_TCP_PORT: "80",
    MY_WEB_PORT_80_TCP_ADDR: "fd00:96::5",
    MY_WEB_PORT_53_UDP: "udp://[fd00:96::5]:53",
    MY_WEB_PORT_53_UDP_PROTO: "udp",
    MY_WEB_PORT_53_UDP_PORT: "53",
    MY_WEB_PORT_53_UDP_ADDR: "fd00:96::5",
  });
});

test("[SVC-7] a pod hears of the API and of what is beside it, unless it wants no links", () => {
  const services = [
    service("kubernetes", { clusterIP: "10.96.0.1" }),
    service("beside", { clusterIP: "10.96.0.2" }, "team"),
    service("headless", { clusterIP: "None" }, "team"),
    service("elsewhere", { clusterIP: "10.96.0.3" }, "other"),
  ];
  const names = (hasLinks: boolean) =>
    servicesFor(services, { namespace: "team", hasLinks }).map(({ metadata }) => metadata.name);
  assert.deepEqual(names(true), ["kubernetes", "beside"]);
  assert.deepEqual(names(false), ["kubernetes"]);
});
