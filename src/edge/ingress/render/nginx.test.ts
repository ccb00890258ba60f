import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyText } from "../../../../test/fixtures/any-text.ts";
import { planSites } from "../plan/plan.ts";
import {
  endpoints,
  ingress,
  leadsTo,
  nginxSettings,
  objects,
  service,
} from "../testing/ingress.ts";
import { renderNginx } from "./nginx.ts";

const web = objects({
  services: [service("web")],
  endpoints: [endpoints("web", [["10.0.0.1", "fd00::1"], ["fd00::2"]])],
});

function rendered(...ingresses: readonly ReturnType<typeof ingress>[]): string {
  return renderNginx(planSites(ingresses, web), nginxSettings).text;
}

/** The block of a host, without its indentation. */
function siteOf(text: string, name: string): string[] {
  const start = text.indexOf(`server_name ${name};`);
  const lines = text.slice(start).split("\n");
  const end = lines.indexOf("    }");
  return lines.slice(0, end).map((line) => line.trim());
}

test("[ING-1] both families are listened on, and an endpoint is one line", () => {
  const text = rendered(ingress("one", { rules: [leadsTo("web", [["Prefix", "/"]])] }));
  assert.deepEqual(
    siteOf(text, "_").filter((line) => line.startsWith("listen")),
    [
      "listen 0.0.0.0:80 default_server;",
      "listen [::]:80 default_server ipv6only=on;",
      "listen 0.0.0.0:443 ssl http2 default_server;",
      "listen [::]:443 ssl http2 default_server ipv6only=on;",
    ],
  );
  assert.deepEqual(text.match(/^ +server .* max_fails=0;$/gm), [
    "        server 10.0.0.1:8080 max_fails=0;",
    "        server [fd00::2]:8080 max_fails=0;",
  ]);
});

test("backends are told a host also by who names none", () => {
  const rule = leadsTo("web", [["Prefix", "/"]]);
  const text = rendered(ingress("one", { rules: [rule, { host: "a.example", ...rule }] }));
  const told = "proxy_set_header Host $host_asked_for;";
  assert.ok(siteOf(text, "_").includes(told));
  assert.ok(!siteOf(text, "a.example").includes(told));
});

test("an nginx that can leaves idle connections for one more request", () => {
  const plan = planSites([], web);
  const features = { hasHttp2Directive: true, sparesIdleConnections: true };
  const { text } = renderNginx(plan, { ...nginxSettings, drainSeconds: 4, features });
  assert.match(text, /^ +keepalive_min_timeout 4s;$/m);
  assert.match(text, /^ +http2 on;$/m);
  assert.doesNotMatch(text, /listen .* http2/);
  assert.doesNotMatch(renderNginx(plan, nginxSettings).text, /keepalive_min_timeout|http2 on/);
});

test("a prefix is the path itself and what is below, a wildcard is one label", () => {
  const rule = leadsTo("web", [
    ["Prefix", "/a"],
    ["Exact", "/a"],
    ["Prefix", "/b%20c"],
  ]);
  const text = rendered(ingress("one", { rules: [{ host: "*.a.example", ...rule }] }));
  const site = siteOf(text, String.raw`"~^[^.]+\\.a\\.example$"`);
  assert.deepEqual(
    site.filter((line) => line.startsWith("location")),
    [
      'location = "/a" {',
      'location = "/b c" {',
      'location "/b c/" {',
      'location "/a/" {',
      "location / {",
    ],
  );
});

test("patterns make an order of all paths of their host", () => {
  const annotations = { "nginx.ingress.kubernetes.io/rewrite-target": "/$2" };
  const text = rendered(
    ingress(
      "one",
      { rules: [leadsTo("web", [["ImplementationSpecific", "/api(/|$)(.*)"]])] },
      { annotations },
    ),
    ingress("two", { rules: [leadsTo("web", [["Prefix", "/a.b"]])] }),
  );
  const site = siteOf(text, "_");
  assert.deepEqual(
    site.filter((line) => /^(?:location|rewrite)/.test(line)),
    [
      'location ~* "^/api(/|$)(.*)" {',
      'rewrite "(?i)^/api(/|$)(.*)" "/$2" break;',
      String.raw`location ~ "^/a\\.b(?:/|$)" {`,
      "location / {",
    ],
  );
});

test("the same objects make the same text, in whatever order they come", () => {
  const a = ingress("a", { rules: [{ host: "a.example", ...leadsTo("web", [["Prefix", "/"]]) }] });
  const b = ingress("b", { rules: [{ host: "b.example", ...leadsTo("web", [["Prefix", "/"]]) }] });
  assert.equal(rendered(a, b), rendered(b, a));
});

/** Texts that nginx could take for more than one word, and arbitrary ones. */
const hostile = fc.oneof(
  anyText(),
  fc
    .array(
      fc.constantFrom(
        "/",
        "a",
        ";",
        "{",
        "}",
        '"',
        "'",
        "\\",
        "\n",
        " ",
        "$",
        "%0a",
        "%22",
        "#",
        "(",
        ".*",
        "*.",
      ),
    )
    .map((parts) => `/${parts.join("")}`),
  fc.constantFrom(
    '/"; } location / { return 200 "',
    "/a\nlua_code x",
    "$1; return 200",
    "1m;",
    "http://a/$host;",
    "*.a.example; return 200",
  ),
);
const names = [
  "proxy-body-size",
  "proxy-read-timeout",
  "rewrite-target",
  "use-regex",
  "permanent-redirect",
  "backend-protocol",
  "ssl-redirect",
  "server-snippet",
];

test("whatever an Ingress holds, it adds no directive but those it may", () => {
  const allowed = new Set(
    (
      "server_name listen ssl_certificate ssl_certificate_key location if return rewrite proxy_pass " +
      "client_max_body_size proxy_connect_timeout proxy_send_timeout proxy_read_timeout"
    ).split(" "),
  );
  const usual = new Set(tokens(rendered()).map((words) => words.join(" ")));
  fc.assert(
    fc.property(
      fc.record({
        host: fc.oneof(hostile, fc.constantFrom("a.example", "*.a.example")),
        path: hostile,
        pathType: fc.constantFrom("Exact", "Prefix", "ImplementationSpecific", "x; y" as "Exact"),
        backend: fc.oneof(hostile, fc.constant("web")),
        tlsHost: hostile,
        annotations: fc.dictionary(
          fc.constantFrom(...names).map((name) => `nginx.ingress.kubernetes.io/${name}`),
          fc.oneof(hostile, fc.constantFrom("true", "10", "8m", "/$1", "https")),
        ),
      }),
      ({ host, path, pathType, backend, tlsHost, annotations }) => {
        const rules = [{ host, ...leadsTo(backend, [[pathType, path]]) }];
        const tls = [{ hosts: [tlsHost], secretName: path }];
        const text = rendered(ingress("one", { rules, tls }, { annotations }));
        const sites = text.slice(text.indexOf("    server {"), text.lastIndexOf("    server {"));
        for (const words of tokens(sites)) {
          if (words.length === 0 || usual.has(words.join(" "))) continue;
          assert.ok(words[0] === "server" || allowed.has(words[0] ?? ""), words.join(" "));
        }
        const balance = sites.replaceAll(/"(?:[^"\\]|\\.)*"/gs, "");
        assert.equal(balance.split("{").length, balance.split("}").length);
      },
    ),
    { numRuns: 2_000 },
  );
});

/** The words of each directive, as nginx reads them. */
function tokens(text: string): string[][] {
  const found: string[][] = [[]];
  for (const [word] of text.matchAll(/"(?:[^"\\]|\\.)*"|[;{}]|[^\s;{}"]+/gs)) {
    if (/^[;{}]$/.test(word)) found.push([]);
    else found.at(-1)?.push(word);
  }
  return found;
}
