// Certificates, HTTP/2, WebSockets and annotations, with real nginx.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { type IngressLab, nodeAddresses, openIngressLab } from "./ingress.fixture.ts";

const { IPv4, IPv6 } = nodeAddresses;
const classes = "tandem";
const prefix = "nginx.ingress.kubernetes.io";

describe("ingress by HTTPS", () => {
  let lab: IngressLab;
  before(async () => {
    lab = await openIngressLab();
    await lab.serve("web", ["both"]);
    await lab.kubectl(["apply", "-f", "-"], {
      apiVersion: "networking.k8s.io/v1",
      kind: "IngressClass",
      metadata: { name: classes },
      spec: { controller: "tandem.internal/ingress" },
    });
  });
  after(async () => lab[Symbol.asyncDispose]());

  const at = (host: string, address: string) => [
    "--connect-to",
    `${host}::${address.includes(":") ? `[${address}]` : address}:`,
  ];
  const isOk = ({ status }: { status: number }) => status === 200;
  const annotate = (name: string, annotation: string) =>
    lab.kubectl(["annotate", "--overwrite", "ingress", name, `${prefix}/${annotation}`]);

  async function makeSecret(name: string, host: string): Promise<string> {
    const file = (kind: string) => join(lab.scratch, `${name}.${kind}`);
    const made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2".split(" ");
    const names = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
    const files = ["-keyout", file("key"), "-out", file("crt")];
    await promisify(execFile)("openssl", [...made, ...names, ...files]);
    const pem = (await readFile(file("crt"), "utf8")) + (await readFile(file("key"), "utf8"));
    await writeFile(file("pem"), pem);
    const pair = [`--cert=${file("crt")}`, `--key=${file("key")}`];
    await lab.kubectl(["create", "secret", "tls", name, ...pair]);
    return file("crt");
  }

  test("[ING-1] hosts are served with their certificates by SNI, others with the default one", async () => {
    for (const name of ["one", "two"]) {
      const host = `${name}.example`;
      const certificate = await makeSecret(name, host);
      const rule = `--rule=${host}/*=web:80,tls=${name}`;
      await lab.kubectl(["create", "ingress", name, `--class=${classes}`, rule]);
      for (const address of [IPv4, IPv6]) {
        const trusting = [...at(host, address), "--no-insecure", "--cacert", certificate];
        const { heard, headers } = await lab.askUntil(`https://${host}/x`, isOk, trusting);
        assert.equal(heard.headers["x-forwarded-proto"], "https");
        assert.match(headers, /^HTTP\/2 200/);
      }
      const plain = await lab.ask(`http://${host}/x?y=1`, at(host, IPv6));
      assert.equal(plain.status, 308);
      assert.match(plain.headers, new RegExp(`^location: https://${host}/x\\?y=1\r$`, "im"));
    }
    const unknown = await lab.ask("https://nobody.example/", at("nobody.example", IPv4));
    assert.equal(unknown.status, 404);
    const pem = await readFile(join(lab.directory, "certificates", "default.pem"), "utf8");
    assert.match(new X509Certificate(pem).subject, /ingress\.tandem\.internal/);
    const mode = (await stat(join(lab.directory, "certificates", "default.pem"))).mode & 0o777;
    assert.equal(mode, 0o600);
  });

  test("the default certificate serves until the one that was asked for is there", async () => {
    const rule = "--rule=new.example/*=web:80,tls=late";
    await lab.kubectl(["create", "ingress", "late", `--class=${classes}`, rule]);
    await lab.askUntil("https://new.example/", isOk, at("new.example", IPv4));
    const certificate = await makeSecret("late", "new.example");
    const trusting = [...at("new.example", IPv4), "--no-insecure", "--cacert", certificate];
    await lab.askUntil("https://new.example/", isOk, trusting);
  });

  test("[ING-1] WebSockets pass through", async () => {
    await lab.kubectl([
      "create",
      "ingress",
      "ws",
      `--class=${classes}`,
      "--rule=ws.example/*=web:80",
    ]);
    await lab.askUntil("http://ws.example/", isOk, at("ws.example", IPv4));
    const script = `
      const { default: WebSocket } = await import(${JSON.stringify(import.meta.resolve("ws"))});
      const socket = new WebSocket("ws://[${IPv6}]/", { headers: { host: "ws.example" } });
      socket.on("open", () => socket.send("hello"));
      socket.on("message", (data) => { console.log(String(data)); socket.close(); });
    `;
    const { stdout } = await lab.outside.commands.run(
      [process.execPath, "--input-type=module", "-e", script],
      { timeoutMs: 60_000 },
    );
    assert.equal(stdout.trim(), "both: hello");
  });

  test("[ING-1] annotations set size, rewriting, redirects and the protocol of backends", async () => {
    const make = (name: string, path: string, service = "web:80") => {
      const rule = `--rule=${name}.example${path}=${service}`;
      return lab.kubectl(["create", "ingress", name, `--class=${classes}`, rule]);
    };
    await make("small", "/*");
    await annotate("small", "proxy-body-size=1k");
    const body = ["--data-binary", "x".repeat(2_000)];
    const small = at("small.example", IPv4);
    await lab.askUntil("http://small.example/", ({ status }) => status === 413, [
      ...small,
      ...body,
    ]);
    await annotate("small", "proxy-body-size=3k");
    const { heard } = await lab.askUntil("http://small.example/", isOk, [...small, ...body]);
    assert.equal(heard.bytes, 2_000);

    const backend = { service: { name: "web", port: { number: 80 } } };
    const paths = [{ path: "/api(/|$)(.*)", pathType: "ImplementationSpecific", backend }];
    await lab.kubectl(["apply", "-f", "-"], {
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: {
        name: "rewritten",
        annotations: { [`${prefix}/rewrite-target`]: "/$2" },
      },
      spec: { ingressClassName: classes, rules: [{ host: "rewritten.example", http: { paths } }] },
    });
    const rewritten = at("rewritten.example", IPv6);
    const answer = await lab.askUntil("http://rewritten.example/api/a/b?c=d", isOk, rewritten);
    assert.equal(answer.heard.url, "/a/b?c=d");

    await make("moved", "/*");
    await annotate("moved", "permanent-redirect=https://elsewhere.example$request_uri");
    const moved = await lab.askUntil(
      "http://moved.example/a?b=c",
      ({ status }) => status === 301,
      at("moved.example", IPv4),
    );
    assert.match(moved.headers, /^location: https:\/\/elsewhere\.example\/a\?b=c\r$/im);

    await make("forced", "/*");
    await annotate("forced", "force-ssl-redirect=true");
    const forced = at("forced.example", IPv4);
    await lab.askUntil("http://forced.example/", ({ status }) => status === 308, forced);
    assert.equal((await lab.ask("https://forced.example/", forced)).status, 200);

    await makeSecret("backend", "secure.example");
    await lab.startBackend("twin", 8443, join(lab.scratch, "backend.pem"));
    const metadata = { name: "secure", namespace: "default" };
    await lab.kubectl(["apply", "-f", "-"], {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: { ports: [{ name: "https", port: 443 }] },
    });
    await lab.kubectl(["apply", "-f", "-"], {
      apiVersion: "v1",
      kind: "Endpoints",
      metadata,
      subsets: [{ addresses: [{ ip: "192.168.77.12" }], ports: [{ name: "https", port: 8443 }] }],
    });
    await make("secure", "/*", "secure:443");
    await annotate("secure", "backend-protocol=HTTPS");
    const secure = await lab.askUntil("http://secure.example/", isOk, at("secure.example", IPv6));
    assert.equal(secure.heard.backend, "twin");
  });

  test("what takes longer than it may is given up", async () => {
    const rule = "--rule=slow.example/*=web:80";
    await lab.kubectl(["create", "ingress", "slow", `--class=${classes}`, rule]);
    await annotate("slow", "proxy-read-timeout=1");
    await lab.askUntil(
      "http://slow.example/?delay=5000",
      ({ status }) => status === 504,
      at("slow.example", IPv4),
    );
  });
});
