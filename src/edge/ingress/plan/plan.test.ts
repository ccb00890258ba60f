import assert from "node:assert/strict";
import { test } from "node:test";
import { Address } from "../../../base/net/address.ts";
import { backendOf, endpoints, ingress, leadsTo, objects, service } from "../testing/ingress.ts";
import { planSites } from "./plan.ts";

const web = {
  services: [service("web"), service("other")],
  endpoints: [
    endpoints("web", [["10.0.0.1", "fd00::1"]]),
    endpoints("other", [["10.0.0.2", "fd00::2"]]),
  ],
};

test("of two Ingresses with the same path of a host the older one has it", () => {
  const rule = { host: "a.example", ...leadsTo("web", [["Prefix", "/"]]) };
  const younger = ingress(
    "younger",
    { rules: [rule] },
    { creationTimestamp: "2026-01-02T00:00:00Z" },
  );
  const older = ingress("older", {
    rules: [{ host: "a.example", ...leadsTo("other", [["Prefix", "/"]]) }],
  });
  const plan = planSites([younger, older], objects(web));
  const site = plan.sites.find(({ host }) => host === "a.example");
  assert.deepEqual(
    site?.routes.map(({ upstream }) => upstream),
    ["default_other_http"],
  );
  assert.equal(plan.problems.get("default/younger")?.[0]?.reason, "Conflict");
  assert.match(
    plan.problems.get("default/younger")?.[0]?.message ?? "",
    /^Cannot serve spec\.rules\[0\]\.http\.paths\[0\]\.path "\/": default\/older, which is older, /,
  );
  assert.equal(plan.problems.has("default/older"), false);
  assert.deepEqual([...plan.served], ["default/older"]);
});

test("exact paths come first, then the longest; /a and /a/ are the same prefix", () => {
  const plan = planSites(
    [
      ingress("one", {
        rules: [
          leadsTo("web", [
            ["Prefix", "/"],
            ["Prefix", "/a/"],
            ["Prefix", "/a"],
            ["Prefix", "/a/b"],
            ["Exact", "/a"],
            ["ImplementationSpecific", "/c"],
          ]),
        ],
      }),
    ],
    objects(web),
  );
  assert.deepEqual(
    plan.sites[0]?.routes.map(({ path }) => `${path.kind} ${path.text}`),
    ["exact /a", "prefix /a/b", "prefix /a", "prefix /c", "prefix "],
  );
  assert.equal(plan.problems.get("default/one")?.length, 1);
});

test("a default backend serves what no path matches, on its own hosts and on those nobody has", () => {
  const plan = planSites(
    [
      ingress("a", {
        defaultBackend: backendOf("other"),
        rules: [{ host: "a.example", ...leadsTo("web", [["Exact", "/x"]]) }],
      }),
      ingress("b", { rules: [{ host: "b.example", ...leadsTo("web", [["Exact", "/y"]]) }] }),
    ],
    objects(web),
  );
  assert.deepEqual(
    plan.sites.map(({ host, routes }) => [host, routes.at(-1)?.upstream]),
    [
      ["", "default_other_http"],
      ["a.example", "default_other_http"],
      ["b.example", "default_other_http"],
    ],
  );
});

test("what cannot be a backend is refused, what is missing may come", () => {
  const resource = { resource: { apiGroup: "k8s.example", kind: "Bucket", name: "files" } };
  const paths = [
    { path: "/bucket", pathType: "Prefix" as const, backend: resource },
    { path: "/missing", pathType: "Prefix" as const, backend: backendOf("nowhere") },
    { path: "/outside", pathType: "Prefix" as const, backend: backendOf("outside") },
    {
      path: "/port",
      pathType: "Prefix" as const,
      backend: { service: { name: "web", port: { number: 1 } } },
    },
  ];
  const outside = service("outside", {
    type: "ExternalName" as const,
    externalName: "example.org",
  });
  const plan = planSites(
    [ingress("one", { rules: [{ http: { paths } }] })],
    objects({ ...web, services: [...web.services, outside] }),
  );
  assert.deepEqual(
    plan.problems.get("default/one")?.map(({ reason, message }) => `${reason}: ${message}`),
    [
      'Refused: Cannot serve spec.rules[0].http.paths[0].backend "Bucket/files": only services can be backends',
      'MissingBackend: Cannot serve spec.rules[0].http.paths[1].backend "nowhere:80": there is no such service',
      'Refused: Cannot serve spec.rules[0].http.paths[2].backend "outside:80": a service of type ExternalName leads out of the cluster',
      'MissingBackend: Cannot serve spec.rules[0].http.paths[3].backend "web:1": the service has no such TCP port',
    ],
  );
  assert.deepEqual(
    plan.sites[0]?.routes.map(({ path, upstream }) => [path.text, upstream]),
    [
      ["/missing", undefined],
      ["/port", undefined],
    ],
  );
});

test("an annotation that cannot be used takes its Ingress out, an unknown one is mentioned", () => {
  const bad = ingress(
    "bad",
    { rules: [leadsTo("web", [["Prefix", "/bad"]])] },
    { annotations: { "nginx.ingress.kubernetes.io/proxy-body-size": "1m; return 200" } },
  );
  const unknown = ingress(
    "unknown",
    { rules: [leadsTo("web", [["Prefix", "/good"]])] },
    { annotations: { "nginx.ingress.kubernetes.io/configuration-snippet": "return 200;" } },
  );
  const plan = planSites([bad, unknown], objects(web));
  assert.deepEqual([...plan.served], ["default/unknown"]);
  assert.equal(
    plan.problems.get("default/bad")?.[0]?.message,
    'Cannot serve metadata.annotations[nginx.ingress.kubernetes.io/proxy-body-size] "1m; return 200": expected a size such as 8m',
  );
  assert.equal(plan.problems.get("default/unknown")?.[0]?.reason, "Ignored");
});

test("[ING-1] a dual-stack endpoint is one target, of its first family that can be reached", () => {
  const one = ingress("one", { rules: [leadsTo("web", [["Prefix", "/"]])] });
  const pairs = [["10.0.0.1", "fd00::1"], ["fd00::2", "10.0.0.2"], ["fd00::3"]];
  const given = { services: [service("web")], endpoints: [endpoints("web", pairs)] };
  const targets = (reachable: readonly ("IPv4" | "IPv6")[]) =>
    planSites([one], objects({ ...given, reachable })).upstreams.flatMap(({ targets: found }) =>
      found.map(({ address, port }) => `${address} ${port}`),
    );
  assert.deepEqual(targets(["IPv4", "IPv6"]), ["10.0.0.1 8080", "fd00::2 8080", "fd00::3 8080"]);
  assert.deepEqual(targets(["IPv4"]), ["10.0.0.1 8080", "10.0.0.2 8080"]);
  assert.deepEqual(targets(["IPv6"]), ["fd00::1 8080", "fd00::2 8080", "fd00::3 8080"]);
});

test("[ING-1] slices of two families are merged by the pod they refer to", () => {
  const one = ingress("one", { rules: [leadsTo("web", [["Prefix", "/"]])] });
  const slice = (addressType: "IPv4" | "IPv6", addresses: readonly string[]) => ({
    apiVersion: "discovery.k8s.io/v1" as const,
    kind: "EndpointSlice" as const,
    metadata: {
      namespace: "default",
      name: `web-${addressType}`,
      labels: { "kubernetes.io/service-name": "web" },
    },
    addressType,
    endpoints: addresses.map((address, n) => ({
      addresses: [address],
      conditions: { ready: n < 2 },
      targetRef: { kind: "Pod", namespace: "default", name: `web-${n}` },
    })),
    ports: [{ name: "http", port: 8080 }],
  });
  const slices = [
    slice("IPv4", ["10.0.0.1", "10.0.0.2", "10.0.0.9"]),
    slice("IPv6", ["fd00::1", "fd00::2", "fd00::9"]),
  ];
  const plan = planSites(
    [one],
    objects({
      services: [service("web", { ipFamilies: ["IPv6", "IPv4"] as ("IPv4" | "IPv6")[] })],
      slices,
    }),
  );
  assert.deepEqual(plan.upstreams, [
    {
      name: "default_web_http",
      targets: [
        { address: Address.parse("fd00::1"), port: 8080 },
        { address: Address.parse("fd00::2"), port: 8080 },
      ],
    },
  ]);
});
