// `tandem ingress` with real nginx in front of real backends, asked from a host of its own.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  backendAddresses,
  backendPort,
  type IngressLab,
  nodeAddresses,
  openIngressLab,
} from "./ingress.fixture.ts";

const urls = { IPv4: `http://${nodeAddresses.IPv4}`, IPv6: `http://[${nodeAddresses.IPv6}]` };

describe("ingress", () => {
  let lab: IngressLab;
  before(async () => {
    lab = await openIngressLab();
    await lab.kubectl(["apply", "-f", "-"], {
      apiVersion: "networking.k8s.io/v1",
      kind: "IngressClass",
      metadata: {
        name: "tandem",
        annotations: { "ingressclass.kubernetes.io/is-default-class": "true" },
      },
      spec: { controller: "tandem.internal/ingress" },
    });
  });
  after(async () => lab[Symbol.asyncDispose]());

  const hostIs = (host: string) => ["-H", `Host: ${host}`];

  test("[ING-1, MODEL-4] an Ingress that kubectl made is served to clients of both families", async () => {
    await lab.serve("web", ["both", "twin"]);
    await lab.kubectl(["create", "ingress", "web", "--rule=web.example/*=web:80"]);
    for (const url of Object.values(urls)) {
      const { heard } = await lab.askUntil(
        `${url}/path?query=1`,
        ({ status }) => status === 200,
        hostIs("web.example"),
      );
      assert.ok(["both", "twin"].includes(heard.backend), heard.backend);
      assert.equal(heard.url, "/path?query=1");
      assert.equal(heard.headers["host"], "web.example");
      assert.equal(heard.headers["x-forwarded-proto"], "http");
      const client = url.includes("[") ? "fd00:77::9" : "192.168.77.9";
      assert.equal(heard.headers["x-forwarded-for"], client);
    }
    const text = await readFile(join(lab.directory, "nginx.conf"), "utf8");
    const upstream = /upstream default_web_http \{([^}]*)\}/.exec(text)?.[1] ?? "";
    assert.equal(upstream.match(/server /g)?.length, 2, upstream);
    const status = ["get", "ingress", "web", "-o", "jsonpath={.status.loadBalancer.ingress[*].ip}"];
    const wanted = Object.values(nodeAddresses).join(" ");
    await lab.until(async () => (await lab.kubectl(status)) === wanted, "no status");
  });

  test("[ING-1] clients reach backends that only have the other family", async () => {
    await lab.serve("four", ["four"]);
    await lab.serve("six", ["six"]);
    const rules = ["--rule=cross.example/four*=four:80", "--rule=cross.example/six*=six:80"];
    await lab.kubectl(["create", "ingress", "cross", ...rules]);
    for (const [path, backend, from] of [
      ["/four", "four", "192.168.77.2"],
      ["/six", "six", "fd00:77::2"],
    ] as const) {
      for (const url of Object.values(urls)) {
        const isSo = ({ status }: { status: number }) => status === 200;
        const { heard } = await lab.askUntil(`${url}${path}`, isSo, hostIs("cross.example"));
        assert.equal(heard.backend, backend);
        assert.equal(heard.from.replace("::ffff:", ""), from);
      }
    }
  });

  test("[ING-1] where there are only slices, those of one pod are one entry", async () => {
    const metadata = { name: "sliced", namespace: "default" };
    const spec = { ports: [{ name: "http", port: 80 }], ipFamilyPolicy: "PreferDualStack" };
    await lab.kubectl(["apply", "-f", "-"], { apiVersion: "v1", kind: "Service", metadata, spec });
    for (const [n, addressType] of ["IPv4", "IPv6"].entries()) {
      await lab.kubectl(["apply", "-f", "-"], {
        apiVersion: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        metadata: {
          name: `sliced-${n}`,
          namespace: "default",
          labels: { "kubernetes.io/service-name": "sliced" },
        },
        addressType,
        ports: [{ name: "http", port: backendPort }],
        endpoints: (["both", "twin"] as const).map((pod) => ({
          addresses: [backendAddresses[pod][n]],
          targetRef: { kind: "Pod", namespace: "default", name: pod },
        })),
      });
    }
    await lab.kubectl(["create", "ingress", "sliced", "--rule=sliced.example/*=sliced:80"]);
    const isSo = ({ status }: { status: number }) => status === 200;
    await lab.askUntil(`${urls.IPv6}/`, isSo, hostIs("sliced.example"));
    const text = await readFile(join(lab.directory, "nginx.conf"), "utf8");
    const upstream = /upstream default_sliced_http \{([^}]*)\}/.exec(text)?.[1] ?? "";
    assert.equal(upstream.match(/server /g)?.length, 2, upstream);
  });

  test("[ING-1] paths are matched as Kubernetes says, and what none matches goes to the default backend", async () => {
    await lab.serve("a", ["both"]);
    await lab.serve("b", ["twin"]);
    const to = (name: string) => ({ service: { name, port: { name: "http" } } });
    const paths = [
      { path: "/foo", pathType: "Prefix", backend: to("a") },
      { path: "/foo", pathType: "Exact", backend: to("b") },
      { path: "/foo/bar/", pathType: "Prefix", backend: to("b") },
    ];
    const rules = [{ host: "*.paths.example", http: { paths } }];
    const spec = { defaultBackend: to("four"), rules };
    const metadata = { name: "paths" };
    const ingress = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata, spec };
    await lab.kubectl(["apply", "-f", "-"], ingress);
    const expected: [path: string, host: string, backend: string][] = [
      ["/foo", "x.paths.example", "twin"],
      ["/foo/", "x.paths.example", "both"],
      ["/foo/x", "X.Paths.Example", "both"],
      ["/foo/bar", "x.paths.example", "twin"],
      ["/foo/bar/baz", "x.paths.example", "twin"],
      ["/foo/barbaz", "x.paths.example", "both"],
      ["/foobar", "x.paths.example", "four"],
      ["/foo", "x.y.paths.example", "four"],
      ["/foo", "paths.example", "four"],
      ["/", "nobody.example", "four"],
    ];
    await lab.askUntil(
      `${urls.IPv4}/foo`,
      ({ status }) => status === 200,
      hostIs("x.paths.example"),
    );
    for (const [path, host, backend] of expected) {
      const { heard } = await lab.ask(`${urls.IPv6}${path}`, hostIs(host));
      assert.equal(heard.backend, backend, `${host}${path}`);
    }
    await lab.kubectl(["delete", "ingress", "paths"]);
    await lab.askUntil(`${urls.IPv4}/`, ({ status }) => status === 404, hostIs("nobody.example"));
  });

  test("[ING-1] a bad Ingress gets an event and breaks nobody", async () => {
    const make = (name: string, path: object, annotations: object) =>
      lab.kubectl(["apply", "-f", "-"], {
        apiVersion: "networking.k8s.io/v1",
        kind: "Ingress",
        metadata: { name, annotations },
        spec: { rules: [{ host: `${name}.example`, http: { paths: [path] } }] },
      });
    const backend = { service: { name: "web", port: { number: 80 } } };
    const prefix = "nginx.ingress.kubernetes.io";
    await make(
      "injects",
      { path: "/", pathType: "Prefix", backend },
      { [`${prefix}/proxy-body-size`]: "1m; } return 200 x; {" },
    );
    // A regular expression to JavaScript, but not to nginx.
    await make(
      "puzzles",
      { path: "/a[^]", pathType: "ImplementationSpecific", backend },
      { [`${prefix}/use-regex`]: "true" },
    );
    const resource = { apiGroup: "k8s.example", kind: "Bucket", name: "files" };
    await make("refers", { path: "/", pathType: "Prefix", backend: { resource } }, {});
    const events = async (name: string) =>
      lab.kubectl(["get", "events", `--field-selector=involvedObject.name=${name}`, "-o", "json"]);
    for (const [name, said] of [
      ["injects", "expected a size such as 8m"],
      ["puzzles", "nginx says: pcre"],
      ["refers", "only services can be backends"],
    ] as const) {
      await lab.until(async () => (await events(name)).includes(said), `no event about ${name}`);
    }
    await lab.kubectl(["create", "ingress", "good", "--rule=good.example/*=web:80"]);
    const isSo = ({ status }: { status: number }) => status === 200;
    await lab.askUntil(`${urls.IPv6}/`, isSo, hostIs("good.example"));
    assert.equal((await lab.ask(`${urls.IPv4}/`, hostIs("web.example"))).status, 200);
    assert.equal((await lab.ask(`${urls.IPv4}/`, hostIs("injects.example"))).status, 404);
    await lab.kubectl(["delete", "ingress", "injects", "puzzles", "refers", "good"]);
  });

  test("[ING-1] a service without endpoints is unavailable until it has some", async () => {
    await lab.serve("empty", []);
    await lab.kubectl(["create", "ingress", "empty", "--rule=empty.example/*=empty:80"]);
    const host = hostIs("empty.example");
    await lab.askUntil(`${urls.IPv4}/`, ({ status }) => status === 503, host);
    await lab.serve("empty", ["six"]);
    await lab.askUntil(`${urls.IPv4}/`, ({ status }) => status === 200, host);
  });
});
