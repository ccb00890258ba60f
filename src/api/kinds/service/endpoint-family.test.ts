import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { defined } from "../../../base/json/defined.ts";
import type { Service, ServiceSpec } from "../../types/core.ts";
import type { Kind, WriteContext } from "../kind.ts";
import { kindOf } from "../kinds.ts";
import { derivedAnnotation } from "./endpoint-family.ts";

const kind = kindOf("", "Service") as Kind<Service>;

const now = () => new Date("2026-01-01T00:00:00Z");
const dual = { serviceCidrs: ["10.96.0.0/16", "fd00:96::/112"], now };
const single = { serviceCidrs: ["fd00:96::/112"], now };

type Requested = { readonly [field in keyof ServiceSpec]?: unknown };

function of(spec: Requested): Service {
  const ports = [{ port: 80 }];
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "default" },
    spec: { ports, selector: { app: "web" }, ...structuredClone(spec as ServiceSpec) },
  };
}

function write(
  request: Service,
  context: Partial<WriteContext<Service>> = {},
): { result: Service; errors: string[]; warnings: readonly string[] } {
  const result = structuredClone(request);
  const full = { settings: dual, ...context };
  kind.default?.(result);
  const outcome = kind.reconcile?.(result, full);
  const errors = [
    ...(outcome?.errors ?? []),
    ...(kind.validate?.(result, full.settings) ?? []),
    ...(full.old === undefined
      ? []
      : (kind.validateUpdate?.(result, full.old, full.settings) ?? [])),
  ].map(({ field, detail }) => `${field}: ${detail}`);
  return { result, errors, warnings: outcome?.warnings ?? [] };
}

const created: [name: string, spec: ServiceSpec, settings: typeof dual, expected: string][] = [
  ["nothing is set", {}, dual, "dual-stack"],
  ["nothing is set, one CIDR", {}, single, "dual-stack"],
  ["families are set", { ipFamilies: ["IPv4"] }, dual, "ipv4"],
  ["the other family is set", { ipFamilies: ["IPv6"] }, dual, "ipv6"],
  ["only the policy is set", { ipFamilyPolicy: "SingleStack" }, dual, "ipv4"],
  ["the policy is set, one CIDR", { ipFamilyPolicy: "SingleStack" }, single, "ipv6"],
  ["dual stack is required", { ipFamilyPolicy: "RequireDualStack" }, dual, "dual-stack"],
  ["dual stack is preferred", { ipFamilyPolicy: "PreferDualStack" }, dual, "dual-stack"],
  [
    "dual stack is preferred, one CIDR",
    { ipFamilyPolicy: "PreferDualStack" },
    single,
    "dual-stack",
  ],
  [
    "dual stack is preferred with a family, one CIDR",
    { ipFamilyPolicy: "PreferDualStack", ipFamilies: ["IPv6"] },
    single,
    "dual-stack",
  ],
  ["it is set itself", { endpointFamily: "ipv6", ipFamilies: ["IPv4"] }, dual, "ipv6"],
];
for (const [name, spec, settings, expected] of created) {
  test(`[SVC-1] endpointFamily of a new service when ${name}: ${expected}`, () => {
    const { result, errors } = write(of(spec), { settings });
    assert.deepEqual(errors, []);
    assert.equal(result.spec.endpointFamily, expected);
  });
}

test("[SVC-1] any other value is invalid and names the field", () => {
  const { errors } = write(of({ endpointFamily: "ipv5" }));
  assert.deepEqual(errors, ['spec.endpointFamily: supported values: "ipv4", "ipv6", "dual-stack"']);
});

test("[SVC-1] a value that came from ipFamilies follows them, one that was set does not", () => {
  const policy: ServiceSpec = { ipFamilyPolicy: "PreferDualStack" };
  const derived = write(of({ ipFamilies: ["IPv4"] })).result;
  assert.equal(derived.metadata.annotations?.[derivedAnnotation], "ipFamilies");
  const request = { ...derived, spec: { ...derived.spec, ...policy } };
  assert.equal(write(request, { old: derived }).result.spec.endpointFamily, "dual-stack");

  const chosen = write(of({ ipFamilies: ["IPv4"], endpointFamily: "ipv4" })).result;
  const other = { ...chosen, spec: { ...chosen.spec, ...policy } };
  assert.deepEqual(write(other, { old: chosen }).result.spec.ipFamilies, ["IPv4", "IPv6"]);
  assert.equal(write(other, { old: chosen }).result.spec.endpointFamily, "ipv4");
});

test("[SVC-1] the default does not follow ipFamilies", () => {
  const old = write(of({})).result;
  const request = { ...old, spec: { ...old.spec, ipFamilyPolicy: "PreferDualStack" as const } };
  assert.equal(write(request, { old }).result.spec.endpointFamily, "dual-stack");
});

test("[POD-10] a client that drops endpointFamily and the annotation keeps both", () => {
  for (const spec of [
    { endpointFamily: "ipv4" },
    { ipFamilies: ["IPv6"] as ("IPv4" | "IPv6")[] },
  ]) {
    const old = write(of(spec)).result;
    const { endpointFamily: _, ...rest } = old.spec;
    const request = { ...old, metadata: { name: "web", namespace: "default" }, spec: rest };
    assert.deepEqual(write(request, { old }).result, old);
  }
});

test("[POD-10] null, an empty text and a patch that takes it out go back to the default", () => {
  const old = write(of({ endpointFamily: "ipv4" })).result;
  for (const value of [null, ""]) {
    const request = of({ ...old.spec, endpointFamily: value });
    delete request.spec.ipFamilies;
    delete request.spec.ipFamilyPolicy;
    assert.equal(write(request, { old }).result.spec.endpointFamily, "dual-stack");
  }
  const { endpointFamily: _, ...rest } = old.spec;
  const patched = write({ ...old, spec: rest }, { old, patch: "merge" }).result;
  assert.equal(patched.spec.endpointFamily, "dual-stack", "nobody has set the object's families");
});

test("[SVC-1] a value that is taken out is defaulted from families that a client had set before", () => {
  const old = write(of({ ipFamilies: ["IPv4"], endpointFamily: "ipv6" })).result;
  const fieldsV1 = { "f:spec": { "f:ipFamilies": {}, "f:endpointFamily": {} } };
  old.metadata.managedFields = [{ manager: "kubectl", operation: "Update", fieldsV1 }];
  // An empty value equals an absent one, though the type does not allow it.
  const removed = { ...old, spec: { ...old.spec, endpointFamily: "" as "ipv4" } };
  assert.equal(write(removed, { old }).result.spec.endpointFamily, "ipv4");
  const { managedFields: _, ...metadata } = old.metadata;
  const unowned = { ...old, metadata };
  assert.equal(write(removed, { old: unowned }).result.spec.endpointFamily, "dual-stack");
  const changed = {
    ...removed,
    spec: { ...removed.spec, ipFamilyPolicy: "RequireDualStack" as const },
  };
  const { result } = write(changed, { old: unowned });
  assert.equal(result.spec.endpointFamily, "dual-stack");
  assert.equal(result.metadata.annotations?.[derivedAnnotation], "ipFamilies");
});

const toDual = { ipFamilyPolicy: "PreferDualStack", endpointFamily: "ipv4" } as const;
const manifest = "kubectl.kubernetes.io/last-applied-configuration";
const explicit: [way: string, context: Partial<WriteContext<Service>>, annotation?: string][] = [
  ["a merge patch", { patch: "merge", patchBody: { spec: toDual } }],
  ["a strategic patch", { patch: "strategic", patchBody: { spec: toDual } }],
  ["server-side apply", { patch: "apply", patchBody: { spec: toDual } }],
  [
    "a JSON patch",
    {
      patch: "json",
      patchBody: [
        { op: "add", path: "/spec/ipFamilyPolicy", value: "PreferDualStack" },
        { op: "add", path: "/spec/endpointFamily", value: "ipv4" },
      ],
    },
  ],
  [
    "client-side apply, which leaves it out of its patch",
    { patch: "strategic", patchBody: { spec: { ipFamilyPolicy: "PreferDualStack" } } },
    JSON.stringify({ spec: toDual }),
  ],
  ["an update by a manifest", {}],
];
for (const [way, context, annotation] of explicit) {
  test(`[SVC-1] an explicit value wins in the request that changes the policy, by ${way}`, () => {
    const old = write(of({ ipFamilies: ["IPv4"] })).result;
    assert.equal(old.metadata.annotations?.[derivedAnnotation], "ipFamilies");
    // A patch carries the mark of the stored object over, a manifest does not have it.
    const annotations = {
      ...(context.patch === undefined ? {} : old.metadata.annotations),
      ...defined({ [manifest]: annotation }),
    };
    const spec = { ...old.spec, ...toDual };
    const request = { ...old, metadata: { ...old.metadata, annotations }, spec };
    const { result } = write(request, { old, ...context });
    assert.deepEqual(result.spec.ipFamilies, ["IPv4", "IPv6"]);
    assert.equal(result.spec.endpointFamily, "ipv4");
    assert.equal(result.metadata.annotations?.[derivedAnnotation], undefined);
  });
}

test("[SVC-1] a manifest of kubectl that is old, of another value or no JSON says nothing", () => {
  const old = write(of({ ipFamilies: ["IPv4"] })).result;
  for (const [before, after] of [
    [JSON.stringify({ spec: toDual }), JSON.stringify({ spec: toDual })],
    [undefined, JSON.stringify({ spec: { endpointFamily: "ipv6" } })],
    [undefined, "{"],
    [undefined, "null"],
  ]) {
    const withManifest = (text: string | undefined) => ({
      ...old.metadata,
      annotations: {
        ...old.metadata.annotations,
        ...defined({ [manifest]: text }),
      },
    });
    const stored = { ...old, metadata: withManifest(before) };
    const spec = { ...old.spec, ipFamilyPolicy: "PreferDualStack" as const };
    const patchBody = { spec: { ipFamilyPolicy: "PreferDualStack" as const } };
    const request = { ...old, metadata: withManifest(after), spec };
    const { result } = write(request, { old: stored, patch: "strategic", patchBody });
    assert.equal(result.spec.endpointFamily, "dual-stack");
  }
});

test("[SVC-1] with one CIDR, to prefer dual stack afterwards allows both families again", () => {
  const old = write(of({ ipFamilyPolicy: "SingleStack" }), { settings: single }).result;
  assert.equal(old.spec.endpointFamily, "ipv6");
  const request = { ...old, spec: { ...old.spec, ipFamilyPolicy: "PreferDualStack" as const } };
  const { result } = write(request, { old, settings: single });
  assert.equal(result.spec.endpointFamily, "dual-stack");
});

test("[SVC-4] an address that is given twice is refused", () => {
  const clusterIPs = ["10.96.0.21", "10.96.0.21"];
  for (const ipFamilyPolicy of ["SingleStack", "PreferDualStack", "RequireDualStack"]) {
    const { errors } = write(of({ clusterIPs, ipFamilyPolicy }));
    assert.ok(
      errors.includes("spec.clusterIPs: may specify no more than one IP for each IP family"),
      String(errors),
    );
  }
});

test("[SVC-9] the warning is given at creation, before there is an address", () => {
  const asked = of({ endpointFamily: "ipv4" });
  assert.equal(write(asked, { settings: single }).warnings.length, 1);
  assert.deepEqual(write(asked, { settings: dual }).warnings, []);
  const headless = of({ endpointFamily: "ipv4", clusterIP: "None", ipFamilies: ["IPv6"] });
  assert.deepEqual(write(headless, { settings: single }).warnings, []);
});

test("[SVC-9] an endpoint family without the cluster IP's is accepted with a warning", () => {
  const allocated = of({ endpointFamily: "ipv4", clusterIP: "fd00:96::5" });
  const { errors, warnings } = write(allocated, { settings: single });
  assert.deepEqual(errors, []);
  assert.deepEqual(warnings, [
    "spec.endpointFamily: ipv4 leaves the IPv6 cluster IP without endpoints; it rejects connections",
  ]);
});

test("[SVC-4] a service that becomes an ExternalName gives up what it has no use for", () => {
  const old = write(of({ clusterIP: "10.96.0.5", ipFamilyPolicy: "SingleStack" as const })).result;
  const request = structuredClone(old);
  request.spec.type = "ExternalName";
  request.spec.externalName = "example.test";
  const { result, errors } = write(request, { old });
  assert.deepEqual(errors, []);
  const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy, endpointFamily } = result.spec;
  assert.deepEqual(
    [clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy, endpointFamily],
    [undefined, undefined, undefined, undefined, undefined],
  );
});

const specs = fc.record(
  {
    ipFamilyPolicy: fc.constantFrom("SingleStack", "PreferDualStack", "RequireDualStack"),
    ipFamilies: fc.constantFrom(["IPv4"], ["IPv6"], ["IPv4", "IPv6"], ["IPv6", "IPv4"]),
    clusterIP: fc.constantFrom("None", "10.96.0.7", "fd00:96::7"),
    endpointFamily: fc.constantFrom("ipv4", "ipv6", "dual-stack"),
    type: fc.constantFrom("ClusterIP", "NodePort", "LoadBalancer"),
  },
  { requiredKeys: [] },
);

test("[SVC-1] reading a service and writing it back changes nothing", () => {
  fc.assert(
    fc.property(specs, fc.constantFrom(dual, single), (spec, settings) => {
      const old = write(of(spec), { settings });
      if (old.errors.length > 0) return;
      const again = write(old.result, { settings, old: old.result });
      assert.deepEqual(again.errors, []);
      assert.deepEqual(again.result, old.result);
    }),
  );
});

test("[SVC-3] with one CIDR a service has one family, whatever it prefers", () => {
  fc.assert(
    fc.property(specs, (spec) => {
      const { result, errors } = write(of(spec), { settings: single });
      if (errors.length > 0 || result.spec.clusterIP === "None") return;
      assert.deepEqual(result.spec.ipFamilies, ["IPv6"]);
    }),
  );
});
