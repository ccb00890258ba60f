import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "../../types/core.ts";
import type { EndpointSlice } from "../../types/discovery.ts";
import { decidingLabels, isCounted, serviceKeyOf } from "./slice-service.ts";

const managedBy = "endpointslice.kubernetes.io/managed-by";
const proxyName = "service.kubernetes.io/service-proxy-name";

function sliceWith(labels: Record<string, string>): EndpointSlice {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { namespace: "default", name: "web-1", labels },
    addressType: "IPv4",
    endpoints: [],
  };
}

function serviceWith(
  selector: Record<string, string> | undefined,
  labels: Record<string, string> = {},
): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace: "default", name: "web", labels },
    spec: selector === undefined ? {} : { selector },
  };
}

test("[EP-3] a slice belongs to the service that either label names", () => {
  const keys = [
    { "kubernetes.io/service-name": "web" },
    { "tandem.internal/service-name": "web" },
    { "kubernetes.io/service-name": "" },
    { app: "web" },
  ].map((labels) => serviceKeyOf(sliceWith(labels)));
  assert.deepEqual(keys, ["default/web", "default/web", undefined, undefined]);
});

test("[EP-3] [PROP-5] a service with a selector uses only slices of built-in controllers, one without uses all", () => {
  const managers = [
    "endpointslice-controller.k8s.io",
    "endpointslicemirroring-controller.k8s.io",
    "endpointslice-controller.tandem.internal",
    "fast-path.example.com",
    undefined,
  ];
  const slices = managers.map((by) => sliceWith(by === undefined ? {} : { [managedBy]: by }));
  const counted = (service: Service) => slices.map((slice) => isCounted(slice, service));
  assert.deepEqual(counted(serviceWith({ app: "web" })), [true, true, true, false, false]);
  assert.deepEqual(counted(serviceWith({})), [true, true, true, true, true]);
  assert.deepEqual(counted(serviceWith(undefined)), [true, true, true, true, true]);
});

test("[EP-3] a slice for another service proxy is used by nobody here, unless it is the service's own label", () => {
  const slice = sliceWith({ [proxyName]: "other", [managedBy]: "endpointslice-controller.k8s.io" });
  assert.equal(isCounted(slice, serviceWith(undefined)), false);
  assert.equal(isCounted(slice, serviceWith({ app: "web" })), false);
  assert.equal(isCounted(slice, serviceWith({ app: "web" }, { [proxyName]: "other" })), true);
});

test("[EP-3] what is kept of a slice's labels leads to the same answers", () => {
  const labels = {
    [managedBy]: "x",
    [proxyName]: "y",
    "kubernetes.io/service-name": "web",
    app: "z",
  };
  const { app: _, ...deciding } = labels;
  assert.deepEqual(decidingLabels(sliceWith(labels)), deciding);
});
